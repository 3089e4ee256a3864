"""Reaches the service as clients written by others do: aiohttp's WebSocket with compression, and Kurento Tree by the
WebSocket and the plain requests of SockJS."""

import asyncio
import json
import os
import sys

import aiohttp

address = sys.argv[1]
# Longer than the shortest message that the service compresses: one that gets shorter, and one that hardly does.
texts = ["la " * 600 + "la", os.urandom(900).hex()]


async def answer(link, number):
    """The answer to the request of that number; events before it are passed over."""
    while (message := await link.receive_json()).get("id") != number:
        pass
    if "result" not in message:
        sys.exit(f"refused: {message}")
    return message["result"]


async def messages(http):
    path = f"{address}/v1/rooms/Cellar/signal"
    async with http.ws_connect(path, compress=15) as ada, http.ws_connect(path, compress=10) as bob:
        if not ada.compress or not bob.compress:
            sys.exit("compression was not negotiated")
        for name, link in (("Ada", ada), ("Bob", bob)):
            await link.send_json({"id": 1, "method": "join", "params": {"name": name}})
            await answer(link, 1)
        for number, text in enumerate(texts, 2):
            await ada.send_json({"id": number, "method": "message", "params": {"text": text}})
            await answer(ada, number)
            while (event := await bob.receive_json()).get("event") != "message":
                pass
            if event["text"] != text:
                sys.exit(f"another text came: {event}")
    print("compressed messages pass both ways")


def request(number):
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": "createTree", "params": {"treeId": f"gig{number}"}})


def check(frame, number):
    """A frame of one message: the answer to that request."""
    if frame[:1] != "a" or json.loads(json.loads(frame[1:])[0])["id"] != number:
        sys.exit(f"no answer to request {number}: {frame}")


async def sockjs(http):
    tree = f"{address}/kurento-tree"
    async with http.get(f"{tree}/info?t=1") as reply:
        if not (await reply.json())["websocket"]:
            sys.exit("no WebSocket")
    # As browsers do, on a connection of its own.
    async with aiohttp.ClientSession() as other, other.ws_connect(f"{tree}/000/abcdefgh/websocket", compress=15) as link:
        if await link.receive_str() != "o":
            sys.exit("the WebSocket does not open")
        await link.send_str(json.dumps([request(1)]))
        check(await link.receive_str(), 1)
    async with http.post(f"{tree}/001/ijklmnop/xhr_streaming") as stream:
        if [await stream.content.readline(), await stream.content.readline()] != [b"h" * 2048 + b"\n", b"o\n"]:
            sys.exit("the stream does not open")
        async with http.post(f"{tree}/001/ijklmnop/xhr_send", data=json.dumps([request(2)])) as reply:
            if reply.status != 204:
                sys.exit(f"xhr_send: {reply.status} {await reply.text()}")
        check((await stream.content.readline()).decode(), 2)
    print("Kurento Tree answers by SockJS")


async def main():
    async with aiohttp.ClientSession() as http:
        await messages(http)
        await sockjs(http)


asyncio.run(asyncio.wait_for(main(), 60))
