"""Attacks on plain RTP: the service as an amplifier, and reports for somebody else."""
import select, socket, time

from . import rtmp
from .musicians import packet
from .service import token

# IPv4 and UDP headers, which the line carries and a count of payloads would leave out.
HEADERS = 28


class Sender:
    def __init__(self, port):
        self.port, self.sent, self.received = port, 0, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))

    def send(self, ssrc, sequence):
        data = packet(ssrc, sequence)
        self.socket.sendto(data, ("127.0.0.1", self.port))
        self.sent += len(data) + HEADERS

    def listen(self, seconds):
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if select.select([self.socket], [], [], left)[0]:
                self.received += len(self.socket.recv(2048)) + HEADERS

    def __str__(self):
        return f"{self.sent} B sent, {self.received} B back (× {self.received / max(1, self.sent):.2f})"


def reflection(scene):
    """Few packets with great holes between them: every hole is worth a request for what is missing."""
    def open_input(name):
        body = {"name": name, "profile": "RTP/AVP", "payloadType": 111}
        return scene.main.ask("POST", "/v1/rooms/Echo/rtp", body).json["port"]

    port = open_input("two")
    two = Sender(port)
    [two.send(7, sequence) for sequence in (1, 500)]
    two.listen(1.5)
    yield "two packets, 498 missing", str(two), two.received <= 3 * two.sent
    latched = Sender(open_input("latched"))
    [latched.send(7, sequence) for sequence in (1, 2, 3, 400)]
    latched.listen(1.5)
    yield "four packets, 396 missing", str(latched), latched.received <= 3 * latched.sent
    steady = Sender(open_input("steady"))
    for step in range(100):
        steady.send(7, step if step < 3 else step * 100)
        steady.listen(0.02)
    yield "100 packets, 99 missing after each", str(steady), steady.received <= 3 * steady.sent


def takeover(scene):
    """A stranger sends with a musician's SSRC, to get that musician's reports."""
    target = scene.band.inputs[0]["port"]
    stranger = Sender(target)
    for sequence in range(50):
        stranger.send(1000 + target, sequence * 100)
        stranger.listen(0.02)
    yield "50 packets with a musician's SSRC", str(stranger), stranger.received == 0


def transcoders(scene):
    """24 AAC plays of one musician by three connections: one process encodes for them all."""
    def play(client):
        for number in range(2, 10):
            client.link.sendall(rtmp.message(20, rtmp.command("createStream", number)))
        for stream in range(1, 9):
            body = rtmp.command("play", 20, "Ada")
            client.link.sendall(bytes([3, 0, 0, 0]) + len(body).to_bytes(3, "big") + b"\x14"
                                + stream.to_bytes(4, "little") + chunked(body))

    clients = []
    for _ in range(3):
        client = rtmp.Client(scene.main)
        if client.enter("Stage", token("Stage", "listener")):
            play(client)
        clients.append(client)
    scene.pause(2)
    children = scene.main.children("jamjar-codec")
    [client.close() for client in clients]
    scene.until(lambda: scene.main.children("jamjar-codec") == 0, 10)
    left = scene.main.children("jamjar-codec")
    yield ("24 AAC plays by three connections", f"{children} processes, {left} afterwards",
           children == 1 and left == 0)


def chunked(body):
    return bytes([0xC3]).join(body[i:i + 128] for i in range(0, len(body), 128))
