"""A bad network: passes UDP datagrams on with loss, delay, jitter and duplicates, the same in every run.

usage: relay.py FROM TO COUNT [--loss 0.1] [--burst 3] [--delay 30] [--jitter 10] [--duplicates 0.01] [--seed 1]
                [--host 127.0.0.1]

Listens on the host's ports FROM to FROM + COUNT - 1, and passes on to the ports from TO on; each sender gets a socket
of its own to the other side. Loss is Gilbert's: `--burst` is the mean length of a run of losses in datagrams. Times are
milliseconds one way. Prints "ready" once it listens, and when it is asked to end, one JSON object of what it did.
"""

import argparse
import asyncio
import json
import random
import signal


class Direction:
    """One way of the network."""

    def __init__(self, options, seed):
        self.options, self.random, self.in_burst = options, random.Random(seed), False
        self.passed = self.lost = 0

    def is_lost(self):
        loss, burst, draw = self.options.loss, max(1.0, self.options.burst), self.random.random()
        if self.in_burst:
            self.in_burst = draw >= 1 / burst
        else:
            self.in_burst = draw < loss / (1 - loss) / burst
        return self.in_burst

    def carry(self, send):
        if self.is_lost():
            self.lost += 1
            return
        self.passed += 1
        copies = 2 if self.random.random() < self.options.duplicates else 1
        for _ in range(copies):
            wait = self.options.delay + self.random.random() * self.options.jitter
            asyncio.get_running_loop().call_later(wait / 1000, send)


class Upstream(asyncio.DatagramProtocol):
    """The socket that stands in for one sender towards the other side."""

    def __init__(self, answer):
        self.answer = answer

    def datagram_received(self, data, _):
        self.answer(data)


class Port(asyncio.DatagramProtocol):
    def __init__(self, host, target, there, back):
        self.host, self.target, self.there, self.back, self.upstreams = host, target, there, back, {}

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, sender):
        asyncio.ensure_future(self.pass_on(data, sender))

    async def pass_on(self, data, sender):
        if sender not in self.upstreams:
            self.upstreams[sender] = asyncio.ensure_future(asyncio.get_running_loop().create_datagram_endpoint(
                lambda: Upstream(lambda answer: self.back.carry(lambda: self.transport.sendto(answer, sender))),
                remote_addr=(self.host, self.target)))
        upstream, _ = await self.upstreams[sender]
        self.there.carry(lambda: upstream.sendto(data))


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source", type=int)
    parser.add_argument("target", type=int)
    parser.add_argument("count", type=int)
    for name, usual in (("loss", 0.1), ("burst", 1.0), ("delay", 30.0), ("jitter", 10.0), ("duplicates", 0.01)):
        parser.add_argument(f"--{name}", type=float, default=usual)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--host", default="127.0.0.1")
    options = parser.parse_args()
    there, back = Direction(options, options.seed), Direction(options, options.seed + 1)
    loop, over = asyncio.get_running_loop(), asyncio.Event()
    for number in range(options.count):
        await loop.create_datagram_endpoint(
            lambda target=options.target + number: Port(options.host, target, there, back),
            local_addr=(options.host, options.source + number))
    loop.add_signal_handler(signal.SIGTERM, over.set)
    print("ready", flush=True)
    await over.wait()
    print(json.dumps({"passed": there.passed, "lost": there.lost, "passedBack": back.passed, "lostBack": back.lost}),
          flush=True)


asyncio.run(main())
