"""Stands between an RTMP publisher and a service: sends on in bursts, corrupts frames, and drops others.

usage: rtmp_relay.py LISTEN TARGET [--burst SECONDS] [--corrupt SHARE] [--drop SHARE]
                     [--until FRAME] [--seed 1]

The client's messages are read and written again, so that a dropped one leaves nothing behind. The first ten frames of
AAC and those after `--until` are left alone: nobody can know of a loss at the very end. Prints "ready" once it
listens, and one JSON object of what it did when the first connection has ended.
"""

import argparse
import asyncio
import json
import random
import sys


class Chunks:
    """Puts the messages of a client together (RTMP specification, section 5.3.1)."""

    def __init__(self):
        self.data, self.size, self.streams = b"", 128, {}

    def messages(self, more):
        self.data += more
        while (found := self.chunk()) is not None:
            if found:
                yield found

    def chunk(self):
        """A whole message as (csid, time, kind, stream, body), empty after a part of one; None where bytes lack."""
        data = self.data
        if len(data) < 3:
            return None
        shape, csid, at = data[0] >> 6, data[0] & 63, 1
        if csid == 0:
            csid, at = 64 + data[1], 2
        elif csid == 1:
            csid, at = 64 + data[1] + 256 * data[2], 3
        length = (11, 7, 3, 0)[shape]
        if len(data) < at + length:
            return None
        stream = self.streams.setdefault(csid, {"time": 0, "step": 0, "body": b"", "long": False})
        head = data[at:at + length]
        at += length
        if length:
            step = int.from_bytes(head[:3], "big")
            stream["long"] = step == 0xFFFFFF
        if length >= 7:
            stream["length"], stream["kind"] = int.from_bytes(head[3:6], "big"), head[6]
        if length == 11:
            stream["id"] = int.from_bytes(head[7:], "little")
        if stream["long"]:
            if len(data) < at + 4:
                return None
            step, at = int.from_bytes(data[at:at + 4], "big"), at + 4
        elif not length:
            step = stream["step"]
        part = min(self.size, stream["length"] - len(stream["body"]))
        if len(data) < at + part:
            return None
        if not stream["body"]:
            stream["step"] = step
            stream["time"] = step if shape == 0 else stream["time"] + step
        stream["body"] += data[at:at + part]
        self.data = data[at + part:]
        if len(stream["body"]) < stream["length"]:
            return ()
        body, stream["body"] = stream["body"], b""
        if stream["kind"] == 1:
            self.size = int.from_bytes(body, "big") & 0x7FFFFFFF
        return csid, stream["time"] & 0xFFFFFFFF, stream["kind"], stream["id"], body


def written(message, size):
    """The message in chunks, the first with a whole header."""
    csid, time, kind, stream, body = message
    first = min(time, 0xFFFFFF).to_bytes(3, "big")
    extended = time.to_bytes(4, "big") if time >= 0xFFFFFF else b""
    start = bytes([csid]) if csid < 64 else bytes([0, csid - 64])
    parts = [body[at:at + size] for at in range(0, len(body), size)] or [b""]
    more = bytes([start[0] | 0xC0]) + start[1:] + extended
    return start + first + len(body).to_bytes(3, "big") + bytes([kind]) + stream.to_bytes(4, "little") + extended \
        + more.join(parts)


async def read(stream):
    """What comes next; nothing once the other side is gone, whatever way it went."""
    try:
        return await stream.read(65536)
    except ConnectionError:
        return b""


async def relay(options, reader, writer):
    up, down = await asyncio.open_connection("127.0.0.1", options.target)
    counts = {"frames": 0, "corrupted": 0, "dropped": 0}
    chance = random.Random(options.seed)
    queue, waiting, begun = [], asyncio.Event(), asyncio.Event()
    is_over = False

    async def answers():
        while data := await read(up):
            if b"Publish.Start" in data:
                begun.set()
            writer.write(data)
        writer.close()

    def changed(message):
        csid, time, kind, stream, body = message
        if kind != 8 or len(body) < 3 or body[1] != 1:
            return message
        counts["frames"] += 1
        if not 10 < counts["frames"] <= options.until:
            return message
        luck = chance.random()
        if luck < options.drop:
            counts["dropped"] += 1
            return None
        if luck < options.drop + options.corrupt:
            counts["corrupted"] += 1
            return csid, time, kind, stream, body[:2] + chance.randbytes(len(body) - 2)
        return message

    def send(message, size):
        message = changed(message)
        if message:
            queue.append(written(message, size))

    async def listen():
        nonlocal is_over
        for size in (1 + 1536, 1536):
            queue.append(await reader.readexactly(size))
            waiting.set()
        chunks = Chunks()
        while data := await read(reader):
            size = chunks.size
            for message in chunks.messages(data):
                # A change of the size counts from the message after it.
                send(message, size)
                size = chunks.size
            waiting.set()
        is_over = True
        waiting.set()

    async def pass_on():
        while not (is_over and not queue):
            await waiting.wait()
            waiting.clear()
            if begun.is_set() and options.burst:
                await asyncio.sleep(options.burst)
            down.write(b"".join(queue))
            queue.clear()
            try:
                await down.drain()
            except ConnectionError:
                break
        down.close()

    await asyncio.gather(answers(), listen(), pass_on())
    print(json.dumps(counts), flush=True)


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("listen", type=int)
    parser.add_argument("target", type=int)
    parser.add_argument("--burst", type=float, default=0)
    parser.add_argument("--corrupt", type=float, default=0)
    parser.add_argument("--drop", type=float, default=0)
    parser.add_argument("--until", type=int, default=1 << 60)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    over = asyncio.get_running_loop().create_future()

    async def serve(reader, writer):
        # An error ends the program; nobody would hear of it otherwise, and the test would wait.
        try:
            over.set_result(await relay(options, reader, writer))
        except Exception as error:
            over.set_exception(error)

    server = await asyncio.start_server(serve, "127.0.0.1", options.listen)
    print("ready", flush=True)
    await over
    server.close()


sys.exit(asyncio.run(main()))
