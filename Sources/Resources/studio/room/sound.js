import { candidates } from "./arrival.js";
import { Peer } from "./peer.js";
import { Quality } from "./quality.js";

/** The label of the connection that carries our own microphone; the others' are their identifiers. */
export const MICROPHONE = "microphone";

/** All sound of a room: our microphone out, every musician in. Emits "problem" with a sentence and "change". */
export class Sound extends EventTarget {
  /** By label. */
  peers = new Map();
  /** What was measured last, by label (room/quality.js). */
  quality = new Map();
  iceServers = [];
  #players = new Map();
  #meters = new Map();
  #volumes = new Map();
  /** By label: when a connection was wanted, or last whole, in milliseconds, and whether it ever was. */
  #waits = new Map();
  #link;
  #stream;
  /** The musicians that are to be heard, by identifier, with their names. */
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
    // The server makes the offer: only then is abs-capture-time agreed on, by which tracks are placed.
    const { sdp } = await this.#link.request("publish", { peer: MICROPHONE });
    await peer.answer(sdp, async (transceiver) => {
      transceiver.direction = "sendonly";
      await transceiver.sender.replaceTrack(this.#stream.getAudioTracks()[0]);
    });
  }

  /** Sends another microphone from now on, on the same connection. */
  async replace(stream) {
    this.#stream = stream;
    const [sender] = this.peers.get(MICROPHONE)?.connection.getSenders() ?? [];
    await sender?.replaceTrack(stream.getAudioTracks()[0]);
  }

  // -- in

  /** Subscribes to a musician once they send; their connection stays until they leave. */
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

  /** No more is heard of a musician who has left. */
  forget(id) {
    this.#wanted.delete(id);
    this.#waits.delete(id);
    this.#forget(id);
  }

  /** `{volume: 0 to 1, isMuted}` of a musician in this page; nobody else's. */
  volume(id) { return this.#volumes.get(id) ?? { volume: 1, isMuted: false }; }

  setVolume(id, change) {
    this.#volumes.set(id, { ...this.volume(id), ...change });
    this.#applyVolume(id);
  }

  /** The level of what comes from a musician, 0 to 1. */
  level(id) {
    const [receiver] = this.peers.get(id)?.connection.getReceivers() ?? [];
    return receiver?.getSynchronizationSources()[0]?.audioLevel ?? 0;
  }

  /** Browsers hold sound back until somebody clicks; called at every click. */
  resume() {
    for (const player of this.#players.values()) if (player.paused) player.play().catch(() => {});
  }

  // -- all

  /** Makes what broke while there was no link anew, and offers a restart to what stands still. */
  async mend() {
    for (const peer of [...this.peers.values()]) if (!peer.isAlive) this.#broken(peer);
    if (!this.peers.has(MICROPHONE)) await this.publish();
  }

  /** The network changed: looks for new paths at once, without waiting for the old ones to be given up. */
  restart() {
    for (const peer of this.peers.values()) peer.restart();
  }

  async measure() {
    for (const [label, peer] of this.peers) {
      if (!this.#meters.has(peer)) this.#meters.set(peer, new Quality());
      this.quality.set(label, await this.#meters.get(peer).read(peer.connection));
    }
  }

  /** What is known of a connection, as arrival.js wants it; null without one. */
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
    // A connection that is made anew goes on waiting.
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
