// The web studio: a musician's page in one ES module without dependencies. It speaks docs/protocol.md.
//
// Four parts, from the wire up: Link (WebSocket, requests, coming back), Call (microphone, peer connections), Studio
// (what is known of the room), View (the page). `window.jamjar` at the end is the same thing for the console and tests.

/** An error whose message is a sentence for people. */
class Refusal extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// MARK: Link

/** One signaling link that comes back by itself; emits "event", "lost", "closed". */
class Link extends EventTarget {
  #socket = null;
  #pending = new Map();
  #lastID = 0;

  constructor(room) {
    super();
    this.room = room;
  }

  get isOpen() { return this.#socket?.readyState === WebSocket.OPEN; }

  open() {
    const scheme = location.protocol === "https:" ? "wss:" : "ws:";
    const socket = new WebSocket(`${scheme}//${location.host}/v1/rooms/${encodeURIComponent(this.room)}/signal`);
    this.#socket = socket;
    return new Promise((resolve, reject) => {
      // Handlers stand before anything is awaited: the server may speak first.
      socket.onmessage = ({ data }) => this.#receive(JSON.parse(data));
      socket.onopen = resolve;
      socket.onclose = ({ code, reason }) => {
        const refusal = new Refusal("unavailable", "The server cannot be reached. Check the network, then try again.");
        reject(refusal);
        for (const { reject } of this.#pending.values()) reject(refusal);
        this.#pending.clear();
        if (this.#socket !== socket) return;
        this.#socket = null;
        this.dispatchEvent(new CustomEvent("closed", { detail: { code, reason } }));
      };
    });
  }

  /** Asks the server; the promise is the result, or fails with a Refusal. */
  request(method, params = {}) {
    if (!this.isOpen) return Promise.reject(new Refusal("unavailable", "The link to the server is lost just now."));
    const id = ++this.#lastID;
    this.#socket.send(JSON.stringify({ id, method, params }));
    return new Promise((resolve, reject) => this.#pending.set(id, { resolve, reject }));
  }

  close() {
    const socket = this.#socket;
    this.#socket = null;
    socket?.close(1000);
  }

  #receive(message) {
    if (message.event) {
      this.dispatchEvent(new CustomEvent("event", { detail: message }));
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.error) {
      const refusal = new Refusal(message.error.code, message.error.message);
      if (pending) pending.reject(refusal);
      else console.error("the server could not read a message of this page:", refusal.message);
    } else {
      pending?.resolve(message.result);
    }
  }
}

// MARK: Call

/** How long a path may be disconnected before a restart is offered: browsers often heal by themselves before. */
const DISCONNECTED_PATIENCE = 2000;

/** One peer connection: our microphone to the server, or one musician to our ears. */
class Peer {
  #timer = null;
  #ready;
  #isReady;

  constructor(label, link, iceServers, onBroken) {
    this.label = label;
    this.link = link;
    this.connection = new RTCPeerConnection({ iceServers, bundlePolicy: "max-bundle" });
    this.#ready = new Promise((resolve) => { this.#isReady = resolve; });
    this.connection.onicecandidate = ({ candidate }) => {
      link.request("candidate", { peer: label, candidate: candidate?.toJSON() ?? null }).catch(() => {});
    };
    this.connection.onconnectionstatechange = () => {
      clearTimeout(this.#timer);
      const state = this.connection.connectionState;
      if (state === "disconnected") this.#timer = setTimeout(() => this.restart(onBroken), DISCONNECTED_PATIENCE);
      if (state === "failed") this.restart(onBroken);
    };
  }

  /** Answers the server's offer; `prepare` sets tracks and directions between the two descriptions. */
  async answer(sdp, prepare) {
    await this.connection.setRemoteDescription({ type: "offer", sdp });
    await prepare(this.connection.getTransceivers()[0]);
    await this.connection.setLocalDescription(await this.connection.createAnswer());
    this.#isReady();
    await this.link.request("answer", { peer: this.label, sdp: this.connection.localDescription.sdp });
  }

  async addCandidate(candidate) {
    await this.#ready;
    await this.connection.addIceCandidate(candidate ?? undefined).catch(() => {});
  }

  /** An ICE restart; where the server knows this connection no more, `onBroken` makes a new one. */
  async restart(onBroken) {
    if (!this.link.isOpen || this.connection.signalingState !== "stable") return;
    try {
      this.connection.restartIce();
      await this.connection.setLocalDescription();
      const offer = this.connection.localDescription.sdp;
      const { sdp } = await this.link.request("restart", { peer: this.label, sdp: offer });
      await this.connection.setRemoteDescription({ type: "answer", sdp });
    } catch {
      if (this.link.isOpen) onBroken(this);
    }
  }

  get isAlive() { return ["new", "connecting", "connected", "disconnected"].includes(this.connection.connectionState); }

  close() {
    clearTimeout(this.#timer);
    this.connection.onconnectionstatechange = null;
    this.connection.close();
  }
}

const MICROPHONE_PROBLEMS = {
  insecure: "Browsers give a microphone only to secure pages: open this page by https:// or on localhost.",
  NotAllowedError: "The browser may not use your microphone. Allow it beside the address of this page, then join again.",
  NotFoundError: "No microphone was found. Plug one in, then join again, or choose “I only listen”.",
  NotReadableError: "Your microphone is used by another program. Close that program, then join again.",
};

/** The microphone as music wants it: no processing, both channels. */
async function openMicrophone() {
  if (!navigator.mediaDevices) throw new Refusal("microphone", MICROPHONE_PROBLEMS.insecure);
  try {
    return await navigator.mediaDevices.getUserMedia({
      audio: { echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: { ideal: 2 } },
    });
  } catch (error) {
    const problem = MICROPHONE_PROBLEMS[error.name] ?? `Your microphone could not be opened: ${error.message}`;
    throw new Refusal("microphone", problem);
  }
}

/** A WAV from an address in place of a microphone, played by Web Audio. */
async function openRecording(address) {
  const context = new AudioContext({ sampleRate: 48000 });
  const source = context.createBufferSource();
  source.buffer = await context.decodeAudioData(await (await fetch(address)).arrayBuffer());
  const destination = new MediaStreamAudioDestinationNode(context, { channelCount: 2 });
  source.connect(destination);
  source.start();
  return destination.stream;
}

/** Measures the level of our own microphone, 0 to 1. */
class LevelMeter {
  constructor(stream) {
    this.context = new AudioContext();
    this.analyser = new AnalyserNode(this.context, { fftSize: 1024 });
    this.context.createMediaStreamSource(stream).connect(this.analyser);
    this.samples = new Float32Array(this.analyser.fftSize);
  }

  get level() {
    this.analyser.getFloatTimeDomainData(this.samples);
    return this.samples.reduce((peak, sample) => Math.max(peak, Math.abs(sample)), 0);
  }

  close() { this.context.close(); }
}

// MARK: Studio

const MICROPHONE = "microphone";
/** Pauses between attempts to come back, in milliseconds; the last is repeated. */
const BACK_OFF = [300, 700, 1500, 3000, 5000, 8000];
/** How long this page tries to come back before it asks the musician. */
const PATIENCE = 120_000;

/** Everything that this page knows of its room. Emits the server's events by their names, "state" and "problem". */
class Studio extends EventTarget {
  /** idle, joining, joined, reconnecting */
  phase = "idle";
  options = null;
  participant = null;
  members = new Map();
  take = null;
  cues = [];
  stream = null;
  peers = new Map();
  players = new Map();
  #link = null;
  #resume = null;
  #iceServers = [];
  #meter = null;
  #measuring = null;
  #comingBack = null;

  // -- coming and going

  /** options: {name, room, part, consent, listener, token, resume, stream: MediaStream | wav: address} */
  async join(options) {
    if (this.phase !== "idle") throw new Refusal("already-joined", "You are in a room; leave it first.");
    this.#become("joining");
    this.options = options;
    this.#resume = options.resume ?? null;
    try {
      if (!options.listener) {
        this.stream = options.stream ?? await (options.wav ? openRecording(options.wav) : openMicrophone());
        this.#meter = new LevelMeter(this.stream);
      }
      this.#link = new Link(options.room);
      this.#link.addEventListener("event", ({ detail }) => this.#receive(detail));
      this.#link.addEventListener("closed", ({ detail }) => this.#closed(detail));
      await this.#link.open();
      await this.#enter();
      await this.#publish();
      this.#measuring = setInterval(() => this.#measure().catch(() => {}), 5000);
      return this.state;
    } catch (error) {
      this.#end();
      throw error;
    }
  }

  async leave() {
    await this.#link?.request("leave").catch(() => {});
    this.#end();
  }

  /** What can be looked at from outside, as plain values. */
  get state() {
    return {
      phase: this.phase, room: this.options?.room ?? null, participant: this.participant, take: this.take,
      members: [...this.members.values()], resume: this.#resume,
      peers: Object.fromEntries([...this.peers].map(([label, peer]) => [label, peer.connection.connectionState])),
    };
  }

  request(method, params) {
    if (!this.#link) return Promise.reject(new Refusal("not-joined", "You are in no room; join first."));
    return this.#link.request(method, params);
  }

  async #enter() {
    const { name, part, consent, listener, token } = this.options;
    const grant = await this.#link.request("join", {
      name, part: part || null, role: listener ? "listener" : "musician", consent: consent !== false, token,
      resume: this.#resume,
    });
    // A service that was started anew knows neither seat nor connections.
    if (this.participant && this.participant !== grant.participant) this.#closePeers();
    this.participant = grant.participant;
    this.#resume = grant.resume;
    this.#iceServers = grant.iceServers;
    this.members = new Map(grant.snapshot.members.map((member) => [member.participant.id, member]));
    if (this.take?.id !== grant.snapshot.take?.id) this.cues = [];
    this.take = grant.snapshot.take;
    this.#remember();
    this.#become("joined");
    for (const member of this.members.values()) this.#hear(member);
  }

  #closed({ code }) {
    if (this.phase !== "joined") return;
    const parting = {
      4001: "You joined this room from another place; this page has given its seat up.",
      1008: "The server did not understand this page. Load it anew.",
    }[code];
    if (parting) {
      this.#end();
      this.#problem(parting);
    } else {
      this.#comeBack();
    }
  }

  async #comeBack() {
    const mine = this.#comingBack = {};
    this.#become("reconnecting");
    const started = Date.now();
    for (let attempt = 0; Date.now() - started < PATIENCE; attempt += 1) {
      await pause(BACK_OFF[Math.min(attempt, BACK_OFF.length - 1)] * (0.8 + 0.4 * Math.random()));
      if (this.phase !== "reconnecting" || this.#comingBack !== mine) return;
      try {
        await this.#link.open();
        await this.#enter();
        for (const peer of [...this.peers.values()]) if (!peer.isAlive) this.#broken(peer);
        if (!this.peers.has(MICROPHONE)) await this.#publish();
        return;
      } catch (error) {
        if (error.code !== "unavailable") {
          this.#end();
          this.#problem(`You could not come back: ${error.message}`);
          return;
        }
      }
    }
    this.#end();
    this.#problem("The server could not be reached for two minutes. Check the network, then join again.");
  }

  #end() {
    clearInterval(this.#measuring);
    this.#link?.close();
    this.#link = null;
    this.#closePeers();
    this.#meter?.close();
    this.#meter = null;
    if (!this.options?.stream) this.stream?.getTracks().forEach((track) => track.stop());
    this.stream = null;
    this.participant = null;
    this.members = new Map();
    this.take = null;
    this.cues = [];
    sessionStorage.removeItem("jamjar");
    this.#become("idle");
  }

  /** So that a reload of the page finds its seat and its track again. */
  #remember() {
    const { name, room, part, consent, listener, token, wav } = this.options;
    const seat = { name, room, part, consent, listener, token, wav, resume: this.#resume };
    sessionStorage.setItem("jamjar", JSON.stringify(seat));
  }

  // -- sound

  async #publish() {
    if (!this.stream) return;
    const peer = this.#makePeer(MICROPHONE);
    const [track] = this.stream.getAudioTracks();
    track.contentHint = "music";
    // The server makes the offer: only then is abs-capture-time agreed on, by which tracks are placed.
    const { sdp } = await this.#link.request("publish", { peer: MICROPHONE });
    await peer.answer(sdp, async (transceiver) => {
      transceiver.direction = "sendonly";
      await transceiver.sender.replaceTrack(track);
    });
  }

  /** Subscribes to a musician once they send; their connection stays until they leave. */
  async #hear(member) {
    const { id } = member.participant;
    if (id === this.participant || !member.publishing || this.peers.has(id)) return;
    const peer = this.#makePeer(id);
    try {
      const { sdp } = await this.#link.request("subscribe", { peer: id, participant: id });
      await peer.answer(sdp, (transceiver) => {
        transceiver.direction = "recvonly";
        // As little delay as the network allows: musicians play together.
        if ("jitterBufferTarget" in transceiver.receiver) transceiver.receiver.jitterBufferTarget = 0;
        const player = new Audio();
        player.srcObject = new MediaStream([transceiver.receiver.track]);
        player.play().catch(() => this.#problem("The browser blocks sound here. Click anywhere to hear the others."));
        this.players.set(id, player);
      });
    } catch (error) {
      this.#forget(id);
      if (error.code !== "unavailable") this.#problem(`You cannot hear ${member.participant.name}: ${error.message}`);
    }
  }

  #makePeer(label) {
    this.#forget(label);
    const peer = new Peer(label, this.#link, this.#iceServers, (broken) => this.#broken(broken));
    this.peers.set(label, peer);
    return peer;
  }

  #broken(peer) {
    if (this.peers.get(peer.label) !== peer) return;
    this.#forget(peer.label);
    if (peer.label === MICROPHONE) this.#publish().catch((error) => this.#problem(error.message));
    else if (this.members.has(peer.label)) this.#hear(this.members.get(peer.label));
  }

  #forget(label) {
    this.peers.get(label)?.close();
    this.peers.delete(label);
    this.players.get(label)?.pause();
    this.players.delete(label);
  }

  #closePeers() {
    for (const label of [...this.peers.keys()]) this.#forget(label);
  }

  /** The level of a member, 0 to 1. */
  level(id) {
    if (id === this.participant) return this.#meter?.level ?? 0;
    const [receiver] = this.peers.get(id)?.connection.getReceivers() ?? [];
    return receiver?.getSynchronizationSources()[0]?.audioLevel ?? 0;
  }

  /** The counters of each peer at the last report: the browser only counts up, from the connection's beginning. */
  #counted = new WeakMap();

  /**
   * How long a musician's sound waits in this page, from its packet's arrival until it sounds, in milliseconds: in the
   * jitter buffer and on the way to the ear, on average since the last report; null where nothing was played. The
   * network's share is not in it: the recorder measures that itself.
   */
  async #playoutDelay(peer) {
    if (!peer) return null;
    const last = this.#counted.get(peer) ?? {};
    const now = {};
    for (const report of (await peer.connection.getStats()).values()) {
      if (report.type === "inbound-rtp") now.buffer = [report.jitterBufferDelay, report.jitterBufferEmittedCount];
      // Not every browser knows it; the device's own delay is left out then.
      if (report.type === "media-playout") now.device = [report.totalPlayoutDelay, report.totalSamplesCount];
    }
    this.#counted.set(peer, now);
    const recent = (name) => {
      const [delay, count] = [0, 1].map((part) => (now[name]?.[part] ?? 0) - (last[name]?.[part] ?? 0));
      return count > 0 && delay >= 0 ? 1000 * delay / count : null;
    };
    const buffer = recent("buffer");
    return buffer === null ? null : buffer + (recent("device") ?? 0);
  }

  /** Tells the recorder what this page's clock says and how late it plays the others. */
  async #measure() {
    if (!this.#link?.isOpen) return;
    const sent = performance.now();
    await this.#link.request("ping", { t: sent });
    const roundTrip = performance.now() - sent;
    const playout = {};
    for (const id of this.players.keys()) {
      const delay = await this.#playoutDelay(this.peers.get(id));
      if (delay !== null) playout[id] = delay;
    }
    await this.#link.request("stats", { clock: { t: performance.now(), roundTrip }, playout });
  }

  // -- what happens

  #receive(event) {
    switch (event.event) {
      case "joined":
      case "changed":
        this.members.set(event.member.participant.id, event.member);
        this.#hear(event.member);
        break;
      case "left":
        this.members.delete(event.participant);
        this.#forget(event.participant);
        break;
      case "published":
      case "unpublished": {
        const member = this.members.get(event.participant);
        if (!member) break;
        member.publishing = event.event === "published";
        this.#hear(member);
        break;
      }
      case "candidate": this.peers.get(event.peer)?.addCandidate(event.candidate); break;
      case "takeStarted": this.take = event.take; this.cues = []; break;
      case "takeStopped": this.take = event.take; this.cues = []; break;
      case "cue": this.cues.push(event.cue); break;
      case "warning": this.#problem(event.text); break;
    }
    this.dispatchEvent(new CustomEvent(event.event, { detail: event }));
    this.#tell();
  }

  #become(phase) {
    this.phase = phase;
    this.#tell();
  }

  #tell() { this.dispatchEvent(new CustomEvent("state", { detail: this.state })); }

  #problem(text) { this.dispatchEvent(new CustomEvent("problem", { detail: text })); }
}

// MARK: View

const studio = new Studio();
const find = (id) => document.getElementById(id);

/** Makes an element; text is always set as text, so that no name or message can be markup. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const sentence = (text) => text && text[0].toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
const clock = (seconds) => `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;
const title = (take) => take.song ? `Take ${take.number} · ${take.song.title}` : `Take ${take.number}`;

function showProblem(text) {
  find("problem-text").textContent = text ? sentence(text) : "";
  find("problem").hidden = !text;
}

/** Does what a control asks for; every failure becomes a sentence on the page. */
async function attempt(work) {
  try {
    showProblem("");
    return await work();
  } catch (error) {
    if (!(error instanceof Refusal)) console.error(error);
    showProblem(error.message);
  }
}

function drawState({ phase, room, take }) {
  const isIn = phase === "joined" || phase === "reconnecting";
  if (find("studio").hidden === isIn) {
    find("studio").hidden = !isIn;
    find("join").hidden = isIn;
    find(isIn ? "members-title" : "name").focus();
    if (isIn) drawTakes();
  }
  find("enter").disabled = phase !== "idle";
  find("enter").textContent = phase === "joining" ? "Joining …" : "Join";
  find("leave").hidden = find("place").hidden = find("recording").hidden = !isIn;
  find("place").textContent = room ? `in ${room}` : "";
  find("notice").textContent = phase === "reconnecting"
    ? "The link to the server is lost; coming back. Keep playing: you are recorded as long as your network holds." : "";
  document.title = take ? `● ${title(take)} – Jamjar` : "Jamjar";
  const text = take ? `Recording · ${title(take)}` : "Not recording";
  if (find("recording-text").textContent !== text) find("recording-text").textContent = text;
  find("recording").dataset.rolling = Boolean(take);
  find("take-start").disabled = Boolean(take) || phase !== "joined";
  find("take-stop").disabled = find("take-split").disabled = !take || phase !== "joined";
  drawMembers();
  find("cues").replaceChildren(...studio.cues.map((cue) =>
    element("li", {}, element("time", { textContent: clock(cue.position) }), cue.text)));
}

/** Rows stay what they are while their member stays, so that a screen reader keeps its place. */
function drawMembers() {
  const list = find("members");
  for (const row of [...list.children]) if (!studio.members.has(row.dataset.id)) row.remove();
  for (const [id, member] of studio.members) {
    let row = [...list.children].find((row) => row.dataset.id === id);
    if (!row) {
      row = element("li", { className: "member" },
        element("strong"), element("span", { className: "state" }),
        element("div", { className: "meter", ariaHidden: "true" }, element("span")));
      row.dataset.id = id;
      list.append(row);
    }
    const [name, state] = row.children;
    name.textContent = member.participant.name + (id === studio.participant ? " (you)" : "");
    const words = [
      member.role === "listener" ? "listens" : member.part,
      member.role === "musician" && !member.consent ? "not recorded" : null,
      member.connected ? null : "away",
    ];
    state.textContent = words.filter(Boolean).join(" · ");
    row.dataset.away = !member.connected;
    row.querySelector(".meter").hidden = member.role === "listener";
  }
}

/** The lowest level that a meter shows, in dBFS. */
const FLOOR = -60;

function drawLevels() {
  for (const row of find("members").children) {
    const level = studio.level(row.dataset.id);
    const decibels = level > 0 ? 20 * Math.log10(level) : FLOOR;
    const meter = row.querySelector(".meter");
    meter.style.setProperty("--value", Math.max(0, 1 - decibels / FLOOR).toFixed(3));
    meter.dataset.hot = decibels > -1;
  }
  const started = studio.take && Date.parse(studio.take.startedAt);
  find("recording-time").textContent = started ? clock(Math.max(0, (Date.now() - started) / 1000)) : "";
}

const remark = (text) => element("p", { className: "empty", textContent: text });

async function read(address) {
  const response = await fetch(address, { headers: { accept: "application/json" } });
  if (response.ok) return response.json();
  const problem = await response.json().catch(() => ({}));
  throw new Refusal("http", problem.detail ?? problem.title ?? `The server answered ${response.status} to ${address}`);
}

async function drawTakes() {
  const room = studio.options?.room;
  if (!room) return;
  const list = find("takes");
  try {
    const { items } = await read(`/v1/takes?room=${encodeURIComponent(room)}`);
    const known = new Map([...list.children].map((child) => [child.dataset.key, child]));
    const finished = items.filter((take) => ["ready", "incomplete", "failed"].includes(take.state));
    const rows = finished.map((take) => known.get(`${take.id} ${take.state}`) ?? drawTake(take));
    list.replaceChildren(...rows);
    if (!rows.length) list.append(remark("Nothing yet. What you play will be here a moment after each take."));
  } catch (error) {
    list.replaceChildren(remark(`The takes cannot be listed: ${error.message}`));
  }
}

function drawTake(take) {
  const facts = [
    new Date(take.startedAt).toLocaleString([], { dateStyle: "medium", timeStyle: "short" }),
    clock(take.duration ?? 0),
    `${take.trackCount} ${take.trackCount === 1 ? "track" : "tracks"}`, take.state === "ready" ? null : take.state,
  ];
  const mix = `/v1/takes/${take.id}/mix`;
  const tracks = element("div", { className: "tracks" });
  const details = element("details", {}, element("summary", { textContent: "Tracks" }), tracks);
  details.addEventListener("toggle", () => {
    if (details.open && !tracks.children.length) attempt(() => drawTracks(take, tracks));
  });
  const row = element("article", { className: "take" },
    element("div", {}, element("h3", { textContent: title(take) }),
      element("p", { className: "facts", textContent: facts.filter(Boolean).join(" · ") })));
  row.dataset.key = `${take.id} ${take.state}`;
  if (take.state === "failed") return row;
  row.append(
    element("a", { className: "button quiet", href: mix, download: "", textContent: "Download mix" }),
    element("audio", { controls: true, preload: "none", src: mix, ariaLabel: `Mix of ${title(take)}` }), details);
  return row;
}

async function drawTracks(take, place) {
  const { items } = await read(`/v1/takes/${take.id}/tracks`);
  place.replaceChildren(...items.map((track) => {
    const address = `/v1/takes/${take.id}/tracks/${track.id}/audio`;
    const name = [track.participant.name, track.part].filter(Boolean).join(" · ");
    return element("div", { className: "track" },
      element("span", { textContent: name }),
      element("a", { href: address, download: "", textContent: "Download", ariaLabel: `Download ${name}` }),
      element("audio", { controls: true, preload: "none", src: address, ariaLabel: `Track of ${name}` }));
  }));
}

function addMessage(name, text, isPrivate) {
  const time = new Date().toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  const list = find("messages");
  list.append(element("li", {}, element("time", { textContent: time }),
    element("strong", { textContent: isPrivate ? `${name} to you: ` : `${name}: ` }), text));
  list.scrollTop = list.scrollHeight;
}

function join(options) {
  return attempt(() => {
    // Other names are refused by the server in words, but of "." and ".." no address can be made.
    if (options.room.startsWith(".")) throw new Refusal("invalid-name", "A room's name cannot begin with a dot.");
    return studio.join(options);
  });
}

function wire() {
  const query = new URLSearchParams(location.search);
  for (const field of ["name", "room", "part"]) {
    find(field).value = query.get(field) ?? localStorage.getItem(`jamjar-${field}`) ?? "";
  }
  find("join").addEventListener("submit", (event) => {
    event.preventDefault();
    const options = { consent: find("consent").checked, listener: find("listener").checked };
    if (query.has("token")) options.token = query.get("token");
    for (const field of ["name", "room", "part"]) {
      options[field] = find(field).value.trim();
      localStorage.setItem(`jamjar-${field}`, options[field]);
    }
    join(options);
  });
  const submit = (form, field, work) => find(form).addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => work(find(field).value.trim())).then((result) => {
      if (result && field !== "song") find(field).value = "";
    });
  });
  submit("take-form", "song", (song) => studio.request("takeStart", { song: song || null }));
  submit("cue-form", "cue", (text) => studio.request("cue", { text }));
  submit("message-form", "message", (text) => studio.request("message", { text }));
  find("take-stop").addEventListener("click", () => attempt(() => studio.request("takeStop")));
  find("take-split").addEventListener("click", () =>
    attempt(() => studio.request("takeSplit", { song: find("song").value.trim() || null })));
  find("leave").addEventListener("click", () => attempt(() => studio.leave()));
  find("problem-close").addEventListener("click", () => showProblem(""));
  document.addEventListener("click", () => {
    for (const player of studio.players.values()) if (player.paused) player.play();
  });

  studio.addEventListener("state", ({ detail }) => drawState(detail));
  studio.addEventListener("problem", ({ detail }) => showProblem(detail));
  studio.addEventListener("takeFinished", drawTakes);
  studio.addEventListener("message", ({ detail }) =>
    addMessage(studio.members.get(detail.from)?.participant.name ?? "Somebody who left", detail.text, detail.private));
  setInterval(drawLevels, 80);
  drawState(studio.state);

  // A page that was loaded anew goes back to its seat; the server holds it for the grace period.
  const seat = JSON.parse(sessionStorage.getItem("jamjar") ?? "null");
  if (seat && performance.getEntriesByType("navigation")[0]?.type === "reload") join(seat);
}

// MARK: Console and tests

/**
 * `jamjar.join({name, room, part, consent, wav: "/piano.wav"})`, `jamjar.leave()`, `jamjar.state`, `jamjar.request(…)`;
 * `jamjar.events` is an EventTarget of the server's events; `await jamjar.until((state) => state.take)` waits.
 */
window.jamjar = {
  get state() { return studio.state; },
  get stream() { return studio.stream; },
  events: studio,
  join: (options) => studio.join(options),
  leave: () => studio.leave(),
  request: (method, params) => studio.request(method, params),
  level: (id) => studio.level(id),
  until: (condition) => new Promise((resolve) => {
    const look = () => {
      if (!condition(studio.state)) return;
      studio.removeEventListener("state", look);
      resolve(studio.state);
    };
    studio.addEventListener("state", look);
    look();
  }),
};

wire();
