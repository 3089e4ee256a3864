"""Audio Connectors by OpenTok's official Python SDK: a WebSocket server hears musicians whose music ffmpeg sends.

usage: opentok_connector.py ADDRESS KEY SECRET ADA.wav BOB.wav

Prints one JSON object a line, the last {"event": "done"}; ends with an exception at the first thing that is not as it
has to be.
"""

import asyncio
import base64
import json
import subprocess
import sys
import urllib.parse

import aiohttp
import numpy
from aiohttp import web
from opentok import Client, MediaModes, Roles
from opentok.exceptions import AuthError, InvalidMediaModeError, RequestError

from opentok_app import check, room_of, say, until

address, KEY, SECRET, ADA, BOB = sys.argv[1:6]
sdk = Client(KEY, SECRET, api_url=address)


async def musician(http, room, name, path):
    """Plays a sound file round and round into an RTP input: from a process of its own, in time whatever this one does.

    It ends with this one, however that ends.
    """
    url = f"{address}/v1/rooms/{urllib.parse.quote(room)}/rtp"
    async with http.post(url, json={"name": name, "profile": "RTP/AVP", "payloadType": 111}) as reply:
        check(reply.status == 201, f"RTP {reply.status} {await reply.text()}")
        there = await reply.json()
    return await asyncio.create_subprocess_exec(
        "setpriv", "--pdeathsig", "KILL", "ffmpeg", "-v", "error", "-re", "-stream_loop", "-1", "-i", path,
        "-c:a", "libopus", "-b:a", "96k", "-payload_type", "111", "-f", "rtp", f"rtp://{there['host']}:{there['port']}",
        stdout=subprocess.DEVNULL)


async def refused(kind, call, *arguments):
    """The text of the error that the SDK makes."""
    try:
        await asyncio.to_thread(call, *arguments)
    except kind as error:
        check(type(error) is kind, f"{type(error)} and not {kind}: {error}")
        return str(error)
    raise RuntimeError(f"{call.__name__} was not refused")


class Listener:
    """The WebSocket server of an application."""

    def __init__(self):
        self.texts, self.sound, self.fields, self.code = [], [], [], None
        self.closed = asyncio.Event()

    async def start(self):
        async def serve(request):
            socket = web.WebSocketResponse()
            await socket.prepare(request)
            self.socket = socket
            async for message in socket:
                if message.type == aiohttp.WSMsgType.BINARY:
                    self.sound.append(message.data)
                elif message.type == aiohttp.WSMsgType.TEXT:
                    value = json.loads(message.data)
                    (self.texts if "event" in value else self.fields).append(value)
            self.code = socket.close_code
            self.closed.set()
            return socket

        app = web.Application()
        app.router.add_get("/sound", serve)
        self.runner = web.AppRunner(app)
        await self.runner.setup()
        site = web.TCPSite(self.runner, "127.0.0.1", 0)
        await site.start()
        self.port = site._server.sockets[0].getsockname()[1]
        self.uri = f"ws://127.0.0.1:{self.port}/sound"
        return self

    def heard(self, seconds, rate=16_000, channels=1):
        data = b"".join(self.sound)[-int(seconds * rate) * 2 * channels:]
        return numpy.frombuffer(data, dtype="<i2").reshape(-1, channels).mean(axis=1) / 32_768


def played(path, rate):
    command = ["ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", str(rate), "-f", "f32le", "-"]
    return numpy.frombuffer(subprocess.run(command, check=True, capture_output=True).stdout, dtype="<f4")


def best(heard, whole):
    """The likeness of the best of two halves: on a busy machine a packet may be late."""
    half = len(heard) // 2
    return max(likeness(heard[:half], whole), likeness(heard[half:], whole))


def likeness(heard, whole):
    """The highest correlation of what was heard with any stretch of what was played, which goes round."""
    whole = numpy.concatenate([whole, whole[: len(heard)]])
    size = 1 << (len(whole) + len(heard)).bit_length()
    product = numpy.fft.irfft(numpy.fft.rfft(whole, size) * numpy.conj(numpy.fft.rfft(heard, size)), size)
    product = product[: len(whole) - len(heard)]
    energy = numpy.cumsum(numpy.concatenate([[0], whole.astype("f8") ** 2]))
    energy = (energy[len(heard):] - energy[: -len(heard)])[: len(product)]
    return float(numpy.max(product / numpy.sqrt(numpy.maximum(energy, 1e-3) * numpy.sum(heard**2))))


async def main():
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as http:
        session = (await asyncio.to_thread(sdk.create_session, media_mode=MediaModes.routed)).session_id
        relayed = (await asyncio.to_thread(sdk.create_session, media_mode=MediaModes.relayed)).session_id
        connect = sdk.connect_audio_to_websocket
        token = sdk.generate_token(session, Roles.subscriber, data="name=scribe")
        one, both, ours = [await Listener().start() for _ in range(3)]

        text = await refused(RequestError, connect, session, token, {"uri": one.uri})
        say("nobody", text=text)
        await refused(InvalidMediaModeError, connect, relayed, sdk.generate_token(relayed), {"uri": one.uri})
        musicians = [await musician(http, room_of(session), *player) for player in (("Ada", ADA), ("Bob", BOB))]
        streams = {}

        def named():
            streams.update({stream.name: stream.id for stream in sdk.list_streams(session)})
            return len(streams) == 2

        await until("two streams", named)
        text = await refused(RequestError, connect, session, token, {"uri": "ws://127.0.0.1:9/sound"})
        check("not reached" in text, text)
        text = await refused(RequestError, connect, session, token, {"uri": one.uri, "streams": ["x"]})
        check("no stream id" in text, text)
        await refused(AuthError, connect, session, sdk.generate_token(relayed), {"uri": one.uri})

        async def connections():
            headers = {"X-OPENTOK-AUTH": sdk._create_jwt_auth_header()}
            url = f"{address}/v2/project/{KEY}/session/{session}/connection"
            async with http.get(url, headers=headers) as reply:
                return {item["connectionId"] for item in (await reply.json())["items"]}

        first = await asyncio.to_thread(
            connect, session, token,
            {"uri": one.uri, "streams": [streams["Ada"]], "headers": {"band": "Quince"}, "bidirectional": False})
        second = await asyncio.to_thread(
            connect, session, token,
            {"uri": both.uri, "audio_transport": {"transport": "binary"}})
        third = await asyncio.to_thread(
            connect, session, token,
            {"uri": ours.uri, "audioRate": 48_000, "channels": 2, "audio_transport": {
                "transport": "json", "encoding": "base64", "audio_field": "audio", "static_fields": {"type": "sound"}}})
        check(first.id and not first.bidirectional, first.json())
        present = await connections()
        check({first.connectionId, second.connectionId, third.connectionId} < present and len(present) == 5, f"{present}")

        def pieces():
            return min(len(one.sound), len(both.sound), len(ours.fields))

        # Six seconds of it.
        await until("sound", lambda: pieces() > 300)
        greeting = one.texts[0]
        check(greeting == {
            "content-type": "audio/l16;rate=16000", "event": "websocket:connected", "band": "Quince"}, f"{greeting}")
        check({len(piece) for piece in one.sound + both.sound} == {640}, "the size of the messages")
        check({field["type"] for field in ours.fields} == {"sound"}, "the fixed members")
        check({len(base64.b64decode(field["audio"])) for field in ours.fields} == {3_840}, "20 ms of 48 kHz stereo")
        check(ours.texts[0]["content-type"] == "audio/l16;rate=48000;channels=2", f"{ours.texts[0]}")
        ada, bob, whole, found = played(ADA, 16_000), played(BOB, 16_000), played(ADA, 48_000), {}
        looked = 0

        def heard():
            """To look takes much of the processor: so it waits for four more seconds before it looks again."""
            nonlocal looked
            if pieces() < looked + 200:
                return False
            ours.sound = [base64.b64decode(field["audio"]) for field in ours.fields[-250:]]
            found.update(
                adaAlone=best(one.heard(4), ada), bobBeside=best(one.heard(4), bob), adaInMix=best(both.heard(4), ada),
                bobInMix=best(both.heard(4), bob), adaIn48k=best(ours.heard(4, 48_000, 2), whole))
            looked = pieces()
            # What is not there finds 0.1 by chance; two in a mix have 0.7 each.
            return found["adaAlone"] > 0.8 and min(found["adaInMix"], found["bobInMix"], found["adaIn48k"]) > 0.5

        try:
            await until("the music", heard)
        finally:
            say("sound", **found)
        check(found["bobBeside"] < 0.3, f"{found}")

        await asyncio.to_thread(sdk.mute_stream, session, streams["Ada"])
        await until("the mute", lambda: one.texts[-1]["event"] == "websocket:media:update")
        check(one.texts[-1]["active"] is False and one.texts[-1]["band"] == "Quince", f"{one.texts[-1]}")
        check(both.texts[-1]["event"] == "websocket:connected", "Bob is still heard in the mix")

        await asyncio.to_thread(sdk.force_disconnect, session, first.connectionId)
        await asyncio.wait_for(one.closed.wait(), 60)
        check(one.texts[-1]["event"] == "websocket:disconnected" and one.code == 1000, f"{one.texts[-1]} {one.code}")
        await both.socket.close()
        await asyncio.wait_for(both.closed.wait(), 60)
        for _ in range(1_200):
            present = await connections()
            if first.connectionId not in present and second.connectionId not in present:
                break
            await asyncio.sleep(0.05)
        check(len(present) == 3 and third.connectionId in present, f"{present}")
        headers = {"X-OPENTOK-AUTH": sdk._create_jwt_auth_header()}
        async with http.get(f"{address}/v2/project/{KEY}/connect", headers=headers) as reply:
            reasons = [item["reason"] for item in (await reply.json())["items"]]
        check(reasons == ["", "closed by the WebSocket server", "force disconnected"], f"{reasons}")
        say("ready")
        # The service ends: so does the last one.
        await asyncio.wait_for(ours.closed.wait(), 60)
        check(ours.texts[-1]["event"] == "websocket:disconnected", f"{ours.texts[-1]}")
        check(ours.texts[-1]["reason"] == "system failure", f"{ours.texts[-1]}")
        for player in musicians:
            player.kill()
            await player.wait()
        for listener in (one, both, ours):
            await listener.runner.cleanup()
        say("done")


asyncio.run(main())
