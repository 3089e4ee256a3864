"""A service under attack: how it is started, asked, watched and stopped. Nothing but the standard library."""
import base64, glob, hashlib, hmac, http.client, json, os, re, resource, signal, socket, subprocess, threading, time

SECRET = "a secret of thirty-two bytes, at least"
KEY = "the-operators-own-key"


def token(room, role="musician", alg="HS256", secret=SECRET, head=None, **claims):
    """A join token; further claims replace those that it has by itself."""
    body = {"room": room, "role": role, "exp": int(time.time()) + 3600, "iat": int(time.time()), **claims}
    text = ".".join(base64.urlsafe_b64encode(part.encode()).rstrip(b"=").decode()
                    for part in (json.dumps({"alg": alg, "typ": "JWT", **(head or {})}), json.dumps(body)))
    seal = hmac.new(secret.encode(), text.encode(), hashlib.sha256).digest()
    return text + "." + base64.urlsafe_b64encode(seal).rstrip(b"=").decode()


def free_ports(count):
    sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    ports = [each.getsockname()[1] for each in sockets]
    [each.close() for each in sockets]
    return ports


class Link:
    """A connection of an attacking client that is read by numbers of bytes."""

    def __init__(self, link):
        self.link, self.rest = link, b""

    def take(self, count):
        while len(self.rest) < count:
            more = self.link.recv(65_536)
            if not more:
                raise ConnectionError("the service hung up")
            self.rest += more
        data, self.rest = self.rest[:count], self.rest[count:]
        return data


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Service:
    """One process of `jamjar serve` on loopback, with a data folder and a log of its own."""

    def __init__(self, binary, folder, *options, has_keys=True, descriptors=None):
        os.makedirs(folder)
        self.data, self.log = os.path.join(folder, "data"), os.path.join(folder, "log")
        self.port, self.rtmp = free_ports(2)
        self.descriptors = descriptors
        self.command = [binary, "serve", "--port", str(self.port), "--rtmp-port", str(self.rtmp), "--data", self.data,
                        "--recording", "manual", *options]
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith("JAMJAR_")}
        if has_keys:
            self.environment |= {"JAMJAR_JOIN_SECRET": SECRET, "JAMJAR_API_KEYS": KEY}
        self.start()

    def start(self):
        def limit():
            if self.descriptors:
                resource.setrlimit(resource.RLIMIT_NOFILE, (self.descriptors, self.descriptors))
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                self.command, env=self.environment, stdout=log, stderr=log, preexec_fn=limit)

    def ready(self, seconds=20):
        """Waits until musicians can join; false if the service did not come up or went away again."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.lives:
            try:
                if self.ask("GET", "/readyz").status == 200:
                    return True
            except OSError:
                pass
            time.sleep(0.05)
        return False

    @property
    def lives(self):
        return self.process.poll() is None

    def ask(self, method, path, body=None, key=KEY, headers=(), source="127.0.0.1", timeout=10):
        """One request on a connection of its own. `body`: bytes as they are, anything else as JSON."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout, source_address=(source, 0))
        fields = {"Authorization": f"Bearer {key}"} if key else {}
        if body is not None and not isinstance(body, bytes):
            fields["Content-Type"], body = "application/json", json.dumps(body, ensure_ascii=False).encode()
        try:
            connection.request(method, path, body, fields | dict(headers))
            reply = connection.getresponse()
            return Answer(reply.status, reply.headers, reply.read())
        finally:
            connection.close()

    def connect(self, port=None, source="127.0.0.1", receive_buffer=None):
        """A socket to the service; a small receive buffer lets what is not read wait on the service's side."""
        link = socket.socket()
        if receive_buffer:
            link.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        link.settimeout(10)
        link.bind((source, 0))
        link.connect(("127.0.0.1", port or self.port))
        return link

    def raw(self, request, source="127.0.0.1"):
        """The status of the reply to bytes as they are; 0 if the service hung up."""
        with self.connect(source=source) as link:
            link.sendall(request)
            line = re.match(rb"HTTP/1\.1 (\d+)", link.recv(4096))
            return int(line.group(1)) if line else 0

    def stop(self, seconds=30):
        """SIGTERM. Returns the exit code and how long it took; a service that does not end is killed: no code."""
        begin = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds), time.monotonic() - begin
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            return None, time.monotonic() - begin

    @property
    def memory(self):
        """Resident memory in MiB."""
        try:
            with open(f"/proc/{self.process.pid}/status") as status:
                return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024
        except (OSError, AttributeError):
            return 0.0

    def children(self, name):
        """The number of child processes whose command line has `name` in it."""
        count = 0
        for path in glob.glob(f"/proc/{self.process.pid}/task/*/children"):
            try:
                for child in open(path).read().split():
                    count += name.encode() in open(f"/proc/{child}/cmdline", "rb").read().split(b"\0")[0]
            except OSError:
                pass
        return count


class Watch:
    """Remembers the greatest value of `measure`, looked at ten times a second."""

    def __init__(self, measure):
        self.measure, self.greatest, self.over = measure, 0, threading.Event()
        self.thread = threading.Thread(target=self.run, daemon=True)
        self.thread.start()

    def run(self):
        while not self.over.wait(0.1):
            self.greatest = max(self.greatest, self.measure())

    def end(self):
        self.over.set()
        self.thread.join()
        return self.greatest
