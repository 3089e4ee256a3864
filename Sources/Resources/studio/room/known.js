import { Safety } from "./safety.js";

/** What the server has said of the room. Pure: its grants and events come in, with times of this page in seconds. */
export class Known {
  /** Whether our key or token may change anything ("musician") or not ("listener").
   * @type {"musician" | "listener"} */
  authority = "musician";
  /** What it entitles to.
   * @type {Role} */
  role = "musician";
  /** @type {Policy | null} */
  policy = null;
  /** @type {string | null} */
  session = null;
  /** @type {Map<string, Member>} */
  members = new Map();
  /** @type {RollingTake | null} */
  take = null;
  /** @type {Cue[]} */
  cues = [];
  /** @type {Message[]} */
  messages = [];
  safety = new Safety();
  /** Whether takes wait for a start though the room records by itself, and whether the server cannot write at present. */
  isStopped = false;
  isDegraded = false;
  /** Since when the take is known here. */
  tookUpAt = 0;
  /** Since when anybody who may be recorded sends sound.
   * @type {number | null} */
  soundSince = null;
  /** Names by identifier, also of those who have left: cues are signed with them.
   * @type {Map<string, string>} */
  #names = new Map();

  /** The answer to "join".
   * @param {Grant} grant @param {number} now */
  enter(grant, now) {
    this.authority = grant.authority ?? "musician";
    this.role = grant.role ?? this.authority;
    this.policy = grant.snapshot.policy;
    this.session = grant.snapshot.session;
    this.isStopped = grant.snapshot.stopped === true;
    this.isDegraded = false;
    this.members = new Map();
    for (const member of grant.snapshot.members) this.#meet(member);
    this.roll(grant.snapshot.take, now);
    // With those that were set while this page was away.
    if (grant.snapshot.cues) this.cues = grant.snapshot.cues;
    this.#listen(now);
  }

  /** The room was left; names stay, because its last cues are still on the page. */
  leave() {
    this.session = this.soundSince = null;
    this.members = new Map();
    this.messages = [];
    this.roll(null, 0);
    this.isStopped = this.isDegraded = false;
  }

  /** The name of somebody who is or was in the room, or null.
   * @param {string} id */
  nameOf(id) { return this.#names.get(id) ?? null; }

  /** Another take rolls, or the same one has a song.
   * @param {RollingTake | null} take @param {number} now */
  roll(take, now) {
    if (this.take?.id !== take?.id) {
      this.cues = [];
      this.safety.begin(take?.id ?? null);
      this.tookUpAt = now;
      this.isDegraded = false;
    }
    this.take = take;
  }

  /** @param {ServerEvent} event @param {number} now */
  receive(event, now) {
    switch (event.event) {
      case "joined":
      case "changed": this.#meet(event.member); break;
      case "left": this.members.delete(event.participant); break;
      case "published":
      case "unpublished": {
        const member = this.members.get(event.participant);
        if (member) member.publishing = event.event === "published";
        break;
      }
      case "takeStarted":
      case "takeStopped":
        this.isStopped = event.stopped === true;
        this.roll(event.take, now);
        break;
      case "journaled":
        // The disk takes this take, then: the warning was about another one, which waits for room on it.
        if (event.takeId === this.take?.id && event.position > this.safety.position) this.isDegraded = false;
        this.safety.journaled(event.takeId, event.position, now);
        break;
      case "cue": if (event.takeId === this.take?.id) this.cues.push(event.cue); break;
      case "message": {
        const name = this.members.get(event.from)?.participant.name ?? event.missedFrom ?? "Somebody who left";
        this.messages.push({ name, text: event.text, isPrivate: event.private === true, at: now });
        break;
      }
      case "quality": {
        const member = this.members.get(event.participant);
        if (member) member.quality = event;
        break;
      }
      case "topology": if (this.policy) this.policy.topology = event.topology; break;
      case "warning":
        if (event.code === "recording-degraded") this.isDegraded = true;
        if (event.code === "recording-recovered") this.isDegraded = false;
        break;
    }
    this.#listen(now);
  }

  /** @param {Member} member */
  #meet(member) {
    this.members.set(member.participant.id, member);
    this.#names.set(member.participant.id, member.participant.name);
  }

  /** @param {number} now */
  #listen(now) {
    const members = [...this.members.values()];
    const isThere = members.some(({ role, consent, publishing }) => role === "musician" && consent && publishing);
    this.soundSince = isThere ? this.soundSince ?? now : null;
    // The session of a room without musicians is over, and with it what they stopped.
    if (!members.some(({ role }) => role === "musician")) this.isStopped = false;
  }
}
