"""Attacks by clients that stay: without a token, without reading, at the end of the service."""
import json, os, select, socket, threading, time

from .rights import tally
from .service import KEY, Watch, token
from .websocket import WebSocket, word
from . import rtmp

# What documented deadlines may be late by on a busy machine, in seconds.
LATE = 3
# Resident memory of the service in MiB: whatever clients do, and after they have gone. What the allocator keeps varies
# by 100 MiB and does not add up.
MOST_MEMORY, KEPT_MEMORY = 500, 250


def head(method, path, *fields):
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: localhost", *fields, "", ""]).encode()


SLOW_BODY = head("POST", "/room", "Content-Type: application/json", "Content-Length: 200000")


def silent(service):
    return service.connect()


def slow_body(service):
    link = service.connect()
    link.sendall(SLOW_BODY)
    return link


def slow_head(service):
    link = service.connect()
    link.sendall(b"GET /room HTTP/1.1\r\nHost: localhost\r\nX-Slow: ")
    return link


def websocket(path):
    def open_link(service):
        return WebSocket(service, path).link
    return open_link


def rtmp_handshake(service):
    return rtmp.Client(service).link


def rtmp_connect(service):
    client = rtmp.Client(service)
    client.link.sendall(rtmp.connect("Stage"))
    return client.link


# What is opened, what is sent every other second, and after how many seconds the service has to be rid of it.
STAYERS = {
    "POST /room, a byte in 2 s": (slow_body, b" ", 10),
    "half a head, a byte in 2 s": (slow_head, b"x", 10),
    "a socket that says nothing": (silent, b"", 10),
    "Kurento WebSocket, never joins": (websocket("/room"), b"", 15),
    "tree WebSocket, never joins": (websocket("/kurento-tree"), b"", 15),
    "native WebSocket, empty pongs": (websocket("/v1/rooms/Stage/signal"), b"\x8a\x80\0\0\0\0", 15),
    "RTMP, handshake only": (rtmp_handshake, b"", 15),
    "RTMP, connect without a token": (rtmp_connect, b"", 15),
}


class Stay(threading.Thread):
    """One client that stays as long as it is let. `seconds` is how long that was."""

    def __init__(self, service, opening, drip, limit):
        super().__init__(daemon=True)
        self.service, self.opening, self.drip, self.limit, self.seconds = service, opening, drip, limit, None
        self.start()

    def run(self):
        begin = time.monotonic()
        try:
            link = self.opening(self.service)
            link.settimeout(2)
            while time.monotonic() - begin < self.limit + LATE:
                link.sendall(self.drip)
                try:
                    data = link.recv(65_536)
                    # The end, or the close frame of a WebSocket, which gets two seconds to answer it.
                    if not data or data.startswith(b"\x88"):
                        break
                except TimeoutError:
                    continue
            else:
                return
        except OSError:
            pass
        self.seconds = time.monotonic() - begin


def begin_to_stay(scene):
    return {name: Stay(scene.main, *stayer) for name, stayer in STAYERS.items()}


def anonymous(scene):
    """They have been there since the beginning, and are looked after at the end."""
    for name, stay in scene.stays.items():
        stay.join()
        answer = f"closed after {stay.seconds:.1f} s" if stay.seconds else "still there"
        yield name, f"{answer} (limit {stay.limit} s)", stay.seconds is not None


def few_descriptors(scene):
    """150 clients without a token that keep a service of 120 descriptors busy."""
    service, links, failed = scene.few, [], 0
    for opening in [slow_body] * 90 + [websocket("/room"), rtmp_handshake] * 30:
        try:
            links.append(opening(service))
        except OSError:
            failed += 1
            if failed > 2:
                break
    scene.pause(1)
    begin = time.monotonic()
    operator = service.ask("GET", "/v1/rooms").status
    link = WebSocket(service, "/v1/rooms/Stage/signal")
    listener = word(link.join("Lea", token("Stage", "listener"), "listener"))
    took = time.monotonic() - begin
    [each.close() for each in links + [link]]
    yield ("150 busy sockets at ulimit -n 120, then the operator, a listener",
           f"{operator}, {listener} within {took:.1f} s", operator == 200 and listener == "done" and took < 5)


def flood(sockets, data, seconds):
    """Sends `data` over and over to sockets that are never read; the bytes that went."""
    end, sent, rest = time.monotonic() + seconds, 0, {each: b"" for each in sockets}
    for each in sockets:
        each.setblocking(False)
    while time.monotonic() < end and rest:
        for each in select.select([], list(rest), [], 0.2)[1]:
            try:
                waiting = rest[each] or data
                count = each.send(waiting)
                rest[each], sent = waiting[count:], sent + count
            except BlockingIOError:
                pass
            except OSError:
                del rest[each]
    return sent


def crowd(scene, name, open_one, data, seconds):
    """128 clients with tokens that send and do not read; the service's memory while they do, and afterwards."""
    before, watch = scene.main.memory, Watch(lambda: scene.main.memory)
    sockets = [open_one(number) for number in range(128)]
    sent = flood(sockets, data, seconds) if data else scene.pause(seconds) or 0
    [each.close() for each in sockets]
    scene.pause(1)
    scene.until(lambda: scene.main.memory < before + 50, 2)
    most, after = watch.end(), scene.main.memory
    return (f"128 × {name}, {sent / 2 ** 20:.0f} MiB sent", f"{most:.0f} MiB at most, {after:.0f} afterwards "
            f"(before {before:.0f})", most < MOST_MEMORY and after < KEPT_MEMORY)


def never_reading(scene):
    keys = [token("Den", "listener", sub=f"crowd {number}") for number in range(4)]

    def rtmp_client(number):
        client = rtmp.Client(scene.main, receive_buffer=4096)
        client.enter("Den", keys[number % 4])
        return client.link

    def download(number):
        link = scene.main.connect(receive_buffer=4096)
        link.sendall(head("GET", f"/v1/takes/{scene.finished}/archive", f"Authorization: Bearer {KEY}"))
        return link

    def unfinished(number):
        link = WebSocket(scene.main, "/v1/rooms/Den/signal")
        # A message of 250,000 bytes, of which the last is missing.
        link.link.sendall(b"\x81\xff" + (250_000).to_bytes(8, "big") + bytes(4) + b"x" * 249_999)
        return link.link

    echo = rtmp.message(20, rtmp.command("echo", 9, "x" * 60_000))
    yield crowd(scene, "RTMP echoes of 60 kB, unread", rtmp_client, echo, 5)
    yield crowd(scene, "archives, unread", download, b"", 1)
    yield crowd(scene, "WebSocket messages, unfinished", unfinished, b"", 1)


def unread_archives(scene):
    """400 archives by tokens of a listener, of which nobody reads a byte, at the usual limit of descriptors."""
    service, path = scene.usual, f"/v1/takes/{scene.unread}/archive"
    before, watch, links, refused = service.memory, Watch(lambda: service.memory), [], 0
    descriptors = Watch(lambda: len(os.listdir(f"/proc/{service.process.pid}/fd")))
    for number in range(400):
        try:
            links.append(service.connect(receive_buffer=4096))
            key = token("Stage", "listener", sub=f"reader {number % 20}")
            links[-1].sendall(head("GET", path, f"Authorization: Bearer {key}"))
        except OSError:
            refused += 1
    honest = [service.ask("GET", path).status for _ in range(10)]
    honest += [service.ask("GET", "/v1/takes", key=token("Stage", "listener", sub="honest")).status for _ in range(10)]
    # Those who do not read are cut off after 30 s.
    scene.pause(33)
    honest += [service.ask("GET", path, key=token("Stage", "listener", sub="honest")).status for _ in range(10)]
    [each.close() for each in links]
    scene.until(lambda: service.memory < before + 50, 5)
    most, after = watch.end(), service.memory
    yield ("400 at ulimit -n 1024, 30 honest requests beside them",
           f"{tally(honest)}; {most:.0f} MiB and {descriptors.end()} descriptors at most, {after:.0f} MiB afterwards "
           f"(before {before:.0f}); {refused} connections refused",
           set(honest) == {200} and most < MOST_MEMORY and after < KEPT_MEMORY)


def anonymous_posts(scene):
    """Joins by POST that prove nothing, as fast as eight clients can, and honest ones by Kurento's WebSocket."""
    service, over, sent = scene.main, threading.Event(), [0] * 8
    body = b'{"jsonrpc":"2.0","id":1,"method":"joinRoom","params":{"user":"x","room":"Foyer"}}'
    request = head("POST", "/room", "Content-Type: application/json", f"Content-Length: {len(body)}") + body

    def hammer(number):
        link = None
        while not over.is_set():
            try:
                link = link or service.connect(source=f"127.0.1.{number + 1}")
                link.sendall(request)
                if not link.recv(65_536):
                    raise OSError
                sent[number] += 1
            except OSError:
                link and link.close()
                link = None

    lines = open(service.log, "rb").read().count(b"\n")
    threads = [threading.Thread(target=hammer, args=(number,), daemon=True) for number in range(8)]
    [thread.start() for thread in threads]
    begin, joined = time.monotonic(), 0
    for number in range(100):
        link = WebSocket(service, f"/room?token={token('Foyer', sub=f'guest {number}')}")
        link.send(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "joinRoom",
                              "params": {"user": f"guest {number}", "room": "Foyer"}}))
        joined += "result" in json.loads(link.frame()[1])
        link.send('{"jsonrpc": "2.0", "id": 2, "method": "leaveRoom"}')
        link.frame()
        link.close()
    took = time.monotonic() - begin
    over.set()
    [thread.join() for thread in threads]
    # Up to four lines are an honest session's; the others leave none.
    written = open(service.log, "rb").read().count(b"\n") - lines
    yield (f"{sum(sent)} in {took:.1f} s beside 100 honest joins", f"{joined} joined; {written} lines in the log",
           joined == 100 and written <= 400)


def stop(scene):
    """SIGTERM while a take rolls and clients of every dialect hang on."""
    key, links = token("Stage"), []
    for _ in range(5):
        links.append(slow_body(scene.main))
        for path in ("/v1/events", f"/v1/takes/{scene.finished}/archive"):
            link = scene.main.connect(receive_buffer=4096)
            link.sendall(head("GET", path, f"Authorization: Bearer {KEY}"))
            links.append(link)
        link = WebSocket(scene.main, "/v1/rooms/Stage/signal")
        link.join(f"Eve {len(links)}", token("Stage", "listener"), "listener")
        client = rtmp.Client(scene.main, receive_buffer=4096)
        client.enter("Stage", key)
        links += [link.link, client.link]
    flood([links[-1]], rtmp.message(20, rtmp.command("echo", 9, "x" * 60_000)), 1)
    code, took = scene.main.stop(scene.stop_limit + 10)
    [each.close() for each in links]
    yield (f"SIGTERM with {len(links)} clients that hang on", f"exit code {code} after {took:.1f} s "
           f"(limit {scene.stop_limit} s)", code in (0, 75) and took <= scene.stop_limit + 1)


def restart(scene):
    """The next start on the same data, with the backups of impossible times in it."""
    scene.main.start()
    ready = scene.main.ready()
    # The faults of old came within seconds.
    scene.pause(3)

    def states():
        return [take["state"] for take in scene.main.ask("GET", "/v1/takes?room=Stage").json["items"]]

    scene.until(lambda: not scene.main.lives or set(states()) <= {"ready", "incomplete"}, 10)
    lives = scene.main.lives
    found = states() if lives else []
    alive = "lives" if lives else "is dead"
    yield ("a start after it all",
           f"{'ready' if ready else 'not ready'}, {alive}; takes of the stage: {tally(found)}",
           ready and lives and len(found) == 3 and set(found) <= {"ready", "incomplete"})
