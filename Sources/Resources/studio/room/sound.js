import { candidates } from "./arrival.js";
import { Peer } from "./peer.js";
import { Quality } from "./quality.js";

/** The label of our microphone's connection; the others are labelled by participant identifier. */
export const MICROPHONE = "microphone";

/** All sound of a room: our microphone out, every musician in. Emits "problem" with a sentence and "change". */
export class Sound extends EventTarget {
  /** By label. */
  peers = new Map();
  /** The latest measurements, by label (room/quality.js). */
  quality = new Map();
  iceServers = [];
  #players = new Map();
  #meters = new Map();
  #volumes = new Map();
  /** By label: when a connection was requested or last worked, in milliseconds, and whether it ever worked. */
  #waits = new Map();
  #link;
  #stream;
  /** The musicians to subscribe to: names by identifier. */
  #wanted = new Map();

  constructor(link, stream) {
    super();
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
      await transceiver.sender.replaceTrack(this.#stream.getAudioTracks()[0]);
    });
  }

  /** Switches to another microphone on the same connection. */
  async replace(stream) {
    this.#stream = stream;
    const [sender] = this.peers.get(MICROPHONE)?.connection.getSenders() ?? [];
    await sender?.replaceTrack(stream.getAudioTracks()[0]);
  }

  // -- in

  /** Subscribes to a musician once they send; the connection stays until they leave. */
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
    } catch (error) {
      if (this.peers.get(id) !== peer) return;
      this.#forget(id);
      if (error.code !== "unavailable") this.#problem(`You cannot hear ${name}: ${error.message}`);
    }
  }

  /** Ends the connection of a musician who has left. */
  forget(id) {
    this.#wanted.delete(id);
    this.#waits.delete(id);
    this.#forget(id);
  }

  /** `{volume: 0 to 1, isMuted}` of a musician, for this page alone. */
  volume(id) { return this.#volumes.get(id) ?? { volume: 1, isMuted: false }; }

  setVolume(id, change) {
    this.#volumes.set(id, { ...this.volume(id), ...change });
    this.#applyVolume(id);
  }

  /** The level of a musician's incoming sound, 0 to 1. */
  level(id) {
    const [receiver] = this.peers.get(id)?.connection.getReceivers() ?? [];
    return receiver?.getSynchronizationSources()[0]?.audioLevel ?? 0;
  }

  /** Resumes playback; called at every click, because browsers hold sound back until the first one. */
  resume() {
    for (const player of this.#players.values()) if (player.paused) player.play().catch(() => {});
  }

  // -- both directions

  /** Replaces connections that broke while the link was down, and publishes the microphone if it has no connection. */
  async mend() {
    for (const peer of [...this.peers.values()]) if (!peer.isAlive) this.#broken(peer);
    if (!this.peers.has(MICROPHONE)) await this.publish();
  }

  /** Looks for new paths at once after a change of network, without waiting for the old ones to time out. */
  restart() {
    for (const peer of this.peers.values()) peer.restart();
  }

  async measure() {
    for (const [label, peer] of this.peers) {
      if (!this.#meters.has(peer)) this.#meters.set(peer, new Quality());
      this.quality.set(label, await this.#meters.get(peer).read(peer.connection));
    }
  }

  /** The facts about a connection for arrival.js; null without a connection. */
  facts(label) {
    const connection = this.peers.get(label)?.connection, { since, wasUp } = this.#waits.get(label) ?? {};
    if (!connection) return null;
    return {
      waited: (performance.now() - since) / 1000, wasUp, ice: connection.iceConnectionState, connection: connection.connectionState,
      ours: candidates(connection.localDescription?.sdp), theirs: candidates(connection.remoteDescription?.sdp),
      packets: this.quality.get(label)?.packets ?? null,
    };
  }

  closeAll() {
    this.#waits.clear();
    for (const label of [...this.peers.keys()]) this.#forget(label);
  }

  #play(id, stream) {
    const player = new Audio();
    player.srcObject = stream;
    this.#players.set(id, player);
    this.#applyVolume(id);
    player.play().catch(() => this.#problem("The browser blocks sound here. Click anywhere to hear the others."));
  }

  #applyVolume(id) {
    const player = this.#players.get(id), { volume, isMuted } = this.volume(id);
    if (player) Object.assign(player, { volume, muted: isMuted });
  }

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

  #broken(peer) {
    if (this.peers.get(peer.label) !== peer) return;
    this.#forget(peer.label);
    if (peer.label === MICROPHONE) this.publish().catch((error) => this.#problem(error.message));
    else if (this.#wanted.has(peer.label)) this.hear(peer.label, this.#wanted.get(peer.label));
  }

  #forget(label) {
    const peer = this.peers.get(label);
    peer?.close();
    this.#meters.delete(peer);
    this.peers.delete(label);
    this.quality.delete(label);
    this.#players.get(label)?.pause();
    this.#players.delete(label);
  }

  #problem(text) { this.dispatchEvent(new CustomEvent("problem", { detail: text })); }
}
