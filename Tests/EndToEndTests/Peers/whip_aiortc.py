"""A WHIP sender by others: aiortc plays a WAV into a room.

usage: whip_aiortc.py URL FILE.wav SECONDS

A SIGTERM makes it leave earlier. Prints one JSON object a line: {"event": "answered", "status": …, "location": …},
{"event": "connected"}, {"event": "deleted", "status": …}.
"""

import asyncio
import json
import signal
import sys
import urllib.error
import urllib.parse
import urllib.request

from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer


def say(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)


def send(method, url, body=None):
    request = urllib.request.Request(url, data=body and body.encode(), method=method)
    request.add_header("Content-Type", "application/sdp")
    try:
        with urllib.request.urlopen(request) as response:
            return response.status, response.headers, response.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.headers, error.read().decode()


async def main(url, path, seconds):
    connection = RTCPeerConnection()
    connection.addTransceiver(MediaPlayer(path).audio, direction="sendonly")
    connected, leaving = asyncio.Event(), asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, leaving.set)

    @connection.on("connectionstatechange")
    def changed():
        if connection.connectionState == "connected":
            connected.set()

    await connection.setLocalDescription(await connection.createOffer())
    status, headers, body = await asyncio.to_thread(send, "POST", url, connection.localDescription.sdp)
    say("answered", status=status, location=headers.get("Location"), body=body if status != 201 else None)
    if status != 201:
        return 1
    await connection.setRemoteDescription(RTCSessionDescription(body, "answer"))
    await asyncio.wait_for(connected.wait(), 60)
    say("connected")
    await asyncio.wait([asyncio.create_task(leaving.wait())], timeout=seconds)
    status, _, _ = await asyncio.to_thread(send, "DELETE", urllib.parse.urljoin(url, headers["Location"]))
    say("deleted", status=status)
    await connection.close()
    return 0


sys.exit(asyncio.run(main(sys.argv[1], sys.argv[2], float(sys.argv[3]))))
