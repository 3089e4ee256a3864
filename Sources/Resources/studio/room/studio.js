import { tabMemory } from "../base/memory.js";
import { Refusal } from "../base/refusal.js";
import { Desk } from "../playing/desk.js";
import { report } from "../playing/reports.js";
import { Link } from "./link.js";
import { keepMeasuring } from "./measuring.js";
import { Microphone } from "./microphone.js";
import { SharedObjects } from "./objects.js";
import { comeBack, comeIn, partingOf, pause } from "./returning.js";
import { RoomState } from "./room-state.js";
import { Sound } from "./sound.js";

/** How long leaving waits for pending writes. */
const PARTING = 1000;
const seconds = () => performance.now() / 1000;

/** The room that this page is in: coming and going, and what a musician does there. */
export class Studio extends RoomState {
  /** Functions whose promises must settle before the room is left.
   * @type {Set<() => Promise<unknown>>} */
  parting = new Set();
  /** @type {Link | null} */
  #link = null;
  #objects = new SharedObjects((method, params) => this.request(method, params), (problem) => this.#problem(problem));
  /** @type {object | null} */
  #comingBack = null;
  /** @type {(() => void) | null} */
  #stopMeasuring = null;

  constructor() {
    super();
    this.own.addEventListener("change", () => this.#tell());
    this.own.addEventListener("ended", () => this.#problem("Your microphone is gone: you are neither heard nor recorded. Plug it in again, then choose it under “Microphone …”"));
  }

  // -- coming and going

  /**
   * options: {name, room, part, consent, listener, token, resume, isMuted} and a microphone: an open one as `microphone`, or
   * the options of Microphone.open: {device, channels, wav, stream}.
   * @param {JoinOptions} options @returns {Promise<StudioState>}
   */
  async join(options) {
    this.sentAway = null;
    if (this.phase !== "idle") throw new Refusal("already-joined", "You are in a room; leave it first.");
    this.#become("joining");
    this.begin(options);
    try {
      this.own.isMuted = options.isMuted ?? false;
      if (!options.listener) this.own.use(options.microphone ?? await Microphone.open(options));
      const link = this.#link = new Link(options.room);
      link.addEventListener("event", ({ detail }) => this.#receive(detail));
      link.addEventListener("closed", ({ detail }) => this.#closed(detail));
      const sound = this.sound = new Sound(link, this.microphone?.stream, (id) => this.nameOf(id));
      sound.addEventListener("problem", ({ detail }) => this.#problem(detail));
      sound.addEventListener("change", () => this.#tell());
      await comeIn({
        enter: () => this.#enter(), drop: () => this.#link?.close(), hasSeat: this.resume !== null,
        isWanted: () => this.phase === "joining",
      });
      await sound.publish();
      this.#stopMeasuring = keepMeasuring({
        measure: () => this.#measure(), report: () => this.#report(), restart: () => sound.restart(),
      });
      return this.state;
    } catch (/** @type {any} */ error) {
      // The caller may want to try again with a microphone that it opened itself.
      if (options.microphone) this.own.microphone = null;
      const seat = tabMemory.read("seat");
      this.#end();
      // It may still be there for the next reload.
      if (options.resume && error.isPassing) tabMemory.write("seat", seat);
      throw error;
    }
  }

  async leave() {
    // Unsent text goes first; a link that does not answer delays nobody.
    await Promise.race([Promise.allSettled([...this.parting].map((work) => work())), pause(PARTING)]);
    await this.#link?.request("leave").catch(() => {});
    this.#end();
  }

  /** @param {string} method @param {object} [params] */
  request(method, params) {
    return this.#link ? this.#link.request(method, params) : super.request(method, params);
  }

  /** Starts to use a shared object of the room and keeps using it over new links.
   * @param {string} name @param {boolean} persistent */
  object(name, persistent) {
    // A listener's token may not create objects: it uses existing ones.
    return this.#objects.get(name, this.authority === "musician" ? persistent : undefined);
  }

  /** The musician, the link and the sound of this stay; all gone once the room is left. */
  get #present() {
    const { options, sound } = this, link = this.#link;
    if (!options || !sound || !link) throw new Refusal("not-joined", "The room was left.");
    return { options, sound, link };
  }

  /** Opens the link and joins. */
  async #enter() {
    const { options: { name, part, consent, listener, token }, link } = this.#present;
    await link.open();
    /** @type {Grant} */
    const grant = await link.request("join", {
      name, part: part || null, role: listener ? "listener" : "musician", consent: consent !== false,
      // Without a token, the link's cookie counts.
      token: token ?? null, resume: this.resume,
    });
    const { sound } = this.#present;
    // A seat with another secret is a new one: the former connections went with the service or with the old seat.
    if (this.participant && this.resume !== grant.resume) sound.closeAll();
    this.admit(grant, seconds());
    sound.iceServers = grant.iceServers;
    this.#remember();
    this.#become("joined");
    for (const member of this.members.values()) this.#hear(member);
    this.#silence();
    this.own.say();
    this.#objects.useAgain();
    this.delays = this.object("delays", false);
    this.desk ??= new Desk(this.object("desk", false), {
      named: (take, song) => this.#named(take, song),
      counts: (count) => this.dispatchEvent(new CustomEvent("countIn", { detail: count })),
    });
  }

  /** @param {{ code: number, reason: string }} end */
  #closed({ code, reason }) {
    if (this.phase !== "joined") return;
    const parting = partingOf(code, reason);
    if (!parting) {
      this.#comeBack();
      return;
    }
    this.sentAway = { room: this.options?.room, code: parting };
    this.#end();
    this.dispatchEvent(new CustomEvent("sent-away", { detail: this.sentAway }));
  }

  async #comeBack() {
    this.lostAt ??= seconds();
    // Without the server nothing keeps a talk out of its files.
    this.talkback.fail();
    const mine = this.#comingBack = {};
    this.#become("reconnecting");
    const problem = await comeBack({
      isWaiting: () => this.phase === "reconnecting" && this.#comingBack === mine, isMine: () => this.#comingBack === mine,
      enter: async () => {
        await this.#enter();
        await this.sound?.mend();
      },
      drop: () => {
        // An unjoined link has only seconds to join.
        this.#link?.drop();
        this.#become("reconnecting");
      },
    });
    if (problem === null) return;
    this.#end();
    this.#problem(problem);
  }

  #end() {
    this.#comingBack = null;
    this.#stopMeasuring?.();
    this.#stopMeasuring = null;
    this.#link?.close();
    this.#link = null;
    this.sound?.closeAll();
    this.sound = null;
    this.own.end();
    this.participant = null;
    this.#objects.clear();
    this.delays = null;
    this.desk = null;
    this.lostAt = null;
    if (this.session && this.options) tabMemory.write("evening", { room: this.options.room, session: this.session });
    this.known.leave();
    tabMemory.write("seat", null);
    this.#become("idle");
  }

  /** Remembers the seat, so that a reload of the page finds its seat and its track again. */
  #remember() {
    if (!this.options) return;
    const { microphone: _, stream: __, ...kept } = this.options;
    tabMemory.write("seat", { ...kept, resume: this.resume });
  }

  // -- sound

  #silence() {
    this.own.isMutedByModerator = this.members.get(this.participant ?? "")?.muted === true;
    this.own.silence();
  }

  /**
   * Whether this musician is muted towards the others, the recording and the lossless copy. The setting belongs to the
   * musician, not to a microphone: it survives a change of microphone and a reload of the page.
   */
  get isMuted() { return this.own.isMuted; }
  set isMuted(isMuted) {
    if (!this.microphone) return;
    this.own.mute(isMuted);
    if (this.options) this.options.isMuted = isMuted;
    this.#remember();
    this.#tell();
  }

  /** Changes the microphone or its channels without leaving: `options` as for Microphone.open.
   * @param {MicrophoneOptions} options */
  async changeMicrophone(options) {
    await this.own.change(options, async (stream) => this.sound?.replace(stream));
    if (this.options) Object.assign(this.options, { device: options.device, channels: options.channels });
    this.#remember();
    this.dispatchEvent(new Event("microphone"));
  }

  /** @param {Member | undefined} member */
  #hear(member) {
    if (!member || member.participant.id === this.participant) return;
    this.sound?.ears.silence(member.participant.id, member.muted === true);
    if (member.publishing) this.sound?.hear(member.participant.id, member.participant.name);
  }

  // -- measuring

  async #measure() {
    await this.sound?.measure();
    this.dispatchEvent(new Event("measured"));
  }

  /** Reports to the recorder and to the others; a link that does not answer is lost. */
  async #report() {
    const link = this.#link;
    if (!link?.isOpen) return;
    if (await report(this, link) === "lost") {
      if (this.#link === link && this.phase === "joined") {
        link.drop();
        this.#comeBack();
      }
      return;
    }
    this.#objects.useMissing();
  }

  /** Names the song of the rolling take, for everybody; an empty title takes the name away.
   * @param {string} title */
  async nameTake(title) {
    const { take, desk } = this;
    if (!take || !desk || (take.song?.title ?? "") === title) return;
    this.#named(take.id, await desk.name(take, title));
  }

  /** @param {string} id @param {{ title: string } | null} song */
  #named(id, song) {
    if (this.take?.id !== id) return;
    this.known.roll({ ...this.take, song }, seconds());
    this.#tell();
  }

  /** @param {ServerEvent} event */
  #receive(event) {
    this.known.receive(event, seconds());
    switch (event.event) {
      case "joined":
      case "changed":
        this.#hear(event.member);
        this.#silence();
        break;
      case "muted":
        if (event.muted) this.#problem(`${this.members.get(event.by)?.participant.name ?? "A moderator"} has muted you: you are not heard, and your track is silent until this is lifted.`);
        break;
      case "left": this.sound?.forget(event.participant); break;
      case "published":
      case "unpublished": this.#hear(this.members.get(event.participant)); break;
      case "candidate": this.sound?.peers.get(event.peer)?.addCandidate(event.candidate); break;
      case "object": this.#objects.receive(event); break;
      case "warning": this.#problem(event.text); break;
    }
    this.dispatchEvent(new CustomEvent(event.event, { detail: event }));
    if (!["journaled", "object", "quality"].includes(event.event)) this.#tell();
  }

  /** @param {Phase} phase */
  #become(phase) {
    this.phase = phase;
    this.#tell();
  }

  #tell() { this.dispatchEvent(new CustomEvent("state", { detail: this.state })); }

  /** @param {string} text */
  #problem(text) { this.dispatchEvent(new CustomEvent("problem", { detail: text })); }
}
