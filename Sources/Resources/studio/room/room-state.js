import { memory } from "../base/memory.js";
import { Refusal } from "../base/refusal.js";
import { ServerClock } from "../playing/count-in.js";
import { OwnSound } from "../playing/own-sound.js";
import { adviceOf, delayOf, troubleOf } from "../playing/reports.js";
import { Known } from "./known.js";

/**
 * What is known of this page's room, for its views; room/studio.js changes it. Emits the server's events by their names,
 * "state" and "problem".
 */
export class RoomState extends /** @type {EmitterOf<StudioEvents>} */ (EventTarget) {
  /** @type {Phase} */
  phase = "idle";
  /** @type {JoinOptions | null} */
  options = null;
  /** @type {string | null} */
  participant = null;
  /** The secret by which a seat is taken again.
   * @type {string | null} */
  resume = null;
  /** @type {Sound | null} */
  sound = null;
  /** Since when the link is lost, in seconds of this page's clock.
   * @type {number | null} */
  lostAt = null;
  /** How the server ended the last stay (base/states.js), until somebody goes on from there.
   * @type {SentAway | null} */
  sentAway = null;
  /** What the server has said of the room. */
  known = new Known();
  serverClock = new ServerClock();
  /** Our own sound. */
  own = new OwnSound((method, params) => this.request(method, params));
  /** The delays that each page reports, by participant (see `delay`).
   * @type {SharedObject | null} */
  delays = null;
  /** What the pages of the room agree on while they play: the song of the take, count-ins.
   * @type {Desk | null} */
  desk = null;

  /** A stay begins.
   * @param {JoinOptions} options */
  begin(options) {
    this.options = { ...options };
    this.resume = options.resume ?? null;
  }

  /** The server has let us in; `now` as in known.js.
   * @param {Grant} grant @param {number} now */
  admit(grant, now) {
    this.participant = grant.participant;
    this.resume = grant.resume;
    this.lostAt = null;
    this.serverClock.renew();
    this.known.enter(grant, now);
  }

  /** Asks the server; room/studio.js does so over its link.
   * @param {string} method @param {object} [params] @returns {Promise<any>} */
  request(method, params) {
    return Promise.reject(new Refusal("not-joined", "You are not in a room; join one first."));
  }

  get authority() { return this.known.authority; }
  get role() { return this.known.role; }
  get policy() { return this.known.policy; }
  get session() { return this.known.session; }
  get members() { return this.known.members; }
  get take() { return this.known.take; }
  get cues() { return this.known.cues; }
  get messages() { return this.known.messages; }
  get safety() { return this.known.safety; }
  get isStopped() { return this.known.isStopped; }
  get isDegraded() { return this.known.isDegraded; }
  get tookUpAt() { return this.known.tookUpAt; }
  get soundSince() { return this.known.soundSince; }
  /** The name of somebody who is or was in the room, or null.
   * @param {string} id */
  nameOf(id) { return this.known.nameOf(id); }

  /** Whether this page offers controls that change takes and texts of the room; a listener's page does not. */
  get mayChange() { return this.authority === "musician" && !this.options?.listener; }

  /** Whether this page offers invitations: in a service without keys the link is the room's address. */
  get mayInvite() { return ["moderator", "owner", "operator"].includes(this.role); }

  /** Whether this page offers to remove members and to mute them for everybody. In a service without keys everybody may, but
   * who only listens has shown nothing by which to. */
  get mayModerate() {
    if (this.options?.listener && this.role === "operator" && !memory.read("has-access")) return false;
    return this.mayInvite;
  }

  get microphone() { return this.own.microphone; }
  get stream() { return this.microphone?.stream ?? null; }
  get talkback() { return this.own.talkback; }
  get canTalk() { return this.own.canTalk; }
  get isSilent() { return this.own.isSilent; }
  /** Whether a moderator has muted this musician: the service passes on and records silence. */
  get isMutedByModerator() { return this.own.isMutedByModerator; }

  /** The level of a member, 0 to 1.
   * @param {string} id */
  level(id) {
    if (id === this.participant) return Math.max(...this.microphone?.levels.peak ?? [0]);
    return this.sound?.level(id) ?? 0;
  }

  /** How late a musician is for us and we for them: {toUs, toThem} (playing/reports.js).
   * @param {string} id */
  delay(id) { return delayOf(this, id); }

  /** Why a pair is late and what helps, or "" (playing/reports.js).
   * @param {string} id */
  advice(id) { return adviceOf(this, id); }

  /** Why a musician's sound does not reach us, or ours the service, as `{id, text}`; null if sound arrives.
   * @param {string} id */
  trouble(id) { return troubleOf(this, id); }

  /** The public state, as plain values.
   * @returns {StudioState} */
  get state() {
    return {
      phase: this.phase, room: this.options?.room ?? null, participant: this.participant, take: this.take,
      members: [...this.members.values()], resume: this.resume, peers: this.sound?.states ?? {},
      safe: this.safety.position, isMuted: this.own.isMuted,
    };
  }
}
