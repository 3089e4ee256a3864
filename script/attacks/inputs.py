"""Attacks with what a parser, a log, a browser or a folder should not have to see."""
import glob, os, re, time

from .rights import tally
from .service import token
from .websocket import WebSocket, word
from . import rtmp

EVIL = "http://evil.example"


def odd_tokens(scene):
    now = int(time.time())
    good = token("Stage")
    head, body, seal = good.split(".")
    odd = {
        "alg none": token("Stage", alg="none"),
        "none without a seal": token("Stage", alg="none").rsplit(".", 1)[0] + ".",
        "HS512 in the head": token("Stage", alg="HS512"), "another secret": token("Stage", secret="x" * 32),
        "crit": token("Stage", head={"crit": ["exp"]}), "nbf to come": token("Stage", nbf=now + 600),
        "exp 1e300": token("Stage", exp=1e300), "exp in words": token("Stage", exp="never"),
        "no exp": token("Stage", exp=None), "expired": token("Stage", exp=now - 600),
        "exp of the year 10000": token("Stage", exp=253_402_300_800), "another role": token("Stage", role="king"),
        "no seal": f"{head}.{body}", "a seal too many": f"{good}.{seal}",
        "another body": f"{head}.{body[:-2]}AA.{seal}",
        "12 kB": token("Stage", name="x" * 12_000),
    }
    # From an address each: 429 for guessing would hide what else is wrong with them.
    answers = {name: scene.main.ask("GET", "/v1/takes", key=key, source=f"127.0.1.{number}").status
               for number, (name, key) in enumerate(odd.items(), 1)}
    passed = [name for name, status in answers.items() if status not in (401, 431)]
    right = scene.main.ask("GET", "/v1/takes", key=good).status
    yield (f"{len(odd)} that are none, one that is", f"{tally(answers.values())}; {right}"
           + "".join(f"; passed: {name}" for name in passed), not passed and right == 200)


def odd_frames(scene):
    def code(*arguments, **options):
        link = WebSocket(scene.main, "/v1/rooms/Stage/signal")
        link.send(*arguments, **options)
        return link.close_code()

    ping = '{"id":1,"method":"ping","params":{"t":1}}'
    codes = [code(ping, first=0x81 | bit) for bit in (0x40, 0x20, 0x10)]
    codes += [code(ping, masked=False), code(ping, first=0x83), code(ping, first=0x09)]
    yield "RSV1 to 3, no mask, opcode 3, a ping in pieces", f"closed with {tally(codes)}", set(codes) == {1002}


def odd_hosts(scene):
    port = scene.main.port
    lines = {"none": "", "two": f"Host: localhost:{port}\r\nHost: localhost:{port}\r\n", "empty": "Host:\r\n",
             "a list": "Host: a, b\r\n", "a path": "Host: localhost/x\r\n", "an account": "Host: me@localhost\r\n"}
    statuses = {name: scene.main.raw(f"GET /healthz HTTP/1.1\r\n{line}\r\n".encode()) for name, line in lines.items()}
    yield ", ".join(lines), tally(statuses.values()), set(statuses.values()) == {400}


def forged_lines(scene):
    """Line breaks and escapes in every text that a stranger can send, without a token."""
    evil = "x\r\n2026-01-01T00:00:00Z FORGED all is well\x1b[2J"
    quoted = evil.encode().hex("%")
    quoted = "%" + quoted
    for message in (rtmp.connect(evil), rtmp.message(20, rtmp.command(evil, 2)), rtmp.shared(evil, (1, b""))):
        client = rtmp.Client(scene.main)
        client.link.sendall(message)
        scene.pause(0.1)
        client.close()
    for path in (f"/{quoted}", f"/v1/rooms/{quoted}", f"/whip/{quoted}?name={quoted}", f"/v1/takes?q={quoted}"):
        scene.main.ask("GET", path, key=None, headers={"X-Request-ID": "x\tFORGED", "User-Agent": "x\tFORGED"})
        scene.main.ask("POST", path, b"{}", key=None)
    link = WebSocket(scene.main, f"/v1/rooms/{quoted}/signal")
    if link.status == 101:
        link.join(evil, evil)
    link.close()
    kurento = {"jsonrpc": "2.0", "id": 1, "method": evil, "params": {"room": evil, "user": evil}}
    scene.main.ask("POST", "/room", kurento, key=None)
    log = open(scene.main.log, "rb").read()
    lines = [line for line in re.split(rb"[\r\n\x0b\x0c\x85]|\xe2\x80[\xa8\xa9]", log)
             if line.startswith(b"2026-01-01T00:00:00Z FORGED")]
    controls = len(re.findall(rb"[\0-\x08\x0b-\x1f\x7f]", log))
    yield ("line breaks, ESC in 15 texts", f"{len(lines)} lines forged, {controls} control characters in the log",
           not lines and not controls)


def planted_links(scene):
    """Somebody has put links in place of a take's files."""
    folder = os.path.dirname(glob.glob(os.path.join(scene.main.data, "Stage*", "*", "01-*", "mix.flac"))[0])
    track = scene.main.ask("GET", f"/v1/takes/{scene.finished}/tracks").json["items"][0]["id"]
    planted = [os.path.join(folder, "mix.flac"), sorted(glob.glob(os.path.join(folder, "01-*.flac")))[0]]
    for path in planted:
        os.rename(path, path + ".kept")
        os.symlink("/etc/passwd", path)
    answers = [scene.main.ask("GET", f"/v1/takes/{scene.finished}{end}") for end in (
        "/mix", "/archive", f"/tracks/{track}/audio", "/mix?start=0&duration=1")]
    for path in planted:
        os.remove(path)
        os.rename(path + ".kept", path)
    leaked = any(b"root:" in answer.body for answer in answers)
    after = scene.main.ask("GET", f"/v1/takes/{scene.finished}/archive").status
    yield ("mix and track are links to /etc/passwd: 4 downloads",
           f"{tally(a.status for a in answers)}; without the links {after}",
           not leaked and {a.status for a in answers} == {404} and after == 200)


def foreign_pages(scene):
    """Pages of evil.example against a service without keys (--insecure)."""
    service = scene.open
    rebound = {"Host": f"evil.example:{service.port}", "Origin": f"{EVIL}:{service.port}"}
    upgrades = [WebSocket(service, path, headers).status
                for path in ("/v1/rooms/Stage/signal", "/room", "/kurento-tree")
                for headers in (rebound, {"Origin": EVIL}, {"Origin": "null"})]
    calls = (("GET", "/v1/rooms"), ("POST", "/v1/rooms/Stage/takes", {}), ("DELETE", "/v1/rooms/Stage"))
    requests = [service.ask(*call, key=None, headers=headers).status for headers in (rebound, {"Origin": EVIL})
                for call in calls]
    requests.append(service.ask("GET", "/v1/rooms", key=None, headers={"Host": "evil.example"}).status)
    yield ("rebound Host, foreign Origin: 9 WebSockets, 7 requests", tally(upgrades + requests),
           set(upgrades + requests) == {403})
    browser = {"User-Agent": "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0",
               "Accept": "image/avif,image/webp,*/*"}
    images = {
        "": {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"},
        # Browsers send Sec-Fetch-Site to loopback and HTTPS only: not to http://192.168.1.5.
        " by plain HTTP in a LAN": {"Referer": EVIL + "/"}, ", no referrer": {}}
    for name, headers in images.items():
        status = service.ask("GET", "/close?room=Stage", key=None, headers=browser | headers).status
        lives = service.ask("GET", "/v1/rooms/Stage", key=None).json.get("live", False)
        yield (f"<img src=/close?room=…>{name}", f"{status}, the room {'lives' if lives else 'is closed'}",
               status == 403 and lives)


def seat_by_name(scene):
    """In an open room a musician loses the link; a stranger from another address comes under the name."""
    link = WebSocket(scene.open, "/v1/rooms/Cellar/signal")
    link.join("Ada")
    link.close()
    scene.pause(0.3)
    stranger = WebSocket(scene.open, "/v1/rooms/Cellar/signal", source="127.0.0.9")
    answer = word(stranger.join("Ada"))
    stranger.close()
    yield "the name of a lost musician", answer, answer == "name-taken"


def odd_texts(scene):
    link = WebSocket(scene.main, "/v1/rooms/Stage/signal")
    link.join("Ben", token("Stage", "moderator"), "listener")
    texts = ("a\0b", "a\nb", "a\x1bb", "a\u202eb", "e" + "\u0301" * 50_000)
    answers = [word(link.call(number, method, text=text)) for number, (method, text) in enumerate(
        ((method, text) for method in ("cue", "message") for text in texts), 2)]
    link.close()
    cues = [scene.main.ask("POST", f"/v1/takes/{scene.rolling}/cues", {"text": text}).status for text in texts]
    yield ("cues and messages with NUL, line break, ESC, bidi, 100 kB a character",
           f"{tally(answers)}; REST {tally(cues)}", set(answers) == {"invalid-text"} and set(cues) == {400})


def strangers_on_the_machine(scene):
    """What the data folder and the studio's pages leave open."""
    paths = [os.path.join(scene.main.data, name) for name in ("", "jamjar.sqlite", "Stage")]
    modes = [os.stat(path).st_mode & 0o007 for path in paths]
    page = scene.main.ask("GET", "/", key=None).headers
    cookie = scene.main.ask("PUT", "/v1/access", {"credential": token("Stage")}, key=None).headers.get("Set-Cookie", "")
    missing = [name for name in ("Permissions-Policy", "Cross-Origin-Opener-Policy") if name not in page]
    missing += [word for word in ("HttpOnly", "SameSite=Strict") if word not in cookie]
    yield ("modes of files, headers of pages, the cookie",
           f"open to others: {sum(map(bool, modes))}; missing: {', '.join(missing) or 'none'}",
           not any(modes) and not missing)
