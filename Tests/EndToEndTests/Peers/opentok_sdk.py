"""The server of an app made for OpenTok, with the official SDK, beside musicians of other protocols.

usage: opentok_sdk.py ADDRESS KEY SECRET ANOTHER-SECRET FILE.wav

An aiortc musician comes by WHIP, a listener by the native protocol. Prints one JSON object a line; ends with an
exception at the first thing that is not as it has to be.
"""

import asyncio
import json
import sys
import urllib.parse

import aiohttp
from opentok import ArchiveModes, Client, MediaModes, Roles
from opentok.exceptions import (
    AuthError, BroadcastError, ForceDisconnectError, GetStreamError, OpenTokException, RequestError,
    SipDialError)

from opentok_app import check, say, until, whip

address, KEY, SECRET, ANOTHER, path = sys.argv[1:6]
sdk = Client(KEY, SECRET, api_url=address)
NOBODY = "00000000-0000-8000-8000-000000000000"


def refused(kind, call, *arguments, **named):
    """The text of the error that the SDK makes."""
    try:
        call(*arguments, **named)
    except kind as error:
        check(type(error) is kind, f"{type(error)} and not {kind}: {error}")
        return str(error)
    raise RuntimeError(f"{call.__name__} was not refused")


async def room_of(http, session):
    """Jamjar's room of a session, which the answer to its creation names beside what the SDK reads."""
    headers = {"X-OPENTOK-AUTH": sdk._create_jwt_auth_header(), "Accept": "application/json"}
    url = f"{address}/session/create"
    async with http.post(url, headers=headers, data={"p2p.preference": "disabled"}) as reply:
        body = await reply.json()
    return body[0]["session_id"], body[0]["room"]


class Native:
    """A listener by the native protocol."""

    def __init__(self, socket):
        self.socket, self.seen = socket, []

    async def wait(self, what, fits):
        for message in self.seen:
            if fits(message):
                return message
        while True:
            message = await asyncio.wait_for(self.socket.receive(), 60)
            if message.type != aiohttp.WSMsgType.TEXT:
                raise RuntimeError(f"the socket ended before {what}: {self.seen}")
            value = json.loads(message.data)
            self.seen.append(value)
            if fits(value):
                return value


async def main():
    # A WebSocket needs a connection of its own.
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(force_close=True)) as http:
        created = await asyncio.to_thread(sdk.create_session)
        check(created.media_mode == MediaModes.relayed, "the SDK's own default")
        routed = await asyncio.to_thread(
            sdk.create_session, media_mode=MediaModes.routed, archive_mode=ArchiveModes.always,
            archive_name="Probe ~ Ä", archive_resolution="1280x720")
        session, room = await room_of(http, routed)
        for role in (Roles.subscriber, Roles.publisher, Roles.moderator, Roles.publisher_only):
            for jwt in (True, False):
                token = sdk.generate_token(session, role, data="name=ada", use_jwt=jwt)
                check(token, f"no token of {role}")
        say("tokens")

        # Nobody is there yet, which is no error, and something else than no session.
        check((await asyncio.to_thread(sdk.list_streams, session)).count == 0, "streams of nobody")
        text = await asyncio.to_thread(refused, RequestError, sdk.send_signal, session, {"type": "a", "data": "b"})
        say("nobody", text=text)

        musician = await whip(http, address, room, "Ada", path)
        socket = await http.ws_connect(f"{address.replace('http', 'ws', 1)}/v1/rooms/{urllib.parse.quote(room)}/signal")
        await socket.send_str(json.dumps(
            {"id": 1, "method": "join", "params": {"name": "Bob", "role": "listener", "consent": True}}))
        bob = Native(socket)
        await bob.wait("the join", lambda m: m.get("id") == 1 and "result" in m)
        streams = await until("a stream", lambda: list(sdk.list_streams(session)))
        check([stream.name for stream in streams] == ["Ada"], f"{[stream.name for stream in streams]}")
        stream = streams[0].id
        check((await asyncio.to_thread(sdk.get_stream, session, stream)).videoType == "camera", "the stream's type")
        await asyncio.to_thread(refused, GetStreamError, sdk.get_stream, session, NOBODY)
        payload = [{"id": stream, "layoutClassList": ["focus"]}]
        await asyncio.to_thread(sdk.set_stream_class_lists, session, payload)
        check((await asyncio.to_thread(sdk.get_stream, session, stream)).layoutClassList == ["focus"], "the classes")
        say("streams", id=stream)

        await asyncio.to_thread(sdk.send_signal, session, {"type": "chat", "data": "count in"})
        push = await bob.wait("the signal", lambda m: "count in" in json.dumps(m))
        say("signal", push=push)
        await asyncio.to_thread(
            refused, RequestError, sdk.send_signal, session, {"type": "x" * 129, "data": "b"})
        await asyncio.to_thread(
            refused, RequestError, sdk.send_signal, session, {"type": "chat", "data": "x"}, NOBODY)

        async def connections():
            headers = {"X-OPENTOK-AUTH": sdk._create_jwt_auth_header()}
            url = f"{address}/v2/project/{KEY}/session/{session}/connection"
            async with http.get(url, headers=headers) as reply:
                return (await reply.json())["items"]

        wish = {"outputs": {"hls": {"lowLatency": True}}, "maxDuration": 600}
        broadcast = await asyncio.to_thread(sdk.start_broadcast, session, wish)
        check(broadcast.status == "started" and broadcast.hasAudio, f"{broadcast.json()}")
        await asyncio.to_thread(refused, BroadcastError, sdk.start_broadcast, session, wish)
        await asyncio.to_thread(sdk.set_broadcast_layout, broadcast.id, "bestFit")
        await until(
            "the broadcast is heard",
            lambda: sdk.get_broadcast(broadcast.id).broadcastUrls["hlsStatus"] == "live")
        check((await asyncio.to_thread(sdk.stop_broadcast, broadcast.id)).status == "stopped", "the broadcast's end")
        await asyncio.to_thread(refused, BroadcastError, sdk.stop_broadcast, broadcast.id)
        say("broadcast")

        present = await connections()
        check(len(present) == 2, f"{present}")
        check((await asyncio.to_thread(sdk.mute_stream, session, stream)).status_code == 200, "mute")
        await bob.wait("the mute", lambda m: '"muted":true' in json.dumps(m, separators=(",", ":")))
        check((await asyncio.to_thread(sdk.mute_all, session, [stream])).status_code == 200, "mute all")
        check((await asyncio.to_thread(sdk.disable_force_mute, session)).status_code == 200, "no mute")
        await asyncio.to_thread(refused, ForceDisconnectError, sdk.force_disconnect, session, NOBODY)
        for connection in present:
            await asyncio.to_thread(sdk.force_disconnect, session, connection["connectionId"])
        check(await connections() == [], "nobody is there any more")
        await musician.close()
        await socket.close()
        say("disconnected")

        wrong = Client(KEY, ANOTHER, api_url=address)
        await asyncio.to_thread(refused, AuthError, wrong.list_streams, session)
        await asyncio.to_thread(refused, RequestError, wrong.create_session)
        token = sdk.generate_token(session)
        await asyncio.to_thread(refused, SipDialError, sdk.dial, session, token, "sip:a@b.example")
        # As for archives: nobody is connected.
        await asyncio.to_thread(
            refused, RequestError, sdk.start_broadcast, session, {"outputs": {"hls": {}}})
        await asyncio.to_thread(refused, RequestError, sdk.start_render, session, token, "https://a.example")
        check((await asyncio.to_thread(sdk.list_renders)).count == 0, "renders")
        other = Client("46000002", ANOTHER, api_url=address)
        # This SDK makes an empty list of 404.
        check(len(list(await asyncio.to_thread(other.list_streams, session) or [])) == 0, "another project's session")
        await asyncio.to_thread(refused, OpenTokException, other.generate_token, session)
        say("done")


asyncio.run(main())
