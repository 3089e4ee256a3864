"""Two musicians of one kind who play one sound at the same instants, each over a connection of their own.

For `pairs.py`. `AiortcMusicians` and `FirefoxMusicians` have the same face: `play` returns after `seconds` of music,
`close` leaves nothing running. `origin` is when sample 0 of the noise was captured, in nanoseconds of CLOCK_BOOTTIME,
or None where that is not known. `detour` is what has to be added to the service's ports to come to a relay in front of
them, 0 where there is none.
"""
import asyncio, base64, json, os, re, shutil, signal, struct, tempfile, time, urllib.parse
from fractions import Fraction

import aiohttp
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from aiortc.mediastreams import MediaStreamError
from av import AudioFrame

from pair_distances import RATE

FRAME = 960
PATIENCE = 90
# Of an answer's candidates: what stands before the port, and the port.
CANDIDATE_PORT = r"(?m)^(a=candidate:\S+ \d+ \S+ \d+ \S+ )(\d+)"


class NoiseTrack(MediaStreamTrack):
    """The noise by one clock: frame k can be had when its last sample is due, for every track of that clock alike."""

    kind = "audio"

    def __init__(self, noise, origin):
        super().__init__()
        self.noise, self.origin, self.next, self.late = noise, origin, None, []

    async def recv(self):
        if self.readyState != "live":
            raise MediaStreamError
        if self.next is None:
            self.next = int((time.monotonic() - self.origin) * RATE) // FRAME
        due = self.origin + (self.next + 1) * FRAME / RATE
        await asyncio.sleep(max(0, due - time.monotonic()))
        self.late.append(time.monotonic() - due)
        frame = AudioFrame(format="s16", layout="mono", samples=FRAME)
        start = self.next * FRAME % len(self.noise)
        frame.planes[0].update(self.noise[start:start + FRAME].tobytes())
        frame.pts, frame.sample_rate, frame.time_base = self.next * FRAME, RATE, Fraction(1, RATE)
        self.next += 1
        return frame


class AiortcMusicians:
    def __init__(self, noise, detour):
        assert len(noise) % FRAME == 0
        self.noise, self.detour, self.connections, self.tracks = noise, detour, [], []
        origin = time.monotonic()
        boot = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
        self.clock, self.origin = origin, round(origin * 1e9) + boot

    async def play(self, service, paths, seconds):
        async with aiohttp.ClientSession(service) as http:
            sessions = await asyncio.gather(*(self.publish(http, path) for path in paths))
            await asyncio.sleep(seconds)
            for session in sessions:
                (await http.delete(session)).raise_for_status()
        late = sorted(late for track in self.tracks for late in track.late)
        return {"frameLatenessP99Milliseconds": round(1e3 * late[len(late) * 99 // 100], 2),
                "frameLatenessMaxMilliseconds": round(1e3 * late[-1], 2)}

    async def publish(self, http, path):
        connection, connected = RTCPeerConnection(), asyncio.Event()
        self.connections.append(connection)
        self.tracks.append(NoiseTrack(self.noise, self.clock))
        connection.addTransceiver(self.tracks[-1], direction="sendonly")
        connection.on("connectionstatechange",
                      lambda: connected.set() if connection.connectionState == "connected" else None)
        await connection.setLocalDescription(await connection.createOffer())
        headers = {"Content-Type": "application/sdp"}
        async with http.post(path, data=self.offered(connection.localDescription.sdp), headers=headers) as answer:
            answer.raise_for_status()
            session = answer.headers["Location"]
            await connection.setRemoteDescription(RTCSessionDescription(self.answered(await answer.text()), "answer"))
        await asyncio.wait_for(connected.wait(), PATIENCE)
        return urllib.parse.urlparse(session).path

    def offered(self, sdp):
        return re.sub(r"(?m)^a=candidate:.*\r?\n", "", sdp) if self.detour else sdp

    def answered(self, sdp):
        return re.sub(CANDIDATE_PORT, lambda found: found[1] + str(int(found[2]) + self.detour), sdp)

    async def close(self):
        await asyncio.gather(*(connection.close() for connection in self.connections))


# A player is captured as a track, and a clone of it goes into each connection. An AudioContext would be the plainer
# source, but Firefox lets none run where there is no sound card.
PLAY = r"""async (given) => {
  const { header, noise, times, paths, detour } = JSON.parse(given);
  const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const file = new Blob([bytes(header), ...Array(times).fill(bytes(noise))], { type: "audio/wav" });
  const player = new Audio(URL.createObjectURL(file));
  const track = new Promise((found) => {
    player.onloadedmetadata = () => {
      const stream = player.mozCaptureStream();
      if (stream.getAudioTracks().length) return found(stream.getAudioTracks()[0]);
      stream.onaddtrack = (event) => found(event.track);
    };
  });
  const until = async (isTrue) => { while (!isTrue()) await new Promise((next) => setTimeout(next, 10)); };
  const publish = async (path) => {
    const connection = new RTCPeerConnection();
    connection.addTransceiver((await track).clone(), { direction: "sendonly" });
    await connection.setLocalDescription();
    await until(() => connection.iceGatheringState === "complete");
    let body = connection.localDescription.sdp;
    if (detour) body = body.replace(/^a=candidate:.*\r?\n/gm, "");
    const answer = await fetch(path, { method: "POST", body, headers: { "Content-Type": "application/sdp" } });
    if (!answer.ok) throw new Error(await answer.text());
    const sdp = (await answer.text()).replace(
      /^(a=candidate:\S+ \d+ \S+ \d+ \S+ )(\d+)/gm, (_, head, port) => head + (+port + detour));
    await connection.setRemoteDescription({ type: "answer", sdp });
    await until(() => connection.connectionState === "connected");
    return { connection, session: answer.headers.get("Location") };
  };
  await track;
  await player.play();
  window.pair = { player, sessions: await Promise.all(paths.map(publish)) };
}"""

LEAVE = """async () => {
  const stats = [];
  for (const { connection, session } of window.pair.sessions) {
    for (const each of (await connection.getStats()).values()) {
      if (each.type === "outbound-rtp") stats.push({ packetsSent: each.packetsSent });
    }
    await fetch(session, { method: "DELETE" });
    connection.close();
  }
  return JSON.stringify(stats);
}"""


def wave_header(count):
    """What stands in front of `count` bytes of samples in a WAV file: mono, 16 bits."""
    return struct.pack(
        "<4sI8sIHHIIHH4sI", b"RIFF", 36 + count, b"WAVEfmt ", 16, 1, 1, RATE, 2 * RATE, 2, 16, b"data", count)


class FirefoxMusicians:
    # As for the tests' Firefox (Browser/Firefox.swift).
    PREFERENCES = {
        "media.autoplay.default": "0", "media.autoplay.blocking_policy": "0", "app.normandy.enabled": "false",
        "app.update.enabled": "false", "browser.safebrowsing.update.enabled": "false",
        "browser.shell.checkDefaultBrowser": "false", "datareporting.policy.dataSubmissionEnabled": "false",
        "extensions.update.enabled": "false", "network.captive-portal-service.enabled": "false",
        "network.connectivity-service.enabled": "false", "services.settings.server": '"data:,"',
    }

    def __init__(self, noise, detour):
        self.noise, self.detour, self.origin, self.commands = noise, detour, None, 0
        self.process = self.http = None
        self.profile = tempfile.mkdtemp(prefix="jamjar-firefox-")

    async def start(self):
        with open(os.path.join(self.profile, "user.js"), "w") as file:
            file.writelines(f'user_pref("{name}", {value});\n' for name, value in self.PREFERENCES.items())
        self.process = await asyncio.create_subprocess_exec(
            "nice", "-n", "-10", "firefox-esr", "--headless", "--no-remote", "--profile", self.profile,
            "--remote-debugging-port", "0", "about:blank", stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE, start_new_session=True)
        address = await asyncio.wait_for(self.announcement(), PATIENCE)
        # Nobody may write into a full pipe.
        self.drain = asyncio.create_task(self.process.stderr.read())
        self.http = aiohttp.ClientSession()
        self.socket = await self.http.ws_connect(address + "/session", max_msg_size=0)
        await self.command("session.new", {"capabilities": {}})
        self.context = (await self.command("browsingContext.getTree", {}))["contexts"][0]["context"]

    async def announcement(self):
        async for line in self.process.stderr:
            if b"WebDriver BiDi listening on " in line:
                return line.decode().split(" on ")[1].strip()
        raise SystemExit("Firefox did not start; apt-get install firefox-esr")

    async def command(self, method, parameters):
        self.commands += 1
        await self.socket.send_json({"id": self.commands, "method": method, "params": parameters})
        while True:
            answer = await self.socket.receive_json(timeout=PATIENCE)
            if answer.get("id") == self.commands:
                if answer["type"] != "success":
                    raise SystemExit(f"Firefox: {method}: {answer}"[:1000])
                return answer["result"]

    async def call(self, function, argument=None):
        result = await self.command("script.callFunction", {
            "functionDeclaration": function, "awaitPromise": True, "userActivation": True,
            "target": {"context": self.context},
            "arguments": [{"type": "string", "value": json.dumps(argument)}]})
        if result["type"] != "success":
            raise SystemExit(f"the page says: {result['exceptionDetails']['text']}")
        return result["result"].get("value")

    async def play(self, service, paths, seconds):
        await self.start()
        # A page of the service itself, so that its requests are of the same origin.
        await self.command("browsingContext.navigate", {"context": self.context, "url": service, "wait": "complete"})
        times = int(seconds + PATIENCE) * RATE // len(self.noise) + 1
        await self.call(PLAY, {"header": base64.b64encode(wave_header(times * self.noise.nbytes)).decode(),
                               "noise": base64.b64encode(self.noise.tobytes()).decode(), "times": times, "paths": paths,
                               "detour": self.detour})
        await asyncio.sleep(seconds)
        return {"sent": json.loads(await self.call(LEAVE))}

    async def close(self):
        if self.http:
            await self.http.close()
        if self.process:
            try:
                os.killpg(self.process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            await self.process.wait()
        shutil.rmtree(self.profile, ignore_errors=True)


KINDS = {"aiortc": AiortcMusicians, "firefox": FirefoxMusicians}
