"""How exactly the tracks of musicians lie who tell no capture times: aiortc and Firefox, against the real service.

Usage: pairs.py JAMJAR [--kinds aiortc,firefox] [--seconds 120] [--runs 1] [--seed 1] [--keep]
                [--delay 30 --jitter 10]

Two musicians play the same noise at the same instants, each over a connection of their own. So their two files have to
be alike at every place: what they lie apart is error. It is measured every second by correlation, when the take is
ready and once more when the second look is over (docs/decisions/0017). aiortc's musicians share the machine's clock
with the recorder, so that each track is also held against the truth. With a delay or jitter (ms, each way) a relay
stands between. Prints a table and one JSON object a take; exits with 1 where a bound is broken or the pairs miss the
target.
"""
import argparse, asyncio, glob, json, os, random, shutil, socket, subprocess, sys, tempfile, time, urllib.request
from contextlib import closing

from pair_distances import RATE, decoded, distances, journal_zero, noise, standstills, true_errors
from pair_musicians import KINDS

TARGET = 3.0
BEGINNING = 30


def own_address():
    """This machine's address, since Firefox never uses loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        asking.connect(("192.0.2.1", 9))
        return asking.getsockname()[0]


class Relay:
    """A slower path of our own (relay.py); the same for all musicians."""

    PORTS = 16
    OFFSET = 1000

    def __init__(self, options):
        self.offset, self.options, self.process = 0, [], None
        if not options.delay and not options.jitter:
            return
        self.offset, first, host = Relay.OFFSET, random.randrange(10_000, 30_000), own_address()
        self.options = ["--ice-addresses", host, "--ice-ports", f"{first}-{first + Relay.PORTS - 1}"]
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "relay.py")
        self.process = subprocess.Popen(
            [sys.executable, script, str(first + self.offset), str(first), str(Relay.PORTS), "--host", host,
             "--loss", "0", "--duplicates", "0", "--delay", str(options.delay), "--jitter", str(options.jitter)],
            stdout=subprocess.PIPE)
        if self.process.stdout.readline() != b"ready\n":
            raise SystemExit("the relay did not start")

    def close(self):
        if self.process:
            self.process.terminate()
            self.process.wait()


class Service:
    def __init__(self, binary, folder, more):
        self.data = os.path.join(folder, "data")
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = f"http://127.0.0.1:{free.getsockname()[1]}"
        log = open(os.path.join(folder, "log"), "ab")
        self.process = subprocess.Popen(
            [binary, "serve", "--port", self.address.split(":")[-1], "--rtmp-port", "0", "--data", self.data,
             *more],
            stdout=log, stderr=log)
        try:
            until(lambda: self.get("/readyz", OSError), 30, "the service did not become ready")
        except SystemExit:
            self.close()
            raise

    def get(self, path, permitted=()):
        try:
            with urllib.request.urlopen(self.address + path) as answer:
                return answer.read()
        except permitted:
            return None

    def finished_take(self, room):
        takes = json.loads(self.get(f"/v1/takes?room={room}"))["items"]
        return next((take for take in takes if take["state"] in ("ready", "incomplete", "failed")), None)

    def second_looks(self):
        """Processes of the service that look at a take again: behind the renders, by their niceness of 15."""
        found = set()
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                fields = open(path).read().rsplit(")", 1)[1].split()
            except (OSError, IndexError):
                continue
            if int(fields[1]) == self.process.pid and int(fields[16]) >= 15 and fields[0] != "Z":
                found.add(path)
        return found

    def close(self):
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def until(condition, seconds, problem):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if value := condition():
            return value
        time.sleep(0.002)
    raise SystemExit(problem)


class Look:
    """A take's files of one revision; their names in a folder of our own keep them when they are replaced."""

    def __init__(self, home, place):
        os.makedirs(place)
        for name in os.listdir(home):
            if name.endswith((".flac", ".json")):
                os.link(os.path.join(home, name), os.path.join(place, name))
        self.manifest = json.load(open(os.path.join(place, "manifest.json")))
        self.tracks = sorted(self.manifest["tracks"], key=lambda track: track["participant"]["name"])
        self.sounds = [decoded(os.path.join(place, track["file"])) for track in self.tracks]


def bound(track, place):
    """What the manifest says of a place in ms; None where it is unknown."""
    alignment = track["alignment"]
    for stretch in alignment.get("stretches", [alignment | {"start": 0, "end": 1 << 60}]):
        if stretch["start"] <= place < stretch["end"]:
            return stretch["errorBound"] if isinstance(stretch["errorBound"], (int, float)) else None
    return None


def summary(values, allowed):
    """p50, p99, highest of absolute values in ms, how many could not be measured, and how many are beyond `allowed`."""
    sizes = sorted(abs(value) for value in values.values() if value is not None)
    if not sizes:
        return {"measured": 0}
    beyond = sum(bool(value is not None and (limit := allowed(place)) is not None and abs(value) > limit)
                 for place, value in values.items())
    at = [sizes[(len(sizes) - 1) * percent // 100] for percent in (50, 99, 100)]
    return {"p50": round(at[0], 3), "p99": round(at[1], 3), "max": round(at[2], 3), "measured": len(sizes),
            "notAlike": len(values) - len(sizes), "beyondBound": beyond,
            "boundUnknown": sum(allowed(place) is None for place in values)}


def parts(values, allowed):
    early = {place: value for place, value in values.items() if place < BEGINNING * RATE}
    late = {place: value for place, value in values.items() if place >= BEGINNING * RATE}
    return {"first30": summary(early, allowed), "after30": summary(late, allowed)}


def figures(look, music, shift):
    """All that is measured of one look at a take."""
    first, second = look.tracks

    def both(place):
        bounds = bound(first, place), bound(second, place)
        return None if None in bounds else sum(bounds)

    pairs = distances(*look.sounds)
    result = {"pair": parts(pairs, both), "refinement": look.manifest.get("refinement"), "tracks": []}
    for track, sound in zip(look.tracks, look.sounds):
        alignment = track["alignment"]
        told = {"name": track["participant"]["name"], "gaps": track["gaps"]} | {
            name: alignment.get(name) for name in
            ("drift", "offset", "basis", "errorBound", "unknownBecause", "expectedPackets", "recoveredPackets",
             "lostPackets", "stretches")}
        if shift is not None:
            told["truth"] = parts(true_errors(sound, music, shift), lambda place: bound(track, place))
        result["tracks"].append(told)
    result["pairs"] = {
        f"{place / RATE:.2f}": None if value is None else round(value, 3) for place, value in pairs.items()}
    return result


async def performed(service, kind, room, music, seconds, detour):
    musicians = KINDS[kind](music, detour)
    try:
        paths = [f"/whip/{room}?name=musician%20{number}" for number in (1, 2)]
        return await musicians.play(service.address, paths, seconds), musicians.origin
    finally:
        await musicians.close()


def trial(service, folder, kind, room, options, detour):
    """One take of one kind of musician; its figures before and after the second look."""
    music = noise(options.seed)
    played, origin = asyncio.run(performed(service, kind, room, music, options.seconds, detour))
    take = until(lambda: service.finished_take(room), 60, f"{room}: no take was finished")
    # The process of the second look is there for some hundredths of a second at least.
    until(lambda: service.second_looks(), 20, f"{room}: nobody looked at the take again")
    home = os.path.dirname(glob.glob(f"{service.data}/{room}/*/*/manifest.json")[0])
    first = Look(home, os.path.join(folder, room, "first"))
    if first.manifest.get("refinement"):
        raise SystemExit(f"{room}: the second look was quicker than this program")
    until(lambda: not service.second_looks(), 120, f"{room}: the second look does not end")
    told = json.loads(service.get(f"/v1/takes/{take['id']}"))
    second = Look(home, os.path.join(folder, room, "second"))
    journal = open(os.path.join(home, "take.journal"), "rb").read()
    shift = None if origin is None else (journal_zero(journal) - origin) * RATE / 1e9
    return {"kind": kind, "room": room, "state": told["state"], "played": played, "stoodStill": standstills(journal),
            "ready": figures(first, music, shift), "secondLook": figures(second, music, shift)}


def row(result, look):
    found = result[look]
    cells = [result["kind"], "ready" if look == "ready" else "second look"]
    for part in ("first30", "after30"):
        pair = found["pair"][part]
        cells.append("-" if "p50" not in pair else "{p50:.2f} / {p99:.2f} / {max:.2f}".format(**pair))
    cells.append(" ".join(f"{each['errorBound']:.1f}" if isinstance(each["errorBound"], (int, float))
                          else f"unknown ({each['unknownBecause']})" for each in found["tracks"]))
    cells.append(" ".join(f"{each['drift']:+.1f}" for each in found["tracks"]))
    cells.append(" ".join(f"{len(each['gaps'])}/{each['lostPackets']}" for each in found["tracks"]))
    cells.append(" ".join(f"{late:.0f}" for _, late in sorted(result["stoodStill"].items())))
    cells.append(str(sum(each.get("beyondBound", 0) for each in summaries(found))))
    return "| " + " | ".join(cells) + " |"


def summaries(found):
    return [part for kind in [found["pair"]] + [track.get("truth", {}) for track in found["tracks"]]
            for part in kind.values()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kinds", default="aiortc,firefox")
    parser.add_argument("--seconds", type=float, default=120)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--delay", type=float, default=0)
    parser.add_argument("--jitter", type=float, default=0)
    parser.add_argument("--keep", action="store_true", help="leave the data folder and the log")
    options = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="jamjar-pairs-")
    results = []
    try:
        with closing(Relay(options)) as relay, closing(Service(options.binary, folder, relay.options)) as service:
            print("| musicians | files | first 30 s: p50 / p99 / max ms | after 30 s | bounds ms | drift ppm | gaps/lost "
                  "| stood still ms | beyond a bound |\n|---|---|---|---|---|---|---|---|---|", flush=True)
            for kind in options.kinds.split(","):
                for run in range(options.runs):
                    results.append(trial(service, folder, kind, f"{kind}-{run + 1}", options, relay.offset))
                    print(row(results[-1], "ready"), row(results[-1], "secondLook"), sep="\n", flush=True)
    finally:
        if options.keep:
            print(f"the takes are in {folder}", file=sys.stderr)
        else:
            shutil.rmtree(folder)
    for result in results:
        print(json.dumps(result))
    looks = [result[look] for result in results for look in ("ready", "secondLook")]
    if any(each.get("beyondBound", 0) for look in looks for each in summaries(look)):
        sys.exit("a bound is broken")
    if any(look["pair"]["after30"].get("p99", 0) > TARGET for look in looks):
        sys.exit(f"pairs lie more than {TARGET} ms apart")


if __name__ == "__main__":
    main()
