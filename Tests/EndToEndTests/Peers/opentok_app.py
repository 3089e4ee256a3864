"""What the programs of apps made for OpenTok share: events, checks, musicians by WHIP."""

import asyncio
import base64
import json
import urllib.parse

from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer


def say(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)


def check(condition, what):
    if not condition:
        raise RuntimeError(what)


def room_of(session):
    """The room of a session: of its id's fields."""
    text = session[2:]
    fields = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().split("~")
    return f"{fields[1]}-{fields[4]}-{fields[5]}-{fields[7]}"


async def whip(http, address, room, name, path):
    """A musician who plays a sound file round and round."""
    connection = RTCPeerConnection()
    connection.addTransceiver(MediaPlayer(path, loop=True).audio, direction="sendonly")
    await connection.setLocalDescription(await connection.createOffer())
    url = f"{address}/whip/{urllib.parse.quote(room)}?name={name}"
    headers = {"Content-Type": "application/sdp"}
    async with http.post(url, data=connection.localDescription.sdp, headers=headers) as reply:
        check(reply.status == 201, f"WHIP {reply.status} {await reply.text()}")
        await connection.setRemoteDescription(RTCSessionDescription(await reply.text(), "answer"))
    return connection


async def until(what, probe):
    """Asks again until it is so; the test's own limit ends it."""
    for _ in range(1_200):
        found = await asyncio.to_thread(probe)
        if found:
            return found
        await asyncio.sleep(0.05)
    raise RuntimeError(f"in vain: {what}")
