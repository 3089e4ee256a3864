"""A Chromium of script/bench-studio: a page on a line of a given speed that counts what it asks the server for."""
import asyncio, contextlib, importlib.machinery, importlib.util, os, sys, time

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.dont_write_bytecode = True


def sibling(name):
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), os.path.join(HERE, "script", name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


# This one begins again with the tests' Python, which has aiohttp.
ears, bench = sibling("bench-ears"), sibling("bench")

# Mbit/s, and ms from a request to its answer.
LINES = {0.4: 150, 1.6: 60, 6: 30}
# A page counts as loaded after so many seconds without a request.
QUIET = 2

# In every page, before anything of its own: looks in each frame that it paints.
WATCH = """
const frame = () => new Promise(requestAnimationFrame);
const usable = async (find) => {
  for (;;) {
    const found = find();
    if (found && !found.disabled && found.checkVisibility()) return found;
    await frame();
  }
};
"""


class Page(ears.Page):
    """A page that counts its requests and those of its workers, perhaps on a slow line."""

    def __init__(self, folder, *flags):
        super().__init__(folder, "--mute-audio", "--window-size=1280,900", *flags)
        self.requests, self.last, self.conditions, self.tasks = {}, 0, None, set()

    async def begin(self, client, rate):
        await self.connect(client)
        if rate:
            self.conditions = {"offline": False, "latency": LINES[rate], "downloadThroughput": rate * 125_000,
                               "uploadThroughput": rate * 125_000}
        await self.ask("Page.enable")
        await self.ask("Page.addScriptToEvaluateOnNewDocument", source=WATCH)
        await self.watch(None)

    async def watch(self, session):
        await self.ask("Network.enable", session)
        if self.conditions:
            await self.ask("Network.emulateNetworkConditions", session, **self.conditions)
        await self.ask("Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True)

    async def adopt(self, session):
        """A worker, which waits for its debugger. A worklet has no network, and goes on all the same."""
        # It may have ended meanwhile.
        with contextlib.suppress(SystemExit, OSError, asyncio.TimeoutError):
            await self.watch(session)
        with contextlib.suppress(SystemExit, OSError, asyncio.TimeoutError):
            await self.ask("Runtime.runIfWaitingForDebugger", session)

    def hear(self, event):
        method, params = event["method"], event["params"]
        if method == "Target.attachedToTarget":
            self.tasks.add(asyncio.ensure_future(self.adopt(params["sessionId"])))
        key = event.get("sessionId"), params.get("requestId")
        if method == "Network.requestWillBeSent" and params["request"]["url"].startswith("http"):
            self.requests[key] = {"url": params["request"]["url"], "bytes": 0, "cached": False}
        one = self.requests.get(key)
        if not one:
            return
        self.last = time.monotonic()
        if method == "Network.requestServedFromCache":
            one["cached"] = True
        elif method == "Network.responseReceived":
            one["cached"] |= params["response"].get("fromDiskCache", False)
            one["bytes"] = params["response"]["encodedDataLength"]
        elif method == "Network.dataReceived":
            one["bytes"] += params["encodedDataLength"]
        elif method == "Network.loadingFinished":
            one["bytes"] = params["encodedDataLength"]

    async def visit(self, address, script, given=None):
        await self.ask("Page.navigate", url=address)
        return await self.run(script, given)

    async def counted(self, visit):
        """(requests that went to the server, kB on the wire with their heads) of a visit, until it is quiet; 20 s at most."""
        self.requests.clear()
        await visit
        begin = self.last = time.monotonic()
        while time.monotonic() < min(self.last + QUIET, begin + 20):
            await asyncio.sleep(0.1)
        sent = [one for one in self.requests.values() if not one["cached"]]
        return len(sent), sum(one["bytes"] for one in sent) / 1000


def spent(pid):
    """Seconds of CPU of a browser, by kind of process and by thread."""
    kinds = {"--type=renderer": "renderer", "--type=gpu-process": "GPU process", "audio.mojom.AudioService": "audio service",
             "network.mojom.NetworkService": "network service", "--type=": "others"}
    found = {}
    for each in bench.family(pid):
        with contextlib.suppress(OSError):
            words = open(f"/proc/{each}/cmdline").read()
            kind = next((name for word, name in kinds.items() if word in words), "browser")
            for thread in os.listdir(f"/proc/{each}/task"):
                with contextlib.suppress(OSError):
                    head, fields = open(f"/proc/{each}/task/{thread}/stat").read().rsplit(")", 1)
                    key, fields = (kind, "main" if thread == str(each) else head.split("(", 1)[1]), fields.split()
                    found[key] = found.get(key, 0) + (int(fields[11]) + int(fields[12])) / bench.TICK
    return found
