"""Kills the service while it removes a song, starts it again, and compares the song book on disk with the one over REST.

Usage: kill_songs.py JAMJAR [--kills 200] [--seed 1]

The kill comes at a random moment from the request to a little after its answer. An orphan is a song in one place only; a
removal that was answered must have lasted. Prints one JSON object; exits with 1 where there is an orphan.
"""
import argparse, glob, http.client, json, os, random, shutil, signal, sys, tempfile, threading, time, urllib.error, urllib.request

sys.dont_write_bytecode = True
from kill import Service

# Songs for one start of the service: each start takes longer than a removal by far, so one is removed between two kills.
STOCK = 3


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("binary")
    words.add_argument("--kills", type=int, default=200)
    words.add_argument("--seed", type=int, default=1)
    options = words.parse_args()
    random.seed(options.seed)
    folder = tempfile.mkdtemp(prefix="jamjar-songs-")
    service, latest = Service(options.binary, folder), 0.02
    removed, answered, orphans, reverted, number = 0, 0, [], [], 0
    for _ in range(options.kills):
        known = songs(service)
        while len(known) < STOCK:
            number += 1
            known.add(service.post("/v1/songs", {"title": f"Song {number}"})["id"])
        victim = random.choice(sorted(known))
        outcome = {}
        request = threading.Thread(target=remove, args=(service, victim, outcome))
        request.start()
        time.sleep(random.uniform(0, 1.2 * latest))
        service.process.send_signal(signal.SIGKILL)
        service.process.wait()
        request.join()
        if "took" in outcome:
            answered += 1
            latest = max(0.005, 0.9 * latest + 0.1 * outcome["took"])
        service = Service(options.binary, folder)
        listed, filed = songs(service), on_disk(folder)
        orphans += sorted(listed ^ filed)
        removed += victim not in listed
        if "took" in outcome and victim in listed | filed:
            reverted.append(victim)
        if listed - {victim} != known - {victim}:
            orphans += sorted((listed ^ known) - {victim})
    service.process.terminate()
    service.process.wait()
    print(json.dumps({"kills": options.kills, "answered": answered, "removed": removed, "orphans": len(orphans),
                      "answeredButBack": len(reverted)}))
    if orphans or reverted:
        sys.exit(f"the data folder and the service's log are in {folder}: {orphans[:5]} {reverted[:5]}")
    shutil.rmtree(folder)


def songs(service):
    return {song["id"] for song in json.loads(service.get("/v1/songs?limit=200"))["items"]}


def on_disk(folder):
    return {os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(folder, "data/_library/songs/*.json"))}


def remove(service, song, outcome):
    """Asks for the removal; notes the seconds until its answer, if one came."""
    began = time.monotonic()
    request = urllib.request.Request(f"{service.address}/v1/songs/{song}", method="DELETE")
    try:
        with urllib.request.urlopen(request) as answer:
            if answer.status == 204:
                outcome["took"] = time.monotonic() - began
    except (OSError, http.client.HTTPException):
        pass


if __name__ == "__main__":
    main()
