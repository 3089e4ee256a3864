"""Plays the clients of Kurento Room and Kurento Tree against a service, each in its own way and with its own strictness:
NBMRoomClient (iOS), KurentoRoom.js, kurento-room-client (Java), KurentoRoomAPI (Android). docs/kurento.md lists the checks.

Usage: kurento_clients.py http://HOST:PORT     a line for each check; exit code 1 if one failed. The service has no keys.
"""
import asyncio, base64, json, os, sys, time
import aiohttp

PATIENCE = 30


class Failed(Exception):
    pass


def demand(condition, sentence):
    if not condition:
        raise Failed(sentence)


def offer(direction, kinds, mids):
    """A description as the client's WebRTC library writes it: sections of `kinds` under `mids`."""
    lines = ["v=0", "o=- 4611731400430051336 2 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE " + " ".join(mids)]
    for kind, mid in zip(kinds, mids):
        protocol = {"data": "DTLS/SCTP 5000"}.get(kind, "UDP/TLS/RTP/SAVPF " + {"audio": "111", "video": "100"}.get(kind, ""))
        lines += [f"m={'application' if kind == 'data' else kind} 9 {protocol}", "c=IN IP4 0.0.0.0", "a=ice-ufrag:abcd",
                  "a=ice-pwd:0123456789abcdefghijklmn", "a=setup:actpass", f"a=mid:{mid}",
                  "a=fingerprint:sha-256 7B:8B:F0:65:5F:78:E2:51:3B:AC:6F:F3:3F:46:1B:35:DC:B8:5F:64:1A:24:C2:43:F0:A1:58:D0:A1:2C:19:08"]
        if kind == "data":
            lines.append("a=sctpmap:5000 webrtc-datachannel 1024")
        else:
            codec = "opus/48000/2" if kind == "audio" else "VP8/90000"
            lines += ["a=" + direction, "a=rtcp-mux", f"a=rtpmap:{111 if kind == 'audio' else 100} {codec}"]
    return "".join(line + "\r\n" for line in lines)


class Habits:
    """What tells one client from the others."""

    def __init__(self, name, headers, first, index, publish, receive, streams, leaves):
        self.name, self.headers, self.first, self.index = name, headers, first, index
        self.publish, self.receive, self.streams, self.leaves = publish, receive, streams, leaves


BOTH = ("audio", "video")
CLIENTS = [
    # Every connection offers sound and picture both ways, and data for the demonstration; candidates may have no mid.
    Habits("ios", {"Origin": "http://localhost", "Sec-WebSocket-Protocol": ""}, 0, int,
           offer("sendrecv", BOTH + ("data",), ("audio", "video", "data")), offer("sendrecv", BOTH, ("audio", "video")),
           "always", "close"),
    Habits("js", {"Origin": "ORIGIN", "User-Agent": "Mozilla/5.0"}, 0, int,
           offer("sendonly", BOTH, ("0", "1")), offer("recvonly", BOTH, ("0", "1")), "any", "leave"),
    Habits("java", {"User-Agent": "Jetty/9.4", "Accept-Encoding": "gzip", "Pragma": "no-cache"}, 1, int,
           offer("sendonly", ("audio",), ("audio",)), offer("recvonly", BOTH, ("audio", "video")), "any", "break"),
    # Neither Origin nor User-Agent; the index of a line is a text.
    Habits("android", {}, 7, str,
           offer("sendrecv", BOTH, ("audio", "video")), offer("recvonly", BOTH, ("audio", "video")), "publishing", "close"),
]


class Client:
    """One session of a client; every message has to pass the strictest reader that there is."""

    def __init__(self, stage, habits, path="/room"):
        self.stage, self.habits, self.path = stage, habits, path
        self.id, self.session, self.notifications, self.waiting, self.order = habits.first, None, [], {}, []

    async def __aenter__(self):
        headers = {key: self.stage.url if value == "ORIGIN" else value for key, value in self.habits.headers.items()}
        self.socket = await self.stage.http.ws_connect(
            self.stage.url.replace("http", "ws") + self.path, headers=headers, max_msg_size=0, autoclose=True,
            compress=15 if self.habits.name == "js" else 0)
        self.changed = asyncio.Event()
        self.reader = asyncio.create_task(self.read())
        return self

    async def __aexit__(self, *_):
        self.reader.cancel()
        await self.socket.close()

    async def read(self):
        async for message in self.socket:
            self.take(message.data)
            self.changed.set()
        self.changed.set()

    def take(self, text):
        """What iOS, JS and Android drop without a word is a fault here."""
        try:
            message = json.loads(text)
            demand(message.get("jsonrpc") == "2.0", "no version")
            if "method" in message:
                demand("id" not in message, "a notification with an id")
                demand(isinstance(message.get("params"), dict), "a notification without parameters")
                self.notifications.append((message["method"], message["params"]))
                self.order.append(message["method"])
                return
            demand(("result" in message) != ("error" in message), "both result and error, or neither")
            demand(type(message["id"]) is int, "an id that is no number")
            body = message.get("result", message.get("error"))
            demand(isinstance(body, dict) and isinstance(body.get("sessionId"), str), "no session")
            demand(self.session in (None, body["sessionId"]), "another session")
            self.session = body["sessionId"]
            if "error" in message:
                demand(type(body.get("code")) is int and body["code"] != 0, "a code that is no number")
                demand(isinstance(body.get("message"), str) and body.get("data") == body["message"], "no sentence in data")
            self.order.append(message["id"])
            self.waiting.setdefault(message["id"], []).append(message)
        except (Failed, KeyError, ValueError) as problem:
            self.stage.faults.append(f"{self.habits.name}: {problem}: {text[:200]}")

    async def until(self, what, found):
        end = time.monotonic() + PATIENCE
        while True:
            value = found()
            if value:
                return value
            self.changed.clear()
            demand(time.monotonic() < end, f"{what} did not come")
            try:
                await asyncio.wait_for(self.changed.wait(), max(0.01, end - time.monotonic()))
            except asyncio.TimeoutError:
                pass

    async def post(self, method, params=None, id=None):
        if id is None:
            id, self.id = self.id, self.id + 1
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        if self.habits.name == "java" and self.session:
            params = {**(params or {}), "sessionId": self.session}
        if params is not None or self.habits.name == "js":
            message["params"] = params or {}
        await self.socket.send_str(json.dumps(message))
        return id

    async def answer(self, id):
        return (await self.until(f"the answer to {id}", lambda: self.waiting.get(id))).pop(0)

    async def call(self, method, params=None, id=None):
        return await self.answer(await self.post(method, params, id))

    async def result(self, method, params=None):
        answer = await self.call(method, params)
        demand("result" in answer, f"{method}: {answer.get('error')}")
        return answer["result"]

    async def error(self, code, method, params=None):
        answer = await self.call(method, params)
        demand(answer.get("error", {}).get("code") == code, f"{method} is {answer}, not {code}")
        return answer["error"]["message"]

    async def told(self, method, **params):
        def look():
            for entry in self.notifications:
                if entry[0] == method and all(entry[1].get(key) == value for key, value in params.items()):
                    self.notifications.remove(entry)
                    return entry[1]
        return await self.until(f"{method} {params}", look)

    async def join(self, room, user):
        return await self.result("joinRoom", {"user": user, "room": room, "dataChannels": self.habits.name != "js"})

    def candidate(self, name, text="candidate:707 1 udp 2122194687 192.0.2.2 36195 typ host generation 0"):
        return {"endpointName": name, "candidate": text, "sdpMid": "" if self.habits.name == "ios" else "audio",
                "sdpMLineIndex": self.habits.index(0)}

    async def publish(self, sdp=None):
        return (await self.result("publishVideo", {"sdpOffer": sdp or self.habits.publish, "doLoopback": False}))["sdpAnswer"]


async def candidates(me, answer, **where):
    """The answer holds the service's candidates, or they follow one by one, in the types that iOS wants."""
    if "\r\na=candidate:" not in answer:
        await me.told("iceCandidate", **where)
    for name, params in me.notifications:
        if name == "iceCandidate":
            demand(isinstance(params["sdpMid"], str) and type(params["sdpMLineIndex"]) is int, params)
            demand(params["candidate"].startswith("candidate:") and where.items() <= params.items(), params)
    demand("127.0.0.1" in answer + json.dumps(me.notifications), "no candidate of this machine")


def sections(sdp):
    return [part.split("\r\n") for part in sdp.split("\r\nm=")[1:]]


class Checks:
    """The thirty checks of one client, in the order of the table in docs/kurento.md."""

    def __init__(self, stage, habits):
        self.stage, self.habits = stage, habits
        self.room = f"{habits.name}-{os.getpid()}"
        self.number = 0

    def client(self, path="/room"):
        return Client(self.stage, self.habits, path)

    def mate(self):
        """Another musician, whose client is lenient."""
        return Client(self.stage, CLIENTS[1])

    async def run(self):
        for name in [name for name in dir(self) if name.startswith("check")]:
            problem = None
            before = len(self.stage.faults)
            self.number += 1
            self.here = f"{self.room}-{self.number}"
            try:
                await getattr(self, name)()
                demand(len(self.stage.faults) == before, "; ".join(self.stage.faults[before:]))
            except Failed as failure:
                problem = str(failure)
            except Exception as failure:  # A bug here, or a link that broke.
                problem = f"{type(failure).__name__}: {failure}"
            print(json.dumps({"client": self.habits.name, "check": name[5:], "ok": problem is None, "problem": problem}))
            sys.stdout.flush()
            self.stage.failures += problem is not None

    async def check01_upgrade(self):
        host, port = self.stage.url.split("//")[1].split(":")
        reader, writer = await asyncio.open_connection(host, int(port))
        lines = {"Host": f"{host}:{port}", "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
                 "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), **self.habits.headers}
        text = "GET /room HTTP/1.1\r\n" + "".join(
            f"{key}: {self.stage.url if value == 'ORIGIN' else value}\r\n" for key, value in lines.items()) + "\r\n"
        writer.write(text.encode())
        head = (await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), PATIENCE)).decode()
        writer.close()
        demand(head.startswith("HTTP/1.1 101 Switching Protocols\r\n"), head)
        demand("sec-websocket-protocol" not in head.lower() and "extensions" not in head.lower(), head)

    async def check02_ping(self):
        async with self.client() as me:
            result = await me.result("ping", {"interval": 3000} if self.habits.name == "js" else None)
            demand(result["value"] == "pong", result)
            await me.socket.ping(b"")
            demand((await me.result("ping"))["value"] == "pong", "the link is gone after a ping frame")

    async def check03_join_of_an_empty_room(self):
        async with self.client() as me:
            demand((await me.join(self.here, "ann"))["value"] == [], "somebody is there")

    async def check04_members(self):
        async with self.mate() as idle, self.mate() as plays, self.client() as me:
            await idle.join(self.here, "idle")
            await plays.join(self.here, "plays")
            await plays.publish()
            members = {member["id"]: member for member in (await me.join(self.here, "ann"))["value"]}
            demand(set(members) == {"idle", "plays"}, members)
            demand([stream["id"] for stream in members["plays"]["streams"]] == ["webcam"], members)
            if self.habits.streams == "publishing":
                demand("streams" not in members["idle"], "Android takes it for one who publishes")
            else:
                demand(members["idle"]["streams"] == [], "iOS refuses the join without a list")

    async def check05_taken_name(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "ann")
            await me.error(104, "joinRoom", {"user": "ann", "room": self.here})
            await me.join(self.here, "bob")

    async def check06_full_room(self):
        async with self.mate() as one, self.mate() as two, self.mate() as three, self.client() as me:
            for number, other in enumerate((one, two, three)):
                await other.join(self.here, f"m{number}")
                await other.publish()
            demand("listener" not in await me.error(201, "joinRoom", {"user": "ann", "room": self.here}), "advice for others")

    async def check07_joined_before_published(self):
        async with self.client() as me, self.mate() as other:
            await me.join(self.here, "ann")
            await other.join(self.here, "bob")
            await other.publish()
            await me.told("participantPublished", id="bob", streams=[{"id": "webcam"}])
            told = [name for name in me.order if isinstance(name, str) and name.startswith("participant")]
            demand(told == ["participantJoined", "participantPublished"], told)

    async def check08_nothing_before_the_own_answer(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await me.join(self.here, "ann")
            demand(type(me.order[0]) is int, f"{me.order[0]} came before the answer to joinRoom")

    async def check09_publish(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            answer = await me.publish()
            audio = sections(answer)[0]
            demand(audio[0].startswith("audio ") and not audio[0].startswith("audio 0 "), answer)
            demand("a=recvonly" in audio and "a=setup:active" in answer.replace("passive", "active"), answer)

    async def check10_video_and_data_are_refused(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            sdp = offer("sendrecv", BOTH + ("data",), ("audio", "video", "data"))
            parts = sections(await me.publish(sdp))
            demand(len(parts) == 3, "another number of sections than offered")
            demand([part[0].split()[1] == "0" for part in parts] == [False, True, True], [part[0] for part in parts])

    async def check11_candidates_before_offer_and_answer(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            early = await me.post("onIceCandidate", me.candidate("ann"))
            published = await me.post("publishVideo", {"sdpOffer": self.habits.publish, "doLoopback": False})
            late = await me.post("onIceCandidate", me.candidate("ann"))
            for id in early, published, late:
                demand("result" in await me.answer(id), f"{id} failed")

    async def check12_odd_candidates(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            await me.publish()
            for text in ("", "candidate:1 1 tcp 1518280447 192.0.2.2 9 typ host tcptype active",
                         "candidate:1 1 udp 2122262783 2001:db8::1 50000 typ host",
                         "candidate:1 1 udp 2122262783 0b4c3a12-7d1f-4a3e-9f0a-1b2c3d4e5f60.local 50000 typ host"):
                await me.result("onIceCandidate", me.candidate("ann", text))

    async def check13_candidates_of_the_service(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            await candidates(me, await me.publish(), endpointName="ann")

    async def check14_others_learn_of_it(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await me.join(self.here, "ann")
            await me.publish()
            await other.told("participantPublished", id="ann", streams=[{"id": "webcam"}])
            demand(not any(name == "participantPublished" for name, _ in me.notifications), "the author learns of it too")

    async def check15_hear(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await other.publish()
            await me.join(self.here, "ann")
            result = await me.result("receiveVideoFrom", {"sender": "bob_webcam", "sdpOffer": self.habits.receive})
            parts = sections(result["sdpAnswer"])
            demand("a=sendonly" in parts[0], "what comes on this connection would be taken for a musician")
            demand(len(parts) == self.habits.receive.count("\r\nm="), "another number of sections than offered")
            await candidates(me, result["sdpAnswer"], endpointName="bob")

    async def check16_a_second_offer(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await other.publish()
            await me.join(self.here, "ann")
            for _ in range(2):
                await me.result("receiveVideoFrom", {"sender": "bob_webcam", "sdpOffer": self.habits.receive})
            for _ in range(2):
                await me.publish()

    async def check17_names_with_underscores(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob_the_bass")
            await other.publish()
            await me.join(self.here, "ann_b")
            result = await me.result(
                "receiveVideoFrom", {"sender": "bob_the_bass_webcam", "sdpOffer": self.habits.receive})
            await candidates(me, result["sdpAnswer"], endpointName="bob_the_bass")

    async def check18_hearing_nobody(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await me.join(self.here, "ann")
            await me.error(105, "receiveVideoFrom", {"sender": "bob_webcam", "sdpOffer": self.habits.receive})
            await me.error(102, "receiveVideoFrom", {"sender": "cy_webcam", "sdpOffer": self.habits.receive})
            await me.error(302, "publishVideo", {"sdpOffer": "v=0", "doLoopback": False})

    async def check19_unsubscribe(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await other.publish()
            await me.join(self.here, "ann")
            await me.result("receiveVideoFrom", {"sender": "bob_webcam", "sdpOffer": self.habits.receive})
            for _ in range(2):
                result = await me.result("unsubscribeFromVideo", {"sender": "bob_webcam"})
                demand(isinstance(result.get("sdpAnswer"), str), "iOS reports error 803 without sdpAnswer")

    async def check20_chat(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await me.join(self.here, "ann")
            id = await me.post("sendMessage", {"message": "count in", "userMessage": "ann", "roomMessage": self.here})
            for each in me, other:
                await each.told("sendMessage", user="ann", room=self.here, message="count in")
            await me.answer(id)
            demand(me.order.index(id) < me.order.index("sendMessage"), "the message came before its answer")

    async def check21_chat_of_others(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            await me.error(102, "sendMessage", {"message": "x", "userMessage": "bob", "roomMessage": self.here})
            await me.error(202, "sendMessage", {"message": "x", "userMessage": "ann", "roomMessage": "elsewhere"})

    async def check22_custom_request(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            await me.error(-32601, "customRequest", {"MarkerFilterState": "1"})
            demand((await me.result("customRequest", {"recorder": "status"}))["recording"] in (True, False), "no status")

    async def check23_unknown_method(self):
        async with self.client() as me:
            await me.join(self.here, "ann")
            demand("muteEverybody" in await me.error(-32601, "muteEverybody", {"x": 1}), "the name is not in the sentence")

    async def check24_missing_parameter(self):
        async with self.client() as me:
            demand("user" in await me.error(-32602, "joinRoom", {"room": self.here}), "the key is not in the sentence")
            await me.error(102, "leaveRoom")
            await me.join(self.here, "ann")
            demand("sdpOffer" in await me.error(-32602, "publishVideo", {"doLoopback": False}), "the key is not there")

    async def check25_a_repeat(self):
        async with self.client() as me:
            params = {"user": "ann", "room": self.here}
            # The same bytes: the second while the first is in progress, the third after its answer.
            await me.post("joinRoom", params, 40)
            await me.post("joinRoom", params, 40)
            one = await me.answer(40)
            me.session = None if self.habits.name == "java" else me.session
            two = await me.call("joinRoom", params, 40)
            demand(one == two and "result" in one, f"{one} and then {two}")

    async def check26_an_id_for_two_methods(self):
        async with self.client() as me:
            await me.call("joinRoom", {"user": "ann", "room": self.here}, 40)
            answer = await me.call("sendMessage", {"message": "x", "userMessage": "ann", "roomMessage": self.here}, 40)
            demand("result" in answer and "value" not in answer["result"], answer)
            await me.told("sendMessage", user="ann")

    async def check27_publish_again(self):
        async with self.mate() as other, self.client() as me:
            await other.join(self.here, "bob")
            await me.join(self.here, "ann")
            await me.error(105, "unpublishVideo")
            for _ in range(2):
                await me.publish()
                await other.told("participantPublished", id="ann")
                await me.result("unpublishVideo")
                await other.told("participantUnpublished", name="ann")

    async def check28_leave(self):
        async with self.mate() as other:
            await other.join(self.here, "bob")
            async with self.client() as me:
                await me.join(self.here, "ann")
                await me.result("leaveRoom")
                await other.told("participantLeft", name="ann")
                await me.until("the close", lambda: me.socket.closed)
                demand(me.socket.close_code == 1000, me.socket.close_code)
            async with self.client() as me:
                await me.join(self.here, "ann")

    async def check29_its_own_way_to_go(self):
        async with self.mate() as other:
            await other.join(self.here, "bob")
            async with self.client() as me:
                await me.join(self.here, "ann")
                session = me.session
                if self.habits.leaves == "leave":
                    await me.result("leaveRoom")
                elif self.habits.leaves == "close":
                    await me.socket.close(code=1000)
                else:
                    me.socket._response.connection.transport.abort()
            if self.habits.leaves == "break":
                # Java comes back with its session, and begins a new one after 40007.
                async with self.client() as me:
                    demand((await me.result("connect", {"sessionId": session}))["value"] == "reconnection successful", "no")
                    await me.result("sendMessage", {"message": "back", "userMessage": "ann", "roomMessage": self.here})
                    await other.told("sendMessage", user="ann", message="back")
                async with self.client() as me:
                    answer = await me.call("connect", {"sessionId": "unknown"})
                    demand(answer.get("error", {}).get("code") == 40007, answer)
            else:
                await other.told("participantLeft", name="ann")
                async with self.client() as me:
                    await me.join(self.here, "ann")

    async def check30_tree(self):
        async with self.client("/kurento-tree") as source, self.client("/kurento-tree/websocket") as viewer:
            await source.result("createTree", {"treeId": self.here})
            answer = await source.result("setTreeSource", {"treeId": self.here, "offerSdp": self.habits.publish})
            await candidates(source, answer["answerSdp"], treeId=self.here)
            demand(not any("sinkId" in params for _, params in source.notifications), "the source has a sinkId")
            sink = await viewer.result("addTreeSink", {"treeId": self.here, "offerSdp": self.habits.receive})
            demand(isinstance(sink["sinkId"], str), sink)
            await candidates(viewer, sink["answerSdp"], treeId=self.here, sinkId=sink["sinkId"])
            candidate = viewer.candidate("")
            del candidate["endpointName"]
            await viewer.result("addIceCandidate", {"treeId": self.here, "sinkId": sink["sinkId"], **candidate})
            await viewer.error(1, "joinRoom", {"user": "ann"})
            await viewer.result("removeTreeSink", {"treeId": self.here, "sinkId": sink["sinkId"]})
            await source.result("removeTree" if self.habits.name == "android" else "releaseTree", {"treeId": self.here})
            await source.error(2, "releaseTree", {"treeId": self.here})


class Stage:
    def __init__(self, url):
        self.url, self.failures, self.faults = url.rstrip("/"), 0, []

    async def run(self):
        async with aiohttp.ClientSession(skip_auto_headers=["User-Agent", "Accept", "Accept-Encoding"]) as self.http:
            for habits in CLIENTS:
                await Checks(self, habits).run()


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    stage = Stage(sys.argv[1])
    asyncio.run(stage.run())
    sys.exit(1 if stage.failures else 0)
