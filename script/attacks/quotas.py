"""Attacks of one token or one address on what everybody shares."""
import glob, os, time

from .musicians import Musicians
from .rights import SOUND, tally
from .service import KEY, token
from .websocket import WebSocket, word


def event_streams(scene):
    def open_stream(key):
        link = scene.main.connect()
        link.sendall(f"GET /v1/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {key}\r\n\r\n".encode())
        return link, int(link.recv(4096)[9:12])

    key = token("Den", "listener")
    streams = [open_stream(key) for _ in range(256)]
    operator = open_stream(KEY)
    statuses = [status for _, status in streams]
    [link.close() for link, _ in streams + [operator]]
    yield ("256 by one listener, then one by the operator", f"{tally(statuses)}; {operator[1]}",
           statuses.count(200) <= 16 and set(statuses) == {200, 429} and operator[1] == 200)


def backups(scene):
    key, path = token("Stage"), f"/v1/takes/{scene.rolling}/backups"
    # Identifiers of the form that participants have.
    people = (f"01JC0000000000000000000{number:03d}" for number in range(196))
    statuses = [scene.main.ask("POST", path, SOUND | {"participant": each}, key).status for each in people]
    yield ("196 for invented participants", tally(statuses),
           statuses.count(201) <= 16 and set(statuses) <= {201, 409, 429})


def splits(scene):
    """In a room of the attacker's own, with a musician there who plays."""
    band, key = Musicians(scene.main, "Den", ["Eve"]), token("Den")
    scene.pause(0.5)
    answer = scene.main.ask("POST", "/v1/rooms/Den/takes", {}, key)
    statuses, take = [answer.status], answer.json.get("id")
    for number in range(162):
        answer = scene.main.ask("POST", f"/v1/takes/{take}/split", {"song": f"flood {number}"}, key)
        statuses.append(answer.status)
        take = answer.json["id"] if answer.status == 201 else take
    songs = len(scene.main.ask("GET", "/v1/songs?q=flood&limit=200").json["items"])
    scene.main.ask("DELETE", "/v1/rooms/Den")
    band.finish()
    yield ("162, each with a song", f"{tally(statuses)}; {songs} songs",
           statuses.count(201) <= 24 and songs <= 24 and set(statuses) == {201, 429})


def joins(scene):
    key, words = token("Hall"), []
    for number in range(269):
        link = WebSocket(scene.main, "/v1/rooms/Hall/signal")
        words.append(word(link.join(f"guest {number}", key)))
        if words[-1] == "done":
            link.call(2, "leave")
        link.close()
    sessions = len(scene.main.ask("GET", "/v1/sessions?room=Hall").json["items"])
    files = sum(b"Hall" in open(path, "rb").read() for path in glob.glob(
        os.path.join(scene.main.data, "_library/sessions/*.json")))
    yield ("269, each leaves again", f"{tally(words)}; {sessions} sessions, {files} files",
           words.count("done") <= 140 and set(words) == {"done", "rate-limited"} and (sessions, files) == (0, 0))


def wrong_keys(scene):
    begin, source = time.monotonic(), "127.0.0.7"
    answers = [scene.main.ask("GET", "/v1/rooms", key=f"a wrong key {number:04d}", source=source)
               for number in range(600)]
    took, statuses = time.monotonic() - begin, [answer.status for answer in answers]
    late = all(answer.headers.get("Retry-After") for answer in answers if answer.status == 429)
    right = scene.main.ask("GET", "/v1/rooms", source=source).status
    yield (f"600 in {took:.1f} s, then the right one", f"{tally(statuses)}; {right}",
           statuses.count(401) <= 14 and set(statuses) == {401, 429} and late and right == 200)
