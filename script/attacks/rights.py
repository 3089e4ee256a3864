"""Attacks with a valid token on what it does not open: other rooms, and what its role may not do."""
from .service import token
from .websocket import WebSocket, word
from . import rtmp

SOUND = {"sampleRate": 48_000, "channels": 1, "format": "s24le"}
FIRST_PIECE = {"Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?0"}
WHOLE = FIRST_PIECE | {"Upload-Complete": "?1"}


def tally(values):
    """What came how often: "404 × 12, 200"."""
    counts = {}
    for value in values:
        counts[value] = counts.get(value, 0) + 1
    return ", ".join(f"{value} × {count}" if count > 1 else f"{value}" for value, count in counts.items())


def poisoned_times(scene):
    """Backups that began outside of all clocks, then at the ends of what is taken, complete at once."""
    service, key = scene.main, token("Stage")
    path = f"/v1/takes/{scene.finished}/backups"

    def begin(time):
        body = SOUND | {"participant": scene.band.participants[0], "startedAt": time}
        return service.ask("POST", path, body, key)

    refused = [begin(time).status for time in (
        "0001-01-01T00:00:00Z", "1733-12-31T23:59:59Z", "-0001-01-01T00:00:00Z", "2200-01-01T00:00:00Z",
        "9999-12-31T23:59:59Z", "99999999999-01-01T00:00:00Z")]
    yield "backups from the years 1, 1733, 2200, 9999", tally(refused), set(refused) == {400}
    ends = []
    for time in ("1970-01-01T00:00:00Z", "2199-12-31T23:59:59Z"):
        begun = begin(time)
        sent = service.ask("PATCH", begun.headers.get("Location", "/"), bytes(4 * 3 * 48_000), key, WHOLE)
        ends += [begun.status, sent.status]
    scene.pause(1)
    yield ("complete ones from 1970 and 2199", f"{tally(ends)}; the service {'lives' if service.lives else 'is dead'}",
           service.lives and ends == [201, 204] * 2)


def foreign_exports(scene):
    """The owner of another room asks for an export by its identifier."""
    service, key, path = scene.main, token("Den", "owner"), f"/v1/exports/{scene.export}"
    answers = [service.ask("GET", path, key=key), service.ask("GET", path + "/file", key=key),
               service.ask("DELETE", path, key=key),
               service.ask("POST", f"/v1/takes/{scene.finished}/exports", {"kind": "archive"}, key)]
    listed = len(service.ask("GET", "/v1/exports", key=key).json["items"])
    kept = service.ask("GET", path + "/file").status
    yield ("read, download, delete, request; list", f"{tally(a.status for a in answers)}; {listed} listed; "
           f"afterwards the operator gets {kept}", {a.status for a in answers} == {404} and (listed, kept) == (0, 200))


def foreign_backups(scene):
    """The same with a backup that a musician is sending."""
    service, key, path = scene.main, token("Den", "owner"), f"/v1/backups/{scene.backup}"
    takes = f"/v1/takes/{scene.finished}/backups"
    answers = [service.ask("GET", path, key=key), service.ask("HEAD", path, key=key),
               service.ask("PATCH", path, bytes(300), key, FIRST_PIECE), service.ask("DELETE", path, key=key),
               service.ask("GET", takes, key=key),
               service.ask("POST", takes, SOUND | {"participant": scene.band.participants[1]}, key)]
    offset = service.ask("HEAD", path).headers.get("Upload-Offset")
    yield ("read, append, delete, begin one", f"{tally(a.status for a in answers)}; {offset} bytes as before",
           {a.status for a in answers} == {404} and offset == "0")


def foreign_takes(scene):
    """The same with takes, one finished, one rolling."""
    service, key, path = scene.main, token("Den", "owner"), f"/v1/takes/{scene.finished}"
    reads = [service.ask("GET", path + end, key=key).status for end in (
        "", "/tracks", "/mix", "/peaks", "/archive", "/manifest", "/cues")]
    track = service.ask("GET", path + "/tracks").json["items"][0]["id"]
    reads.append(service.ask("GET", f"{path}/tracks/{track}/audio", key=key).status)
    writes = [service.ask(*request, key=key).status for request in (
        ("PATCH", path, {"title": "mine"}), ("DELETE", path), ("POST", path + "/cues", {"text": "x", "position": 1}),
        ("POST", f"/v1/takes/{scene.rolling}/stop"), ("POST", f"/v1/takes/{scene.rolling}/split", {}))]
    yield "read 8 ways, change 5 ways", tally(reads + writes), set(reads + writes) == {404}
    room = [service.ask(*request, key=key).status for request in (
        ("POST", "/v1/rooms/Stage/takes", {}), ("DELETE", "/v1/rooms/Stage"), ("GET", "/v1/rooms/Stage"),
        ("GET", "/v1/rooms/Stage/objects/score"), ("GET", "/close?room=Stage"))]
    yield "start a take, read, close the room", tally(room), set(room) <= {403, 404}


def listener_over_rest(scene):
    service, key = scene.main, token("Stage", "listener")
    rolling, finished, room = (f"/v1/takes/{scene.rolling}", f"/v1/takes/{scene.finished}", "/v1/rooms/Stage")
    answers = [service.ask(*request, key=key).status for request in (
        ("POST", room + "/takes", {}), ("POST", rolling + "/stop"), ("POST", rolling + "/split", {}),
        ("POST", rolling + "/cues", {"text": "x"}), ("PATCH", finished, {"title": "x"}), ("DELETE", finished),
        ("POST", finished + "/exports", {"kind": "archive"}), ("DELETE", f"/v1/exports/{scene.export}"),
        ("POST", finished + "/backups", SOUND | {"participant": scene.band.participants[0]}),
        ("DELETE", f"/v1/backups/{scene.backup}"), ("PATCH", room + "/objects/score", {"slots": {"tempo": 1}}),
        ("POST", room + "/push", {"name": "x", "arguments": []}), ("DELETE", room), ("GET", "/close?room=Stage"),
        ("DELETE", f"{room}/members/{scene.band.participants[0]}"), ("POST", "/v1/songs", {"title": "x"}),
        ("POST", room + "/rtp", {"name": "x", "profile": "RTP/AVP", "payloadType": 111}),
        ("POST", "/v1/tokens/revocations", {"room": "Stage"}))]
    yield f"{len(answers)} changes", tally(answers), set(answers) == {403}


def listener_over_websocket(scene):
    key = token("Stage", "listener")
    link = WebSocket(scene.main, "/v1/rooms/Stage/signal")
    seat = word(link.join("Eve", key, "musician"))
    link.join("Eve", key, "listener")
    answers = [word(link.call(number, method, **params)) for number, (method, params) in enumerate((
        ("takeStart", {}), ("takeStop", {}), ("takeSplit", {}), ("cue", {"text": "x"}),
        ("objectChange", {"object": "score", "changes": [{"set": {"tempo": 1}}]}),
        ("kick", {"participant": scene.band.participants[0]})), 2)]
    link.call(20, "objectUse", object="score", persistent=True)
    answers.append(word(link.call(21, "objectChange", object="score", changes=[{"set": {"tempo": 1}}])))
    link.close()
    yield "a seat; 7 changes", f"{seat}; {tally(answers)}", seat == "forbidden" and set(answers) == {"forbidden"}
    yield kept(scene)


def listener_over_rtmp(scene):
    client = rtmp.Client(scene.main)
    entered = client.enter("Stage", token("Stage", "listener"))
    taken = [method for number, (method, *values) in enumerate((
        ("take.start",), ("take.start", "song"), ("take.stop",), ("take.split",), ("take.cue", "x"),
        ("song.set", "x")), 2)
        if client.call(number, method, *values)]
    client.link.sendall(rtmp.shared("score", (1, b""), persistent=True))
    first = client.events_of_object()
    tempo = rtmp.text("tempo") + b"\0" + bytes(8)
    client.link.sendall(rtmp.shared("score", (3, tempo), persistent=True))
    second = client.events_of_object()
    client.close()
    yield ("6 methods, a write to an object", f"{len(taken)} methods carried out; events {first}, {second}",
           entered and not taken and 7 in second and 5 not in second)
    yield kept(scene)


def kept(scene):
    """What the listener tried to change, as it is."""
    room = scene.main.ask("GET", "/v1/rooms/Stage").json
    tempo = scene.main.ask("GET", "/v1/rooms/Stage/objects/score").json["slots"].get("tempo")
    rolls = room["take"] is not None and room["take"]["id"] == scene.rolling
    return "(afterwards)", f"the take {'rolls' if rolls else 'is over'}, tempo is {tempo:g}", rolls and tempo == 120
