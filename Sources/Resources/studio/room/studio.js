import { tabMemory } from "../base/memory.js";
import { Refusal } from "../base/refusal.js";
import { trouble } from "./arrival.js";
import { Link } from "./link.js";
import { Microphone } from "./microphone.js";
import { MICROPHONE, Sound } from "./sound.js";
import { Safety } from "./safety.js";
import { SharedObject } from "./shared.js";

/** Pauses between attempts to reconnect, in milliseconds; the last is repeated. */
const BACK_OFF = [300, 700, 1500, 3000, 5000, 8000];
/** How long this page tries to reconnect before it asks the musician. */
const PATIENCE = 120_000;
/** Interval of measuring connections, and of reporting to the recorder, in milliseconds. */
const MEASURING = 2000;
const TELLING = 5000;
/** How long a ping may stay unanswered before the link counts as lost: a vanished network sends no close. */
const SILENCE = 6000;
/** How long leaving waits for pending writes. */
const PARTING = 1000;
/** Packet length plus the encoder's look-ahead, in milliseconds: the delay of our sound before it is sent. */
const PACKET = 10;
const ENCODER = 6.5;

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const seconds = () => performance.now() / 1000;

/** The state of this page's room. Emits the server's events by their names, "state" and "problem". */
export class Studio extends EventTarget {
  /** idle, joining, joined, reconnecting */
  phase = "idle";
  options = null;
  participant = null;
  /** Whether our key or token may change anything ("musician") or not ("listener"). */
  authority = "musician";
  /** What it entitles to: "listener", "musician", "moderator", "owner" or "operator". */
  role = "musician";
  policy = null;
  members = new Map();
  take = null;
  cues = [];
  /** {name, text, isPrivate, at} each. */
  messages = [];
  microphone = null;
  sound = null;
  safety = new Safety();
  /** The delays that each page reports, by participant (see `delay`). */
  delays = null;
  /** Functions whose promises must settle before the room is left. */
  parting = new Set();
  #link = null;
  #resume = null;
  #timers = [];
  #objects = new Map();
  #comingBack = null;
  #stopTaking = null;

  // -- coming and going

  /**
   * options: {name, room, part, consent, listener, token, resume, isMuted} and a microphone: an open one as `microphone`, or
   * the options of Microphone.open: {device, channels, wav, stream}.
   */
  async join(options) {
    if (this.phase !== "idle") throw new Refusal("already-joined", "You are in a room; leave it first.");
    this.#become("joining");
    this.options = { ...options };
    this.#resume = options.resume ?? null;
    try {
      if (!options.listener) this.#listen(options.microphone ?? await Microphone.open(options));
      this.#link = new Link(options.room);
      this.#link.addEventListener("event", ({ detail }) => this.#receive(detail));
      this.#link.addEventListener("closed", ({ detail }) => this.#closed(detail));
      this.sound = new Sound(this.#link, this.microphone?.stream);
      this.sound.addEventListener("problem", ({ detail }) => this.#problem(detail));
      this.sound.addEventListener("change", () => this.#tell());
      await this.#link.open();
      await this.#enter();
      await this.sound.publish();
      this.#watch();
      return this.state;
    } catch (error) {
      // The caller may want to try again with a microphone that it opened itself.
      if (options.microphone) this.microphone = null;
      this.#end();
      throw error;
    }
  }

  async leave() {
    // Unsent text goes first; a link that does not answer delays nobody.
    await Promise.race([Promise.allSettled([...this.parting].map((work) => work())), pause(PARTING)]);
    await this.#link?.request("leave").catch(() => {});
    this.#end();
  }

  /** The public state, as plain values. */
  get state() {
    return {
      phase: this.phase, room: this.options?.room ?? null, participant: this.participant, take: this.take,
      members: [...this.members.values()], resume: this.#resume, peers: this.sound?.states ?? {},
      safe: this.safety.position, isMuted: this.isMuted,
    };
  }

  request(method, params) {
    if (!this.#link) return Promise.reject(new Refusal("not-joined", "You are not in a room; join one first."));
    return this.#link.request(method, params);
  }

  /** Whether this page offers controls that change takes and texts of the room; a listener's page does not. */
  get mayChange() { return this.authority === "musician" && !this.options?.listener; }

  /** Whether this page offers to remove members. */
  get mayModerate() { return ["moderator", "owner", "operator"].includes(this.role); }

  /** Starts to use a shared object of the room and keeps using it over new links. */
  object(name, persistent) {
    if (!this.#objects.has(name)) {
      // A listener's token may not create objects: it uses existing ones.
      const wanted = this.authority === "musician" ? persistent : undefined;
      const object = new SharedObject(name, (method, params) => this.request(method, params), wanted);
      this.#objects.set(name, object);
      this.#use(object);
    }
    return this.#objects.get(name);
  }

  /** Begins to use an object. If no musician has created it yet, `#report` asks again later. */
  #use(object) {
    object.use().catch((error) => {
      if (error.code !== "unknown-object") this.#problem(`“${object.name}” cannot be shared: ${error.message}`);
    });
  }

  async #enter() {
    const { name, part, consent, listener, token } = this.options;
    const grant = await this.#link.request("join", {
      name, part: part || null, role: listener ? "listener" : "musician", consent: consent !== false,
      // Without a token, the link's cookie counts.
      token: token ?? null, resume: this.#resume,
    });
    // A seat with another secret is a new one: the former connections went with the service or with the old seat.
    if (this.participant && this.#resume !== grant.resume) this.sound.closeAll();
    this.participant = grant.participant;
    this.authority = grant.authority ?? "musician";
    this.role = grant.role ?? this.authority;
    this.#resume = grant.resume;
    this.sound.iceServers = grant.iceServers;
    this.policy = grant.snapshot.policy;
    this.members = new Map(grant.snapshot.members.map((member) => [member.participant.id, member]));
    this.#roll(grant.snapshot.take);
    this.#remember();
    this.#become("joined");
    for (const member of this.members.values()) this.#hear(member);
    for (const object of this.#objects.values()) object.use().catch(() => {});
    this.delays = this.object("delays", false);
  }

  #closed({ code, reason }) {
    if (this.phase !== "joined") return;
    const parting = reason === "room-closed" ? "The room was closed." : {
      4001: "You joined this room from another place; this page has given up its seat.",
      4002: "You were removed from this room, or your link to it was withdrawn. Ask for a new invitation.",
      1008: "The server did not understand this page. Reload it.",
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
    let problem = null;
    for (let attempt = 0, retryAfter = null; Date.now() - started + 1000 * retryAfter < PATIENCE; attempt += 1) {
      const wait = BACK_OFF[Math.min(attempt, BACK_OFF.length - 1)] * (0.8 + 0.4 * Math.random());
      const online = new Promise((resolve) => addEventListener("online", resolve, { once: true }));
      // A server that named a time refuses everything before it, over every network.
      await (retryAfter ? pause(Math.max(wait, 1000 * retryAfter)) : Promise.race([pause(wait), online]));
      if (this.phase !== "reconnecting" || this.#comingBack !== mine) return;
      try {
        await this.#link.open();
        await this.#enter();
        await this.sound.mend();
        return;
      } catch (error) {
        // The musician has left, or the link broke again after joining and another turn has begun.
        if (this.#comingBack !== mine) return;
        problem = error.code === "unavailable" ? null : `You could not come back: ${error.message}`;
        if (!error.isPassing) break;
        retryAfter = error.retryAfter;
        // An unjoined link has only seconds to join.
        this.#link.close();
        this.#become("reconnecting");
      }
    }
    this.#end();
    this.#problem(problem ?? "The server could not be reached for two minutes. Check the network, then join again.");
  }

  #end() {
    for (const timer of this.#timers) clearInterval(timer);
    this.#timers = [];
    this.#comingBack = null;
    this.#stopTaking?.();
    this.#link?.close();
    this.#link = null;
    this.sound?.closeAll();
    this.sound = null;
    this.microphone?.close();
    this.microphone = null;
    this.participant = null;
    this.members = new Map();
    this.#objects = new Map();
    this.delays = null;
    this.messages = [];
    this.#roll(null);
    tabMemory.write("seat", null);
    this.#become("idle");
  }

  /** Remembers the seat, so that a reload of the page finds its seat and its track again. */
  #remember() {
    const { name, room, part, consent, listener, token, wav, device, channels, backup, isMuted } = this.options;
    tabMemory.write("seat", { name, room, part, consent, listener, token, wav, device, channels, backup, isMuted, resume: this.#resume });
  }

  // -- sound

  /** Adopts a microphone; reports at once if it is unplugged. */
  #listen(microphone) {
    this.microphone = microphone;
    microphone.isMuted = this.isMuted;
    microphone.addEventListener("ended", () => {
      if (this.microphone !== microphone) return;
      this.#problem("Your microphone is gone: you are neither heard nor recorded. Plug it in again, then choose it under “Microphone …”");
    });
  }

  /** Changes the microphone or its channels without leaving: `options` as for Microphone.open. */
  async changeMicrophone(options) {
    const microphone = await Microphone.open({ ...options, isMuted: this.isMuted });
    await this.sound.replace(microphone.stream);
    this.microphone?.close();
    this.#listen(microphone);
    Object.assign(this.options, { device: options.device, channels: options.channels });
    this.#remember();
    this.dispatchEvent(new Event("microphone"));
  }

  #hear(member) {
    const { id, name } = member.participant;
    if (id !== this.participant && member.publishing) this.sound.hear(id, name);
  }

  /** The level of a member, 0 to 1. */
  level(id) {
    if (id === this.participant) return Math.max(...this.microphone?.levels.peak ?? [0]);
    return this.sound?.level(id) ?? 0;
  }

  get stream() { return this.microphone?.stream ?? null; }

  /**
   * Whether this musician is muted towards the others, the recording and the lossless copy. The setting belongs to the
   * musician, not to a microphone: it survives a change of microphone and a reload of the page.
   */
  get isMuted() { return this.options?.isMuted ?? false; }
  set isMuted(isMuted) {
    if (!this.microphone) return;
    this.options.isMuted = isMuted;
    this.microphone.isMuted = isMuted;
    this.#remember();
    this.#tell();
  }

  // -- measuring

  #watch() {
    const restart = () => this.sound?.restart();
    navigator.connection?.addEventListener?.("change", restart);
    addEventListener("online", restart);
    this.#stopTaking = () => {
      navigator.connection?.removeEventListener?.("change", restart);
      removeEventListener("online", restart);
    };
    this.#timers = [
      setInterval(() => this.sound?.measure().then(() => this.dispatchEvent(new Event("quality"))).catch(() => {}), MEASURING),
      setInterval(() => this.#report().catch(() => {}), TELLING),
    ];
  }

  /** Reports this page's clock and playout delays to the recorder, and our delays to the others. */
  async #report() {
    const link = this.#link;
    if (!link?.isOpen) return;
    const sent = performance.now();
    const answered = link.request("ping", { t: sent });
    const lost = pause(SILENCE).then(() => "lost");
    if (await Promise.race([answered, lost]) === "lost") {
      if (this.#link === link && this.phase === "joined") {
        link.close();
        this.#comeBack();
      }
      return;
    }
    const roundTrip = performance.now() - sent, playout = {}, hear = {};
    for (const [id, quality] of this.sound.quality) {
      if (id === MICROPHONE || quality.buffer === null) continue;
      playout[id] = quality.buffer;
      hear[id] = quality.buffer + (quality.roundTrip ?? roundTrip) / 2;
    }
    await link.request("stats", { clock: { t: performance.now(), roundTrip }, playout });
    const out = this.sound.quality.get(MICROPHONE);
    const capture = 1000 * (this.microphone?.settings.latency ?? 0.01);
    const send = this.microphone ? capture + PACKET + ENCODER + (out?.roundTrip ?? roundTrip) / 2 : null;
    for (const object of this.#objects.values()) if (object.version === null) this.#use(object);
    if (this.authority === "musician") await this.delays?.set({ [this.participant]: { send, hear } });
  }

  /**
   * Milliseconds from a musician's microphone to our ears and from ours to theirs, estimated from the measurements of
   * both pages (half of each round trip, buffers, packet, encoder): {toUs, toThem}, null before a page has reported.
   */
  delay(id) {
    const ours = this.delays?.slots.get(this.participant), theirs = this.delays?.slots.get(id);
    const sum = (send, hear) => (send === null || send === undefined || hear === undefined ? null : send + hear);
    return { toUs: sum(theirs?.send, ours?.hear?.[id]), toThem: sum(ours?.send, theirs?.hear?.[this.participant]) };
  }

  /** Why a musician's sound does not reach us, or ours the service, as `{id, text}`; null if sound arrives. */
  trouble(id) {
    const member = this.members.get(id), isOut = id === this.participant;
    const facts = this.phase === "joined" && member ? this.sound?.facts(isOut ? MICROPHONE : id) : null;
    if (!facts) return null;
    const { track } = this.microphone ?? {};
    return trouble({
      ...facts, isOut, name: member.participant.name, arrives: member.publishing, isMuted: this.isMuted,
      isHeldBack: track?.muted === true, isEnded: track?.readyState === "ended",
    });
  }

  // -- events

  #roll(take) {
    if (this.take?.id !== take?.id) {
      this.cues = [];
      this.safety.begin(take?.id ?? null);
    }
    this.take = take;
  }

  #receive(event) {
    switch (event.event) {
      case "joined":
      case "changed":
        this.members.set(event.member.participant.id, event.member);
        this.#hear(event.member);
        break;
      case "left":
        this.members.delete(event.participant);
        this.sound.forget(event.participant);
        break;
      case "published":
      case "unpublished": {
        const member = this.members.get(event.participant);
        if (!member) break;
        member.publishing = event.event === "published";
        this.#hear(member);
        break;
      }
      case "candidate": this.sound.peers.get(event.peer)?.addCandidate(event.candidate); break;
      case "takeStarted":
      case "takeStopped": this.#roll(event.take); break;
      case "journaled": this.safety.journaled(event.takeId, event.position, seconds()); break;
      case "cue": if (event.takeId === this.take?.id) this.cues.push(event.cue); break;
      case "message": {
        const name = this.members.get(event.from)?.participant.name ?? "Somebody who left";
        this.messages.push({ name, text: event.text, isPrivate: event.private === true, at: Date.now() });
        break;
      }
      case "object": this.#objects.get(event.object)?.receive(event); break;
      case "warning": this.#problem(event.text); break;
    }
    this.dispatchEvent(new CustomEvent(event.event, { detail: event }));
    if (event.event !== "journaled" && event.event !== "object") this.#tell();
  }

  #become(phase) {
    this.phase = phase;
    this.#tell();
  }

  #tell() { this.dispatchEvent(new CustomEvent("state", { detail: this.state })); }

  #problem(text) { this.dispatchEvent(new CustomEvent("problem", { detail: text })); }
}
