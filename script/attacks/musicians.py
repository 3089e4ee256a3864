#!/usr/bin/env python3
"""Musicians who play tones by plain RTP. As a program it is their process, apart from that of the attacks, so that
nothing but the service can make them late: `musicians.py PORT…` sends until its standard input ends, and prints the
number of packets."""
import ctypes, json, math, os, select, socket, struct, subprocess, sys, time

FRAME = 960  # 20 ms at 48 kHz
PAYLOAD_TYPE = 111


def packet(ssrc, sequence, sound=b"\xfc\xff\xfe"):
    """An RTP packet (RFC 3550, section 5.1); without `sound` it is 20 ms of silence."""
    sequence &= 0xFFFF
    return struct.pack(">BBHII", 0x80, PAYLOAD_TYPE, sequence, sequence * FRAME & 0xFFFFFFFF, ssrc) + sound


class Tone:
    """A tone in Opus, packet by packet, by the system's libopus. Multiples of 50 Hz fit into 20 ms, so that every
    packet begins where the last one ended."""

    def __init__(self, hertz):
        self.opus, error = ctypes.CDLL("libopus.so.0"), ctypes.c_int()
        self.opus.opus_encoder_create.restype = ctypes.c_void_p
        self.encoder = ctypes.c_void_p(self.opus.opus_encoder_create(48_000, 1, 2049, ctypes.byref(error)))
        self.samples = (ctypes.c_int16 * FRAME)(
            *(int(8_000 * math.sin(2 * math.pi * hertz * n / 48_000)) for n in range(FRAME)))
        self.bytes = ctypes.create_string_buffer(1500)

    def next(self):
        return self.bytes.raw[:self.opus.opus_encode(self.encoder, self.samples, FRAME, self.bytes, len(self.bytes))]


class Musicians:
    """Plain RTP inputs in one room, and the process that plays into them."""

    def __init__(self, service, room, names):
        self.service, self.room = service, room
        self.inputs = [service.ask("POST", f"/v1/rooms/{room}/rtp", {
            "name": name, "profile": "RTP/AVP", "payloadType": PAYLOAD_TYPE, "part": "tone"}).json for name in names]
        ports = [str(each["port"]) for each in self.inputs]
        self.process = subprocess.Popen([sys.executable, os.path.abspath(__file__), *ports], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE)

    @property
    def participants(self):
        return [each["participant"] for each in self.inputs]

    def finish(self):
        """The number of packets that each has sent."""
        return json.loads(self.process.communicate()[0])


def play(ports):
    players = [(port, 1000 + port, Tone(200 + 100 * index)) for index, port in enumerate(ports)]
    sockets = {port: socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for port in ports}
    sequence, next_time = 0, time.monotonic()
    while not select.select([sys.stdin], [], [], max(0, next_time - time.monotonic()))[0]:
        for port, ssrc, tone in players:
            sockets[port].sendto(packet(ssrc, sequence, tone.next()), ("127.0.0.1", port))
        sequence, next_time = sequence + 1, next_time + 0.02
    print(json.dumps(sequence))


if __name__ == "__main__":
    play([int(port) for port in sys.argv[1:]])
