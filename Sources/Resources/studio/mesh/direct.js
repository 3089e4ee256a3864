// Direct connections between the musicians of a mesh room (docs/protocol.md, section 10): the lowest delay that their networks
// offer. The service says who offers to whom and when to try again; until a connection stands, and whenever it does not,
// the musicians hear each other through the service.

import { musical } from "./musical.js";

/**
 * What room/sound.js plays and measures while a musician is heard directly, in the place of a connection with the service.
 * @typedef {{ connection: RTCPeerConnection, isDirect: true, isAlive: true, restart(): void, close(): void,
 *   addCandidate(): void }} Ear
 */

/** Connects this page with the other musicians' pages while its room is a mesh; `studio` is the page's own. */
export class Direct {
  #studio;
  /** By the other musician's identifier.
   * @type {Map<string, End>} */
  #ends = new Map();
  /** The participant as whom we have entered.
   * @type {string | null} */
  #entered = null;
  /** Whether events may have been missed. */
  #isBehind = false;

  /** @param {Studio} studio */
  constructor(studio) {
    this.#studio = studio;
    studio.addEventListener("state", () => this.#follow());
    studio.addEventListener("topology", () => {
      this.#leave();
      this.#follow();
    });
    studio.addEventListener("pair", ({ detail }) => this.#pair(detail.pair));
    studio.addEventListener("relayed", ({ detail }) => this.#ends.get(detail.from)?.receive(detail));
    studio.addEventListener("left", ({ detail }) => this.#end(detail.participant));
    studio.addEventListener("microphone", () => { for (const end of this.#ends.values()) end.replace(studio.stream); });
    addEventListener("online", () => this.#enter());
  }

  /** Enters with a new seat, and learns after the loss of a link what has become of its pairs. */
  #follow() {
    const { phase, participant, policy, options, sound, stream } = this.#studio;
    if (phase === "idle") return this.#leave();
    if (phase === "reconnecting") this.#isBehind = true;
    if (phase !== "joined" || options?.listener || !sound || !stream) return undefined;
    // The room may have become a routed one while this page was away.
    if (policy?.topology !== "mesh") return this.#leave();
    if (this.#entered !== participant) return this.#enter();
    if (this.#isBehind) this.#catchUp();
    return undefined;
  }

  async #enter() {
    const { phase, participant, policy, options, stream } = this.#studio;
    if (phase !== "joined" || policy?.topology !== "mesh" || options?.listener || !stream) return;
    this.#leave();
    this.#entered = participant;
    this.#isBehind = false;
    await this.#studio.request("meshEnter").catch((error) => { if (error.code === "unavailable") this.#entered = null; });
  }

  async #catchUp() {
    this.#isBehind = false;
    const { snapshot } = await this.#studio.request("snapshot").catch(() => ({}));
    if (!snapshot) return;
    /** @type {MeshPair[]} */
    const pairs = snapshot.pairs ?? [], mine = pairs.filter((pair) => this.#other(pair));
    // Perhaps the service was started anew, or the seat was given up meanwhile.
    if (!mine.length) {
      this.#enter();
      return;
    }
    const others = mine.map((pair) => this.#other(pair));
    // Musicians who left meanwhile have closed their end without our knowledge.
    for (const id of [...this.#ends.keys()]) if (!others.includes(id)) this.#end(id);
    for (const pair of mine) this.#pair(pair);
  }

  /** @param {MeshPair} pair */
  #other({ offers, answers }) {
    const { participant } = this.#studio;
    return offers === participant ? answers : answers === participant ? offers : null;
  }

  /** @param {MeshPair} pair */
  #pair(pair) {
    const id = this.#other(pair);
    if (!id || !this.#entered) return;
    const end = this.#ends.get(id);
    if (end?.number === pair.number) {
      end.follow(pair);
      return;
    }
    this.#end(id);
    if (pair.state === "failed") return;
    const next = new End(this.#studio, id, pair);
    this.#ends.set(id, next);
    next.follow(pair);
  }

  /** @param {string} id */
  #end(id) {
    this.#ends.get(id)?.close();
    this.#ends.delete(id);
  }

  #leave() {
    for (const id of [...this.#ends.keys()]) this.#end(id);
    this.#entered = null;
  }
}

/** Our end of the direct connection with one musician. */
class End {
  number;
  /** @type {Ear} */
  ear;
  #studio;
  #id;
  #offers;
  /** The last one for which we made an offer.
   * @type {number | null} */
  #attempt = null;
  #connection;
  /** Descriptions and candidates are dealt with one after the other.
   * @type {Promise<unknown>} */
  #turn = Promise.resolve();
  /** Candidates that must not overtake our description; null once it is sent.
   * @type {PairMessage[] | null} */
  #held = [];
  #isClosed = false;

  /** @param {Studio} studio @param {string} id @param {MeshPair} pair */
  constructor(studio, id, { number, offers }) {
    this.number = number;
    this.#studio = studio;
    this.#id = id;
    this.#offers = offers === studio.participant;
    const connection = this.#connection = new RTCPeerConnection({ iceServers: studio.sound?.iceServers, bundlePolicy: "max-bundle" });
    this.ear = { connection, isDirect: true, isAlive: true, restart() {}, close() {}, addCandidate() {} };
    connection.onicecandidate = ({ candidate }) => {
      const message = { candidate: candidate?.toJSON() ?? null };
      if (this.#held) this.#held.push(message);
      else this.#send(message);
    };
    connection.onconnectionstatechange = () => {
      const state = connection.connectionState;
      if (["connected", "disconnected", "failed"].includes(state)) this.#report(state);
    };
  }

  /** Does what the state of the pair asks of us.
   * @param {MeshPair} pair */
  follow(pair) {
    if (this.#offers && pair.attempt !== this.#attempt && (pair.state === "connecting" || pair.state === "lost")) {
      const isRestart = this.#attempt !== null;
      this.#attempt = pair.attempt;
      this.#then(() => this.#offer(isRestart));
    }
    const { sound, members } = this.#studio, member = members.get(this.#id);
    if (pair.route === "direct") sound?.hearDirectly(this.#id, this.ear);
    else sound?.hearAgain(this.#id, member?.publishing ? member.participant.name : null);
    if (pair.state === "failed") this.close();
    else this.#correct(pair.state === "connected");
  }

  /** Says again where our end stands if the service believes otherwise: a word may have been lost with a link.
   * @param {boolean} isBelievedUp */
  #correct(isBelievedUp) {
    const { connectionState } = this.#connection;
    if ((isBelievedUp ? ["disconnected", "failed"] : ["connected"]).includes(connectionState)) this.#report(connectionState);
  }

  /** @param {boolean} isRestart */
  async #offer(isRestart) {
    const connection = this.#connection;
    if (!isRestart) this.#sendTo(connection.addTransceiver(this.#track ?? "audio", { direction: "sendrecv" }));
    else if (connection.signalingState !== "stable") await connection.setLocalDescription({ type: "rollback" });
    this.#held = [];
    await this.#describe(await connection.createOffer({ iceRestart: isRestart }), "offer");
  }

  /** Takes a message of the other end.
   * @param {PairMessage & { pair: number }} message */
  receive({ pair, offer, answer, candidate, bye }) {
    if (pair !== this.number) return;
    const connection = this.#connection;
    if (offer !== undefined) {
      this.#then(async () => {
        await connection.setRemoteDescription({ type: "offer", sdp: offer });
        const [transceiver] = connection.getTransceivers();
        transceiver.direction = "sendrecv";
        await transceiver.sender.replaceTrack(this.#track);
        this.#sendTo(transceiver);
        this.#held = [];
        await this.#describe(await connection.createAnswer(), "answer");
      });
    } else if (answer !== undefined) {
      this.#then(() => connection.setRemoteDescription({ type: "answer", sdp: answer }));
    } else if (candidate !== undefined) {
      // One of a former attempt fits no longer.
      this.#then(() => connection.addIceCandidate(candidate ?? undefined).catch(() => {}));
    } else if (bye) {
      this.#studio.sound?.hearAgain(this.#id, this.#studio.members.get(this.#id)?.participant.name ?? null);
    }
  }

  /** Sets our description and passes it on, and then the candidates found meanwhile.
   * @param {RTCSessionDescriptionInit} description @param {"offer" | "answer"} type */
  async #describe({ sdp = "" }, type) {
    await this.#connection.setLocalDescription({ type, sdp: musical(sdp) });
    await this.#send({ [type]: this.#connection.localDescription?.sdp });
    const held = this.#held ?? [];
    this.#held = null;
    for (const message of held) this.#send(message);
  }

  get #track() { return this.#studio.stream?.getAudioTracks()[0] ?? null; }

  /** @param {RTCRtpTransceiver} transceiver */
  #sendTo(transceiver) {
    // As little delay as the network allows: musicians play together.
    if ("jitterBufferTarget" in transceiver.receiver) transceiver.receiver.jitterBufferTarget = 0;
  }

  /** @param {MediaStream | null} stream */
  replace(stream) {
    for (const sender of this.#connection.getSenders()) sender.replaceTrack(stream?.getAudioTracks()[0] ?? null).catch(() => {});
  }

  /** @param {() => unknown} work */
  #then(work) {
    this.#turn = this.#turn.then(() => (this.#isClosed ? undefined : work())).catch((error) => {
      // The service asks for another attempt if this one comes to nothing.
      if (!this.#isClosed) console.warn("a direct connection was not made:", error.message);
    });
  }

  /** @param {PairMessage} message */
  #send(message) { return this.#studio.request("meshRelay", { to: this.#id, pair: this.number, ...message }).catch(() => {}); }

  /** @param {RTCPeerConnectionState} state */
  #report(state) { this.#studio.request("meshReport", { about: this.#id, pair: this.number, state }).catch(() => {}); }

  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#connection.onconnectionstatechange = null;
    this.#connection.onicecandidate = null;
    const { sound, members } = this.#studio, member = members.get(this.#id);
    sound?.hearAgain(this.#id, member?.publishing ? member.participant.name : null);
    this.#connection.close();
  }
}
