"""Musicians by the native protocol (docs/protocol.md, sections 3 and 10) with aiortc's real ICE, DTLS and SRTP, for `script/bench
mesh`. They listen by the route of each pair, as the studio does. Their `world` says at which port the service is, and
writes addresses of relays into descriptions, if there are any.
"""
import asyncio, fractions, json, time

import aiohttp, av, numpy
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription
from aiortc.rtcrtpreceiver import StreamStatistics

PACKET = 0.02
PATIENCE = 60


def music(seed, seconds=5):
    """Opus packets of noise: no two are the same."""
    numbers = numpy.random.default_rng(seed)
    encoder = av.CodecContext.create("libopus", "w")
    encoder.sample_rate, encoder.layout, encoder.format, encoder.bit_rate = 48_000, "stereo", "s16", 128_000
    packets = []
    for number in range(round(seconds / PACKET)):
        samples = numbers.integers(-8_000, 8_000, (1, 2 * 960), dtype=numpy.int16)
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="stereo")
        frame.sample_rate, frame.pts = 48_000, number * 960
        packets += [bytes(packet) for packet in encoder.encode(frame)]
    return packets


class Playing(MediaStreamTrack):
    """The musician's sound on one connection; `sent` is when each payload was handed over, each time."""

    kind = "audio"

    def __init__(self, packets, origin):
        super().__init__()
        self.packets, self.origin, self.sent = packets, origin, {}
        self.number = round((time.monotonic() - origin) / PACKET)

    async def recv(self):
        self.number += 1
        await asyncio.sleep(max(0, self.origin + self.number * PACKET - time.monotonic()))
        payload = self.packets[self.number % len(self.packets)]
        packet = av.Packet(payload)
        packet.pts, packet.time_base = self.number * 960, fractions.Fraction(1, 48_000)
        self.sent.setdefault(payload, []).append(time.monotonic())
        return packet


class Musician:
    def __init__(self, world, http, room, name, packets):
        self.world, self.http, self.room, self.name, self.packets = world, http, room, name, packets
        self.origin = time.monotonic()
        self.answers, self.count, self.turn = {}, 0, asyncio.Lock()
        # By the other's identifier: publishing, the pair, our end of it, the subscription.
        self.publishing, self.pairs, self.ends, self.subscriptions = set(), {}, {}, {}
        # By the other's identifier: how many packets came, and where they are noted for the delay.
        self.heard, self.notes, self.fault = {}, {}, None

    async def request(self, method, **params):
        self.count += 1
        answer = self.answers[self.count] = asyncio.get_running_loop().create_future()
        await self.socket.send_str(json.dumps({"id": self.count, "method": method, "params": params}))
        return await asyncio.wait_for(answer, PATIENCE)

    async def join(self, isMesh):
        self.socket = await self.http.ws_connect(f"ws://127.0.0.1:{self.world.port}/v1/rooms/{self.room}/signal")
        self.reader = asyncio.create_task(self.read())
        async with self.turn:
            grant = await self.request("join", name=self.name, role="musician", consent=True)
            self.me, members = grant["participant"], grant["snapshot"]["members"]
            self.publishing = {member["participant"]["id"] for member in members if member["publishing"]}
            self.microphone, self.track = self.connection(), Playing(self.packets, self.origin)
            self.microphone.addTransceiver(self.track, direction="sendonly")
            await self.negotiate(self.microphone, "publish", peer="microphone")
            for id in self.publishing:
                await self.listen(id)
            if isMesh:
                await self.request("meshEnter")

    def connection(self):
        return RTCPeerConnection(RTCConfiguration(iceServers=[]))

    async def negotiate(self, connection, method, **params):
        await connection.setLocalDescription(await connection.createOffer())
        answer = await self.request(method, sdp=self.world.offered(connection.localDescription.sdp), **params)
        await connection.setRemoteDescription(RTCSessionDescription(self.world.answered(answer["sdp"]), "answer"))

    async def read(self):
        async for message in self.socket:
            frame = json.loads(message.data)
            if "event" in frame:
                asyncio.create_task(self.follow(frame))
            elif "error" in frame:
                self.answers.pop(frame["id"]).set_exception(RuntimeError(f"{self.name}: {frame['error']}"))
            else:
                self.answers.pop(frame["id"]).set_result(frame["result"])

    async def follow(self, frame):
        try:
            # One message after the other; asyncio's locks keep the order.
            async with self.turn:
                await self.take(frame)
        except Exception as problem:
            self.fault = self.fault or problem

    async def take(self, frame):
        event, id = frame["event"], frame.get("participant")
        if event == "published" and id != self.me:
            self.publishing.add(id)
            await self.listen(id)
        elif event == "pair" and self.me in (frame["pair"]["offers"], frame["pair"]["answers"]):
            await self.pair(frame["pair"])
        elif event == "relayed":
            await self.relayed(frame)

    async def pair(self, pair):
        id = pair["answers"] if pair["offers"] == self.me else pair["offers"]
        if self.pairs.get(id, {}).get("number") != pair["number"]:
            end = self.ends[id] = self.connection()
            end.on("connectionstatechange", lambda: asyncio.ensure_future(self.report(id, pair["number"], end)))
            if pair["offers"] == self.me:
                self.play(end, id)
                await end.setLocalDescription(await end.createOffer())
                await self.relay(id, pair["number"], "offer", end)
        elif pair["attempt"]:
            raise RuntimeError(f"{self.name}: a direct path was lost: {pair}")
        self.pairs[id] = pair
        await self.listen(id)

    async def relay(self, id, number, kind, end):
        description = await self.world.described(end.localDescription.sdp)
        await self.request("meshRelay", to=id, pair=number, **{kind: description})

    async def report(self, id, number, end):
        if end.connectionState in ("connected", "failed"):
            await self.request("meshReport", about=id, pair=number, state=end.connectionState)

    async def relayed(self, frame):
        id, end = frame["from"], self.ends[frame["from"]]
        if "offer" in frame:
            self.play(end, id)
            await end.setRemoteDescription(RTCSessionDescription(frame["offer"], "offer"))
            await end.setLocalDescription(await end.createAnswer())
            await self.relay(id, frame["pair"], "answer", end)
        elif "answer" in frame:
            await end.setRemoteDescription(RTCSessionDescription(frame["answer"], "answer"))

    def play(self, end, id):
        end.track = Playing(self.packets, self.origin)
        end.addTrack(end.track)
        self.hear(end.getTransceivers()[0].receiver, id, isDirect=True)

    async def listen(self, id):
        """The way that the pair's route says."""
        isDirect, subscription = self.pairs.get(id, {}).get("route") == "direct", self.subscriptions.get(id)
        if isDirect and subscription:
            del self.subscriptions[id]
            await self.request("close", peer=f"from-{id}")
            await subscription.close()
        elif not isDirect and not subscription and id in self.publishing:
            connection = self.subscriptions[id] = self.connection()
            self.hear(connection.addTransceiver("audio", direction="recvonly").receiver, id, isDirect=False)
            await self.negotiate(connection, "subscribe", peer=f"from-{id}", participant=id)

    def hear(self, receiver, id, isDirect):
        """Takes packets as they come out of SRTP; reports of what came go back as always, nothing is decoded."""
        statistics_of = receiver._RTCRtpReceiver__remote_streams

        async def packet(packet, arrival_time_ms):
            if packet.ssrc not in statistics_of:
                statistics_of[packet.ssrc] = StreamStatistics(48_000)
            statistics_of[packet.ssrc].add(packet)
            self.heard[id] = self.heard.get(id, 0) + 1
            if isDirect == self.hears_directly(id):
                self.notes.setdefault(id, []).append((bytes(packet.payload), time.monotonic()))

        receiver._handle_rtp_packet = packet

    def hears_directly(self, id):
        return self.pairs.get(id, {}).get("route") == "direct"

    async def close(self):
        self.reader.cancel()
        await self.socket.close()
        for connection in [self.microphone, *self.ends.values(), *self.subscriptions.values()]:
            await connection.close()


async def settle(band, isMesh):
    """Until everybody hears everybody else in the room's way."""
    deadline = time.monotonic() + PATIENCE
    while True:
        for musician in band:
            if musician.fault:
                raise musician.fault
        def others(musician):
            return [one for one in band if one.room == musician.room and one is not musician]
        waiting = [(one.name, other.name) for one in band for other in others(one)
                   if one.heard.get(other.me, 0) < 20 or isMesh != one.hears_directly(other.me)
                   or isMesh == (other.me in one.subscriptions)]
        if not waiting:
            return
        if time.monotonic() > deadline:
            raise SystemExit(f"bench: these do not hear each other: {waiting}")
        await asyncio.sleep(0.1)
