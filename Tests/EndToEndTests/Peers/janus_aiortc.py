"""A musician in a Janus room: aiortc publishes a WAV.

usage: janus_aiortc.py WS-URL videoroom|audiobridge ROOM NAME FILE.wav SECONDS

Prints one JSON object a line: {"event": "joined"}, {"event": "connected"}, {"event": "left"}, or {"event": "refused", …}.
"""

import asyncio
import json
import sys
import uuid

import aiohttp
from aiortc import RTCPeerConnection, RTCSessionDescription
from aiortc.contrib.media import MediaPlayer


def say(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)


class Janus:
    """One session of Janus with one handle, over a WebSocket."""

    def __init__(self, socket):
        self.socket = socket
        self.ids = {}
        self.waiting = {}

    async def read(self):
        async for message in self.socket:
            text = json.loads(message.data)
            waiting = self.waiting.get(text.get("transaction"))
            if waiting and text["janus"] != "ack" and not waiting.done():
                waiting.set_result(text)

    async def ask(self, **members):
        transaction = uuid.uuid4().hex
        self.waiting[transaction] = asyncio.get_running_loop().create_future()
        await self.socket.send_str(json.dumps({**members, **self.ids, "transaction": transaction}))
        return await asyncio.wait_for(self.waiting[transaction], 60)

    async def keep_alive(self):
        while True:
            await asyncio.sleep(20)
            await self.socket.send_str(
                json.dumps({"janus": "keepalive", "transaction": "k", "session_id": self.ids["session_id"]}))


async def main(url, plugin, room, name, path, seconds):
    async with aiohttp.ClientSession() as client, client.ws_connect(url, protocols=["janus-protocol"]) as socket:
        janus = Janus(socket)
        tasks = [asyncio.create_task(janus.read())]
        janus.ids["session_id"] = (await janus.ask(janus="create"))["data"]["id"]
        tasks.append(asyncio.create_task(janus.keep_alive()))
        janus.ids["handle_id"] = (await janus.ask(janus="attach", plugin=f"janus.plugin.{plugin}"))["data"]["id"]
        body = {"request": "join", "room": int(room), "display": name}
        if plugin == "videoroom":
            body["ptype"] = "publisher"
        reply = await janus.ask(janus="message", body=body)
        data = reply.get("plugindata", {}).get("data", {})
        if "error" in data:
            say("refused", reason=data["error"])
            return 1
        say("joined")
        connection = RTCPeerConnection()
        connection.addTransceiver(MediaPlayer(path).audio, direction="sendonly" if plugin == "videoroom" else "sendrecv")
        connected = asyncio.Event()

        @connection.on("connectionstatechange")
        def changed():
            if connection.connectionState == "connected":
                connected.set()

        await connection.setLocalDescription(await connection.createOffer())
        request = {"request": "publish", "display": name} if plugin == "videoroom" else {"request": "configure", "muted": False}
        reply = await janus.ask(
            janus="message", body=request, jsep={"type": "offer", "sdp": connection.localDescription.sdp})
        await connection.setRemoteDescription(RTCSessionDescription(reply["jsep"]["sdp"], "answer"))
        await asyncio.wait_for(connected.wait(), 60)
        say("connected")
        await asyncio.sleep(seconds)
        await janus.ask(janus="message", body={"request": "leave"})
        await connection.close()
        for task in tasks:
            task.cancel()
        say("left")
        return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(main(*sys.argv[1:6], float(sys.argv[6]))))
