import { Ears } from "../playing/ears.js";
import { candidates } from "./arrival.js";
import { Peer } from "./peer.js";
import { Quality } from "./quality.js";

/** The label of our microphone's connection; the others are labelled by participant identifier. */
export const MICROPHONE = "microphone";

/** All sound of a room: our microphone out, every musician in. Emits "problem" with a sentence and "change". */
export class Sound extends /** @type {EmitterOf<{ problem: string, change: undefined }>} */ (EventTarget) {
  /** By label.
   * @type {Map<string, Peer | Ear>} */
  peers = new Map();
  /** The latest measurements, by label (room/quality.js).
   * @type {Map<string, Measurement>} */
  quality = new Map();
  /** @type {RTCIceServer[]} */
  iceServers = [];
  /** @type {Map<Peer | Ear, Quality>} */
  #meters = new Map();
  /** By label: when a connection was requested or last worked, in milliseconds, and whether it ever worked.
   * @type {Map<string, { since: number, wasUp: boolean, isUp?: boolean }>} */
  #waits = new Map();
  /** What is heard of the others. */
  ears;
  #link;
  #stream;
  /** The musicians to subscribe to: names by identifier.
   * @type {Map<string, string>} */
  #wanted = new Map();

  /** @param {Link} link @param {MediaStream | null | undefined} stream @param {(id: string) => string | null} nameOf */
  constructor(link, stream, nameOf) {
    super();
    this.ears = new Ears(nameOf);
    this.#link = link;
    this.#stream = stream;
  }

  get states() {
    return Object.fromEntries([...this.peers].map(([label, peer]) => [label, peer.connection.connectionState]));
  }

  // -- out

  async publish() {
    if (!this.#stream) return;
    const peer = this.#makePeer(MICROPHONE);
    // The server must make the offer: otherwise abs-capture-time, which places the tracks, is not negotiated.
    const { sdp } = await this.#link.request("publish", { peer: MICROPHONE });
    await peer.answer(sdp, async (transceiver) => {
      transceiver.direction = "sendonly";
      await transceiver.sender.replaceTrack(this.#stream?.getAudioTracks()[0] ?? null);
    });
  }

  /** Switches to another microphone on the same connection.
   * @param {MediaStream} stream */
  async replace(stream) {
    this.#stream = stream;
    const [sender] = this.peers.get(MICROPHONE)?.connection.getSenders() ?? [];
    await sender?.replaceTrack(stream.getAudioTracks()[0]);
  }

  // -- in

  /** Subscribes to a musician once they send; the connection stays until they leave.
   * @param {string} id @param {string} name */
  async hear(id, name) {
    this.#wanted.set(id, name);
    if (this.peers.has(id)) return;
    const peer = this.#makePeer(id);
    try {
      const { sdp } = await this.#link.request("subscribe", { peer: id, participant: id });
      await peer.answer(sdp, (transceiver) => {
        transceiver.direction = "recvonly";
        // As little delay as the network allows: musicians play together.
        if ("jitterBufferTarget" in transceiver.receiver) transceiver.receiver.jitterBufferTarget = 0;
        this.#play(id, new MediaStream([transceiver.receiver.track]));
      });
    } catch (/** @type {any} */ error) {
      if (this.peers.get(id) !== peer) return;
      this.#forget(id);
      if (error.code !== "unavailable") this.#problem(`You cannot hear ${name}: ${error.message}`);
    }
  }

  /** Plays a musician over a direct connection (mesh/direct.js) instead of through the service.
   * @param {string} id @param {Ear} ear */
  hearDirectly(id, ear) {
    if (this.peers.get(id) === ear) return;
    const hadService = this.peers.has(id);
    this.#forget(id);
    if (hadService) this.#link.request("close", { peer: id }).catch(() => {});
    this.peers.set(id, ear);
    this.#waits.set(id, { since: performance.now(), wasUp: true, isUp: true });
    // One microphone, as through the service; other tracks that the other end may offer are none.
    this.#play(id, new MediaStream(ear.connection.getReceivers().slice(0, 1).map(({ track }) => track)));
    this.dispatchEvent(new Event("change"));
  }

  /** Plays a musician through the service again; `name` is null for one who does not send.
   * @param {string} id @param {string | null} name */
  hearAgain(id, name) {
    if (!this.peers.get(id)?.isDirect) return;
    this.#forget(id);
    if (name !== null) this.hear(id, name);
    this.dispatchEvent(new Event("change"));
  }

  /** "direct" or "routed": which way a musician is heard; null while they are not.
   * @param {string} id */
  route(id) {
    const peer = this.peers.get(id);
    return peer ? (peer.isDirect ? "direct" : "routed") : null;
  }

  /** Ends the connection of a musician who has left.
   * @param {string} id */
  forget(id) {
    this.#wanted.delete(id);
    this.#waits.delete(id);
    this.#forget(id);
  }

  /** The level of a musician's incoming sound, 0 to 1.
   * @param {string} id */
  level(id) {
    if (this.ears.isSilenced(id)) return 0;
    const [receiver] = this.peers.get(id)?.connection.getReceivers() ?? [];
    return receiver?.getSynchronizationSources()[0]?.audioLevel ?? 0;
  }

  // -- both directions

  /** Replaces connections that broke while the link was down, and publishes the microphone if it has no connection. */
  async mend() {
    for (const peer of [...this.peers.values()]) if (!peer.isDirect && !peer.isAlive) this.#broken(peer);
    if (!this.peers.has(MICROPHONE)) await this.publish();
  }

  /** Looks for new paths at once after a change of network, without waiting for the old ones to time out. */
  restart() {
    for (const peer of this.peers.values()) peer.restart();
  }

  async measure() {
    for (const [label, peer] of this.peers) {
      const meter = this.#meters.get(peer) ?? new Quality();
      this.#meters.set(peer, meter);
      const quality = await meter.read(peer.connection);
      // What was replaced meanwhile says nothing about what plays now.
      if (this.peers.get(label) === peer) this.quality.set(label, quality);
    }
  }

  /** The facts about a connection for arrival.js; null without a connection.
   * @param {string} label */
  facts(label) {
    const connection = this.peers.get(label)?.connection, wait = this.#waits.get(label);
    if (!connection) return null;
    return {
      waited: wait ? (performance.now() - wait.since) / 1000 : 0, wasUp: wait?.wasUp, ice: connection.iceConnectionState, connection: connection.connectionState,
      ours: candidates(connection.localDescription?.sdp), theirs: candidates(connection.remoteDescription?.sdp),
      packets: this.quality.get(label)?.packets ?? null,
    };
  }

  closeAll() {
    this.#waits.clear();
    for (const label of [...this.peers.keys()]) this.#forget(label);
    this.ears.close();
  }

  /** @param {string} id @param {MediaStream} stream */
  #play(id, stream) {
    this.ears.play(id, stream, () => this.#problem("The browser blocks sound here. Click anywhere to hear the others."));
  }

  /** @param {string} label */
  #makePeer(label) {
    this.#forget(label);
    const peer = new Peer(label, this.#link, this.iceServers, (broken) => this.#broken(broken));
    // A replaced connection keeps its waiting time.
    if (!this.#waits.has(label)) this.#waits.set(label, { since: performance.now(), wasUp: false });
    peer.connection.addEventListener("connectionstatechange", () => {
      const wait = this.#waits.get(label), isUp = peer.connection.connectionState === "connected";
      if (this.peers.get(label) === peer && wait && (isUp || wait.isUp)) {
        this.#waits.set(label, { since: performance.now(), wasUp: true, isUp });
      }
      this.dispatchEvent(new Event("change"));
    });
    this.peers.set(label, peer);
    return peer;
  }

  /** @param {Peer} peer */
  #broken(peer) {
    if (this.peers.get(peer.label) !== peer) return;
    this.#forget(peer.label);
    if (peer.label === MICROPHONE) {
      this.publish().catch((error) => this.#problem(error.message));
      return;
    }
    const name = this.#wanted.get(peer.label);
    if (name !== undefined) this.hear(peer.label, name);
  }

  /** @param {string} label */
  #forget(label) {
    const peer = this.peers.get(label);
    peer?.close();
    if (peer) this.#meters.delete(peer);
    this.peers.delete(label);
    this.quality.delete(label);
    this.ears.stop(label);
  }

  /** @param {string} text */
  #problem(text) { this.dispatchEvent(new CustomEvent("problem", { detail: text })); }
}
