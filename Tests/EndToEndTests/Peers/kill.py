"""Kills a recording service at random moments, starts it again, and checks what is left of every take.

Usage: kill.py JAMJAR --kills 200 [--rooms 4] [--seed 1] [--seconds 0.3 2.5] [--power]

With --power its render processes are killed as well, as by a loss of power: the next start renders what came after the
last checkpoint. The first is made after some 35 s, so that --seconds should be longer.

Every take must be finished by the next start by itself, hold every packet that was sent up to 200 ms before the kill
and none twice or out of nowhere, and its files must be there. Prints one JSON object; exits with 1 where a take lost
more. Sends real Opus as plain RTP, three musicians to a room.
"""
import argparse, glob, json, os, random, shutil, signal, socket, struct, subprocess, sys, tempfile, threading, time
import urllib.error, urllib.request

PACKET = 0.02
ALLOWED = 0.2


def opus_packets(folder):
    """Packets of 20 ms of music-like noise, out of an Ogg file made by ffmpeg (RFC 3533, RFC 7845)."""
    path = os.path.join(folder, "source.ogg")
    subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "anoisesrc=d=4:c=pink:a=0.3", "-c:a", "libopus",
                    "-b:a", "96k", "-frame_duration", "20", path], check=True)
    data, packets, pending, place = open(path, "rb").read(), [], b"", 0
    while place + 27 <= len(data):
        count = data[place + 26]
        lengths = data[place + 27:place + 27 + count]
        body = place + 27 + count
        for length in lengths:
            pending += data[body:body + length]
            body += length
            if length < 255:
                packets.append(pending)
                pending = b""
        place = body
    return packets[2:]


class Service:
    def __init__(self, binary, folder):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.log = open(os.path.join(folder, "log"), "ab")
        self.process = subprocess.Popen(
            [binary, "serve", "--port", str(self.port), "--data", os.path.join(folder, "data")],
            stdout=self.log, stderr=self.log)
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            try:
                if self.get("/readyz") is not None:
                    return
            except (OSError, urllib.error.HTTPError):
                time.sleep(0.02)
        raise SystemExit("the service did not become ready")

    def get(self, path):
        with urllib.request.urlopen(self.address + path) as answer:
            return answer.read()

    def post(self, path, body):
        request = urllib.request.Request(self.address + path, json.dumps(body).encode(),
                                         {"Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


class Senders(threading.Thread):
    """All musicians of a run; notes when each packet left."""

    def __init__(self, service, rooms, packets):
        super().__init__(daemon=True)
        self.packets, self.stop, self.streams = packets, False, []
        for room in rooms:
            for number in range(3):
                ssrc = random.getrandbits(32)
                answer = service.post(f"/v1/rooms/{room}/rtp", {
                    "name": f"player {number + 1}", "profile": "RTP/AVP", "payloadType": 111, "ssrc": ssrc})
                self.streams.append({"room": room, "name": f"player {number + 1}", "ssrc": ssrc, "sent": [],
                                     "to": (answer["host"], answer["port"]), "first": random.getrandbits(16)})

    def run(self):
        out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        start, index = time.monotonic(), 0
        while not self.stop:
            for stream in self.streams:
                header = struct.pack(">BBHII", 0x80, 111, (stream["first"] + index) & 0xFFFF, index * 960, stream["ssrc"])
                stream["sent"].append(time.monotonic())
                out.sendto(header + self.packets[index % len(self.packets)], stream["to"])
            index += 1
            time.sleep(max(0, start + index * PACKET - time.monotonic()))


def children(parent):
    """The processes that a process started."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                state = file.read()
        except OSError:
            continue
        # The name, in brackets, may hold anything.
        if int(state.rpartition(")")[2].split()[1]) == parent:
            found.append(int(path.split("/")[2]))
    return found


def cut_power(service):
    """Kills a service with its children, none of which notices the end of another."""
    workers = children(service.process.pid)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    service.process.send_signal(signal.SIGKILL)
    for worker in workers:
        os.kill(worker, signal.SIGKILL)


def journal(path):
    """Sequence numbers of the RTP frames of each SSRC, in the order of the journal (docs/journal.md)."""
    data = open(path, "rb").read()
    place = 16 + struct.unpack_from("<I", data, 12)[0] + 4
    found = {}
    while place + 24 <= len(data):
        length, kind = struct.unpack_from("<IB", data, place + 4)
        if place + 24 + length > len(data):
            break
        if kind == 3:
            number, _, ssrc = struct.unpack_from(">HII", data, place + 24 + 2)
            found.setdefault(ssrc, []).append(number)
        place += 24 + length
    return found


def faults(home, manifest):
    """What is wrong with the files that a take's manifest names. Others may be in the making beside them: those of a
    second look, or copies for listening."""
    with open(manifest) as file:
        files = json.load(file)["files"]
    if not any(file["role"] == "mix" for file in files):
        yield "the manifest names no mix"
    for file in files:
        path = os.path.join(home, file["name"])
        if not os.path.exists(path) or not os.path.getsize(path):
            yield f"{file['name']} is missing or empty"


def check(folder, senders, killed):
    """What each stream lost, in seconds before the kill; and what is wrong with its take."""
    losses, problems = [], []
    for room in sorted({stream["room"] for stream in senders.streams}):
        manifests = glob.glob(os.path.join(folder, "data", room, "*", "*", "manifest.json"))
        if len(manifests) != 1:
            problems.append(f"{room}: {len(manifests)} finished takes")
            continue
        home = os.path.dirname(manifests[0])
        problems += [f"{room}: {fault}" for fault in faults(home, manifests[0])]
        found = journal(os.path.join(home, "take.journal"))
        for stream in (stream for stream in senders.streams if stream["room"] == room):
            numbers = found.get(stream["ssrc"], [])
            wanted = [(stream["first"] + index) & 0xFFFF for index in range(len(numbers))]
            if numbers != wanted:
                problems.append(f"{room}, {stream['name']}: the journal is no prefix of what was sent")
            kept = len(numbers)
            missing = [sent for sent in stream["sent"][kept:] if sent < killed]
            losses.append(killed - missing[0] if missing else 0.0)
    return losses, problems


def states(service):
    """The state of the newest take of each room."""
    return {take["room"]: take["state"] for take in reversed(json.loads(service.get("/v1/takes?limit=100"))["items"])}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rooms", type=int, default=4)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, nargs=2, default=(0.3, 2.5))
    parser.add_argument("--power", action="store_true")
    options = parser.parse_args()
    random.seed(options.seed)
    folder = tempfile.mkdtemp(prefix="jamjar-kill-")
    packets = opus_packets(folder)
    losses, problems, recovery, checkpoints = [], [], [], 0
    service = Service(options.binary, folder)
    for kill in range(options.kills):
        rooms = [f"kill-{kill}-{number}" for number in range(options.rooms)]
        senders = Senders(service, rooms, packets)
        senders.start()
        # On a busy machine the first packets wait for their turn; without a take there is nothing to kill.
        deadline = time.monotonic() + 20
        while not set(rooms) <= set(states(service)) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(random.uniform(*options.seconds))
        killed = time.monotonic()
        if options.power:
            cut_power(service)
        else:
            service.process.send_signal(signal.SIGKILL)
        service.process.wait()
        senders.stop = True
        senders.join()
        checkpoints += len(glob.glob(os.path.join(folder, "data", "kill-*", "*", "*", "render-checkpoint")))
        began = time.monotonic()
        service = Service(options.binary, folder)
        while time.monotonic() < began + 30 + options.seconds[1]:
            known = states(service)
            if all(known.get(room) in ("incomplete", "ready", "failed") for room in rooms):
                break
            time.sleep(0.02)
        recovery.append(time.monotonic() - began)
        lost, wrong = check(folder, senders, killed)
        losses += lost
        problems += wrong
        for room in rooms:
            shutil.rmtree(os.path.join(folder, "data", room), ignore_errors=True)
    service.process.terminate()
    service.process.wait()
    losses.sort()
    late = [loss for loss in losses if loss > ALLOWED]
    print(json.dumps({
        "kills": options.kills, "takesWithCheckpoint": checkpoints, "tracks": len(losses), "tracksThatLostMore": len(late), "problems": problems[:20],
        "lossMillisecondsMedian": round(1e3 * losses[len(losses) // 2], 1) if losses else None,
        "lossMillisecondsMax": round(1e3 * losses[-1], 1) if losses else None,
        "recoverySecondsMedian": round(sorted(recovery)[len(recovery) // 2], 2),
        "recoverySecondsMax": round(max(recovery), 2)}))
    if late or problems:
        sys.exit(f"the service's log is in {folder}/log")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
