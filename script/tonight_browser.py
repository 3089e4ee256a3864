"""A musician of script/tonight: a Chromium at home, driven as a person would, with a tone for a microphone."""
import base64, http.client, json, math, os, struct, time, wave

# Every connection of the page, for its statistics.
WATCH = """
const Real = RTCPeerConnection;
window.connections = [];
window.RTCPeerConnection = class extends Real {
  constructor(...words) { super(...words); window.connections.push(this); }
};
"""

# The path that each connection takes, and the delays that the page shows.
FACTS = """
const paths = new Set(), trips = [];
for (const connection of window.connections) {
  if (connection.connectionState !== "connected") continue;
  const stats = await connection.getStats(), all = [...stats.values()];
  const pair = stats.get(all.find(({ type }) => type === "transport")?.selectedCandidatePairId);
  if (!pair) continue;
  const ours = stats.get(pair.localCandidateId), theirs = stats.get(pair.remoteCandidateId);
  const relay = ours.relayProtocol ? ` by TURN/${ours.relayProtocol}` : "";
  paths.add(`${ours.candidateType} ${ours.address}${relay} to ${theirs.address}`);
  trips.push(pair.currentRoundTripTime * 1000);
}
const hears = [...document.querySelectorAll(".member")].map((one) =>
  [one.querySelector("strong")?.innerText, one.querySelector(".delay")?.innerText].filter(Boolean).join(" ")).filter((text) => !text.includes("(you)"));
return { path: [...paths].join(", "), roundTrip: trips.length ? Math.max(...trips).toFixed(1) : "?", hears: hears.join("; ") };
"""


class Musician:
    def __init__(self, world, machine, name, tone):
        self.machine, self.name, self.taps = machine, name, 0
        self.session = None
        sound = f"{machine.folder}/{name}.wav"
        self.write_tone(sound, tone)
        self.trust(world)
        self.driver = machine.spawn(["chromedriver", "--port=9515"], f"chromedriver-{name}.log")
        options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--mute-audio", "--window-size=640,480",
                            "--force-prefers-reduced-motion", "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream",
                            f"--use-file-for-fake-audio-capture={sound}"]}
        wanted = {"alwaysMatch": {"browserName": "chrome", "goog:chromeOptions": options,
                                  "timeouts": {"script": 120_000, "pageLoad": 60_000}}}
        deadline = time.monotonic() + 30
        while True:
            try:
                self.session = self.ask("POST", "/session", {"capabilities": wanted})["sessionId"]
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Page.addScriptToEvaluateOnNewDocument", "params": {"source": WATCH}})

    @staticmethod
    def write_tone(path, tone):
        with wave.open(path, "wb") as file:
            file.setnchannels(2), file.setsampwidth(2), file.setframerate(48_000)
            # A second of it, which the device repeats.
            samples = [int(9_000 * math.sin(2 * math.pi * tone * index / 48_000)) for index in range(48_000)]
            file.writeframes(b"".join(struct.pack("<hh", sample, sample) for sample in samples))

    def trust(self, world):
        """The authority that stands for Let's Encrypt's, as one of the system's."""
        store = f"sql:{self.machine.folder}/root/.pki/nssdb"
        self.machine.write("pebble.pem", world.trusted_root())
        if os.path.exists(self.machine.folder + "/root/.pki/nssdb"):
            return
        os.makedirs(self.machine.folder + "/root/.pki/nssdb")
        self.machine.run(["certutil", "-d", store, "-N", "--empty-password"])
        self.machine.run(["certutil", "-d", store, "-A", "-n", "pebble", "-t", "C,,", "-i", self.machine.folder + "/pebble.pem"])

    def ask(self, method, path, body=None):
        """One command of WebDriver (w3.org/TR/webdriver2)."""
        connection = http.client.HTTPConnection("127.0.0.1")
        connection.sock = self.machine.connect(9515)
        whole = path if path == "/session" else f"/session/{self.session}{path}"
        connection.request(method, whole, json.dumps(body if body is not None else {}) if method == "POST" else None)
        answer = connection.getresponse()
        value = json.loads(answer.read())["value"]
        connection.close()
        if answer.status != 200:
            raise RuntimeError(f"{self.name}: {value['error']}: {value['message'].splitlines()[0]}")
        return value

    def do(self, script, *words):
        answer = self.ask("POST", "/execute/async", {"args": list(words), "script": """
            const arguments_ = [...arguments], done = arguments_.pop();
            (async function () { %s }).apply(null, arguments_)
              .then((value) => done({ value: value ?? null }), (error) => done({ error: String(error?.message ?? error) }));
            """ % script})
        if "error" in answer:
            self.picture()
            raise RuntimeError(f"{self.name}'s page says: {answer['error']}")
        return answer["value"]

    def until(self, condition):
        """Waits for something of the page, a minute at most; then says what stands there instead."""
        self.do("""
            await new Promise((resolve, reject) => {
              const begin = performance.now();
              const look = () => {
                if (%s) resolve();
                else if (performance.now() - begin > 60000) reject(new Error(`not true: ${arguments_[0]}; here stands ${document.body.innerText.slice(0, 1500)}`));
                else setTimeout(look, 50);
              };
              look();
            });""" % condition, condition)

    def join(self, link, count):
        """Opens the link, gives the name if the page asks for it, presses "Join", and waits until everybody is heard."""
        deadline = time.monotonic() + 30
        while True:
            try:
                self.ask("POST", "/url", {"url": link})
                break
            except RuntimeError as error:
                # Caddy may still be fetching the certificate; a person loads the page again.
                if "ERR_" not in str(error) or time.monotonic() > deadline:
                    raise
                time.sleep(0.5)
        self.until("document.getElementById('enter')?.checkVisibility()")
        if not self.do("return document.getElementById('name').value;"):
            self.do("document.getElementById('name').value = arguments_[0];", self.name)
            self.taps += 1
        self.do("document.getElementById('enter').click();")
        self.taps += 1
        self.until("jamjar.state.phase === 'joined' && jamjar.state.take && jamjar.state.peers.microphone === 'connected'")
        self.until(f"document.querySelectorAll('.member').length === {count}")
        self.until("Object.values(jamjar.state.peers).length > 0 && Object.values(jamjar.state.peers).every((one) => one === 'connected')")

    def facts(self):
        return self.do(FACTS)

    def leave(self):
        self.do("await jamjar.leave();")

    def picture(self):
        """What a person would have seen, beside the logs."""
        with open(f"{self.machine.folder}/{self.name}.png", "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def close(self):
        try:
            if self.session:
                self.ask("DELETE", "")
        finally:
            self.driver.terminate()
            self.driver.wait()
