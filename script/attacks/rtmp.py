"""An RTMP client of the attacks, on the messages that `script/bench-rtmp` writes."""
import importlib.machinery, importlib.util, os, struct, sys

from .service import Link

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "bench-rtmp")
LOADER = importlib.machinery.SourceFileLoader("bench_rtmp", PATH)
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench_rtmp", LOADER))
LOADER.exec_module(bench)
message, command, shared, text = bench.message, bench.command, bench.shared, bench.text


def connect(room, key=None):
    """The command `connect`, with a token in the object behind its command object."""
    body = b"\2" + text("connect") + b"\0" + struct.pack(">d", 1)
    body += b"\3" + text("app") + b"\2" + text(room) + text("tcUrl") + b"\2" + text("rtmp://attack") + b"\0\0\x09"
    if key:
        body += b"\3" + text("token") + b"\2" + text(key) + b"\0\0\x09"
    return message(20, body)


class Client(Link):
    def __init__(self, service, receive_buffer=None, source="127.0.0.1"):
        super().__init__(service.connect(service.rtmp, source, receive_buffer))
        self.link.sendall(b"\3" + bytes(1536))
        self.size = 128
        self.link.sendall(self.take(3073)[1:1537])

    def next(self):
        """The next message's type and body; the service begins every message with a whole header."""
        head = self.take(12)
        length, kind = int.from_bytes(head[4:7], "big"), head[7]
        body = self.take(min(length, self.size))
        while len(body) < length:
            self.take(1)
            body += self.take(min(length - len(body), self.size))
        if kind == 1:
            self.size = int.from_bytes(body, "big")
        return kind, body

    def reply(self, number):
        """True if the call with this number was answered by `_result`."""
        while True:
            kind, body = self.next()
            for name in (b"_result", b"_error"):
                start = b"\2" + struct.pack(">H", len(name)) + name + b"\0" + struct.pack(">d", number)
                if kind == 20 and body.startswith(start):
                    return name == b"_result"

    def enter(self, room, key=None):
        self.link.sendall(connect(room, key))
        return self.reply(1)

    def call(self, number, method, *values):
        self.link.sendall(message(20, command(method, number, *values)))
        return self.reply(number)

    def events_of_object(self):
        """The kinds of the events in the next message about a shared object."""
        while True:
            kind, body = self.next()
            if kind == 19:
                return list(events(body))

    def close(self):
        self.link.close()


def events(body):
    position = 2 + int.from_bytes(body[:2], "big") + 12
    while position + 5 <= len(body):
        yield body[position]
        position += 5 + int.from_bytes(body[position + 1:position + 5], "big")
