"""A WebSocket client (RFC 6455) that can also do what no good client does."""
import base64, json, os, re, struct

from .service import Link


class WebSocket(Link):
    """A link of the native protocol or another dialect. `status` is that of the upgrade's reply."""

    def __init__(self, service, path, headers=(), source="127.0.0.1"):
        super().__init__(service.connect(source=source))
        fields = {"Host": f"127.0.0.1:{service.port}", "Upgrade": "websocket", "Connection": "Upgrade",
                  "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode()}
        lines = [f"{name}: {value}" for name, value in (fields | dict(headers)).items()]
        self.link.sendall("\r\n".join([f"GET {path} HTTP/1.1", *lines, "", ""]).encode())
        while b"\r\n\r\n" not in self.rest and (more := self.link.recv(65_536)):
            self.rest += more
        head, _, self.rest = self.rest.partition(b"\r\n\r\n")
        self.status = int((re.match(rb"HTTP/1\.1 (\d+)", head) or [0, 0])[1])

    def send(self, text, first=0x81, masked=True):
        """One frame; `first` is its first byte, with the bits FIN and RSV and the opcode."""
        data = text if isinstance(text, bytes) else text.encode()
        size, bit = len(data), 0x80 if masked else 0
        if size < 126:
            length = bytes([bit | size])
        else:
            length = struct.pack(">BH", bit | 126, size) if size < 65_536 else struct.pack(">BQ", bit | 127, size)
        # A mask of zeros is a mask, and leaves the data as they are.
        self.link.sendall(bytes([first]) + length + (bytes(4) if masked else b"") + data)

    def frame(self):
        """The next frame's opcode and data."""
        first, size = self.take(2)
        if size == 126:
            size, = struct.unpack(">H", self.take(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.take(8))
        return first & 15, self.take(size)

    def close_code(self):
        """Reads on to the close; 1006 if there was none."""
        try:
            while True:
                opcode, data = self.frame()
                if opcode == 8:
                    return struct.unpack(">H", data[:2])[0] if len(data) > 1 else 1005
        except OSError:
            return 1006

    def call(self, number, method, **params):
        """The answer to a request of the native protocol; events before it are passed over."""
        self.send(json.dumps({"id": number, "method": method, "params": params}, ensure_ascii=False))
        while True:
            opcode, data = self.frame()
            if opcode == 1 and (answer := json.loads(data)).get("id") == number:
                return answer

    def join(self, name, key=None, role="musician"):
        params = {"name": name, "role": role, "consent": True} | ({"token": key} if key else {})
        return self.call(1, "join", **params)

    def close(self):
        self.link.close()


def word(answer):
    """The code of an error, or "done"."""
    return answer.get("error", {}).get("code", "done")
