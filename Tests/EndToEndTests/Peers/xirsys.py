"""Three musicians with unmodified apps of XirSys, after PerchRTC's own sequence, with aiortc for the media.

usage: xirsys.py ADDRESS a|b ROUNDS

Each musician: wsList, getToken, socket; `peers` means joined; whoever is there offers to whoever comes, with a new
connectionId, after getIceServers; candidates within the descriptions; bye to everybody before the socket is closed.
They leave and come back in every order in which one or two of them can: there are 15, each round is one, in an order at
random. After every change, each has to be connected to each other one and to hear packets from there: nobody waits for
ever. Prints one JSON object a line: `crash` where an unmodified app would end, with the user `by` whom it would. In a
mesh that is said of these musicians too, whose offers have no pictures.
"""

import asyncio
import base64
import itertools
import json
import random
import sys
import urllib.parse
import uuid

import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import AudioStreamTrack

address, dialect, rounds = sys.argv[1], sys.argv[2], int(sys.argv[3])
ROOM, IDENT, SECRET = "garage", "band", "a-secret-of-ours"
PATIENCE = 60


def say(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)


class Musician:
    """The app's broker and its connections."""

    def __init__(self, http, name):
        self.http, self.name = http, name
        self.socket, self.peers, self.connections, self.joined = None, set(), {}, asyncio.Event()
        self.hears = {}

    # REST

    async def post(self, call, **more):
        """As the pod writes it: values as they are, and an ampersand at the end."""
        fields = {"ident": IDENT, "secret": SECRET, "domain": "studio.example", "application": "default",
                  "room": ROOM, "username": self.name, "secure": "1", **more}
        body = "".join(f"{key}={value}&" for key, value in fields.items())
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        async with self.http.post(f"{address}/{call}", data=body.encode(), headers=headers) as reply:
            envelope = await reply.json(content_type=None)
        if envelope["s"] >= 300:
            raise RuntimeError(f"{call}: {envelope}")
        return envelope["d"]

    async def token(self):
        if dialect == "a":
            base = (await self.post("wsList"))["value"]
            return f"{base}/{(await self.post('getToken'))['token']}"
        basic = base64.b64encode(f"{IDENT}:{SECRET}".encode()).decode()
        headers = {"Authorization": f"Basic {basic}"}
        channel = f"studio.example/default/{ROOM}"
        user = urllib.parse.quote(self.name)
        async with self.http.get(f"{address}/_host/{channel}?type=signal&k={user}", headers=headers) as reply:
            base = (await reply.json())["v"]
        async with self.http.put(f"{address}/_token/{channel}?k={user}&expire=60", headers=headers) as reply:
            answer = await reply.json()
        if answer["s"] != "ok":
            raise RuntimeError(f"_token: {answer}")
        return f"{base}/v2/{answer['v']}"

    # The socket

    async def join(self):
        self.joined.clear()
        self.socket = await self.http.ws_connect(await self.token())
        self.reader = asyncio.create_task(self.read(self.socket))
        await asyncio.wait_for(self.joined.wait(), PATIENCE)

    async def read(self, socket):
        async for message in socket:
            frame = json.loads(message.data)
            if isinstance(frame, str):
                say("complaint", name=self.name, text=frame)
                continue
            await self.received(*self.parsed(frame))

    def parsed(self, frame):
        """(kind, name of the other, data in the words of dialect A)"""
        if dialect == "a":
            kind, name, body = frame["type"], frame.get("userid"), frame["message"]
            if kind == "peers":
                return kind, None, body["users"]
            return kind, name, body["data"] if isinstance(body, dict) else None
        kind, name, payload = frame["m"]["o"], frame["m"]["f"].rsplit("/", 1)[-1], frame["p"]
        if kind == "peers":
            return kind, None, payload["users"]
        if kind != "message":
            return kind, name, None
        inner = payload["msg"]
        if inner["type"] == "candidate":
            return "ice", name, {"connectionId": inner.get("connectionId"), "iceCandidate": inner}
        return inner["type"], name, {"connectionId": inner.get("connectionId"), inner["type"]: inner}

    async def send(self, kind, name, data):
        if self.socket.closed:
            return
        if dialect == "a":
            return await self.socket.send_json({"eventName": kind, "targetUserId": name, "data": data})
        inner = {"type": kind, "connectionId": data["connectionId"], **data.get(kind, {})}
        inner["type"] = kind
        channel = f"studio.example/default/{ROOM}"
        await self.socket.send_json(
            {"t": "u", "m": {"f": f"{channel}/{self.name}", "o": "message", "t": name}, "p": {"msg": inner}})

    async def received(self, kind, name, data):
        if kind == "peers":
            self.peers = {user if isinstance(user, str) else user["id"] for user in data} - {self.name}
            self.joined.set()
        elif kind == "peer_connected":
            if name == self.name:
                return
            self.peers.add(name)
            if name not in self.connections:
                await self.connect(name)
        elif kind == "peer_removed":
            self.peers.discard(name)
            known = self.connections.get(name)
            if known and known[1].iceConnectionState in ("new", "disconnected", "failed"):
                await self.drop(name)
        elif kind == "offer":
            await self.offered(name, data)
        elif kind == "answer":
            if name in self.connections:
                _, connection = self.connections[name]
                await connection.setRemoteDescription(RTCSessionDescription(data["answer"]["sdp"], "answer"))
        elif kind == "bye":
            await self.drop(name)

    # Connections

    def make(self, name, identifier):
        connection = RTCPeerConnection()
        connection.addTrack(AudioStreamTrack())
        self.connections[name] = (identifier, connection)

        @connection.on("track")
        def track(track):
            if track.kind == "audio":
                asyncio.ensure_future(self.listen(name, connection, track))

        return connection

    async def listen(self, name, connection, track):
        try:
            while True:
                await track.recv()
                if self.connections.get(name, (None, None))[1] is connection:
                    self.hears[name] = self.hears.get(name, 0) + 1
        except Exception:
            pass

    async def connect(self, name):
        if dialect == "a":
            await self.post("getIceServers")
        identifier = str(uuid.uuid4())
        connection = self.make(name, identifier)
        await connection.setLocalDescription(await connection.createOffer())
        offer = {"sdp": connection.localDescription.sdp, "type": "offer"}
        await self.send("offer", name, {"connectionId": identifier, "offer": offer})

    async def offered(self, name, data):
        if name not in self.peers:
            say("crash", name=self.name, by=name, why="an offer of somebody who is not in the list")
        if "m=video" not in data["offer"]["sdp"]:
            say("crash", name=self.name, by=name, why="an offer without video")
        identifier = data["connectionId"]
        if name in self.connections and self.connections[name][0] != identifier:
            return await self.send("bye", name, {"connectionId": identifier, "bye": {}})
        if dialect == "a":
            await self.post("getIceServers")
        connection = self.connections[name][1] if name in self.connections else self.make(name, identifier)
        await connection.setRemoteDescription(RTCSessionDescription(data["offer"]["sdp"], "offer"))
        await connection.setLocalDescription(await connection.createAnswer())
        answer = {"sdp": connection.localDescription.sdp, "type": "answer"}
        await self.send("answer", name, {"connectionId": identifier, "answer": answer})

    async def drop(self, name):
        known = self.connections.pop(name, None)
        self.hears.pop(name, None)
        if known:
            await known[1].close()

    async def leave(self):
        for name, (identifier, _) in list(self.connections.items()):
            await self.send("bye", name, {"connectionId": identifier, "bye": {}})
        await self.socket.close()
        self.reader.cancel()
        for name in list(self.connections):
            await self.drop(name)
        self.peers = set()


async def everybody_hears(present):
    """Waits until each hears each other one anew."""
    for musician in present:
        musician.hears.clear()
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while True:
        missing = [(m.name, o.name) for m in present for o in present if m is not o and m.hears.get(o.name, 0) < 5]
        if not missing:
            return True
        if asyncio.get_running_loop().time() > deadline:
            states = {m.name: {n: c[1].iceConnectionState for n, c in m.connections.items()} for m in present}
            say("waits", missing=missing, states=states, peers={m.name: sorted(m.peers) for m in present})
            return False
        await asyncio.sleep(0.1)


async def main():
    random.seed(21)
    # A WebSocket begins on a connection of its own, as with apps.
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as http:
        band = [Musician(http, name) for name in ("Anna's iPhone", "bob", "carl")]
        present = []
        for musician in band:
            await musician.join()
            present.append(musician)
        if not await everybody_hears(present):
            return 1
        say("together", names=[m.name for m in present])
        # A fourth gets no token.
        try:
            await Musician(http, "dora").join()
            say("crash", name="dora", why="a fourth musician came in")
        except RuntimeError as refusal:
            say("full", text=str(refusal))
        orders = [((one,), (one,)) for one in band]
        orders += [(gone, back) for gone in itertools.permutations(band, 2) for back in itertools.permutations(gone)]
        random.shuffle(orders)
        for number, (gone, back) in enumerate(orders[:rounds]):
            for musician in gone:
                await musician.leave()
            for musician in back:
                await musician.join()
            if not await everybody_hears(band):
                return 1
            say("round", number=number, gone=[m.name for m in gone])
        for musician in band:
            await musician.leave()
    say("done")
    return 0


sys.exit(asyncio.run(main()))
