// What this page hears of the others: volume, place and mute of each, for its own ears alone. Nothing of it changes what is
// recorded, or what anybody else hears.
//
// A musician in the middle and no louder than they play comes straight out of the browser's player, the shortest way there is. One
// who is moved aside or lifted goes through Web Audio, which adds a buffer of its own.

import { memory } from "../base/memory.js";
import { linear, panned } from "../takes/mixing.js";
import { chosenOutput, route } from "./output.js";

/** dB; the lowest place of a fader is silence. */
export const FADER = { min: -48, max: 12 };
/** Names of whom the settings are remembered; the one that was changed least lately is forgotten first. */
const REMEMBERED = 100;
/** Seconds in which a change is nearly done: no click, and nothing to wait for. */
const SMOOTH = 0.01;

/** @typedef {{ gain: number, pan: number }} Setting `gain` in dB, `pan` from -1 to 1 */
/** @typedef {{ entry: GainNode, left: GainNode, right: GainNode, source: MediaStreamAudioSourceNode }} Way */

const PLAIN = { gain: 0, pan: 0 };

/** What may be kept under a name, within its limits. Pure.
 * @param {any} kept @returns {Setting} */
export function readSetting(kept) {
  /** @param {any} value @param {number} least @param {number} most */
  const within = (value, least, most) => (Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : 0);
  return { gain: within(kept?.gain, FADER.min, FADER.max), pan: within(kept?.pan, -1, 1) };
}

/** @returns {Map<string, Setting>} */
function remembered() {
  const kept = memory.read("heard", []);
  return new Map(Array.isArray(kept) ? kept.flatMap((entry) => (typeof entry?.[0] === "string" ? [[entry[0], readSetting(entry[1])]] : [])) : []);
}

export class Ears {
  #nameOf;
  /** By name. They hold for this stay where a browser keeps nothing. */
  #settings = remembered();
  /** @type {Map<string, HTMLAudioElement>} */
  #players = new Map();
  /** Those who go through Web Audio, or have been there.
   * @type {Map<string, Way>} */
  #ways = new Map();
  /** Whom this page does not want to hear, and whom a moderator has muted.
   * @type {Set<string>} */
  #muted = new Set();
  /** @type {Set<string>} */
  #silenced = new Set();
  /** The audio contexts of the page that sound where the room does.
   * @type {Set<AudioContext>} */
  #contexts = new Set();
  /** @type {AudioContext | null} */
  #context = null;

  /** @param {(id: string) => string | null} nameOf settings are remembered by names */
  constructor(nameOf) { this.#nameOf = nameOf; }

  /** `{gain, pan, isMuted}` of a musician.
   * @param {string} id */
  of(id) {
    return { ...PLAIN, ...this.#settings.get(this.#nameOf(id) ?? ""), isMuted: this.#muted.has(id) };
  }

  /** @param {string} id @param {{ gain?: number, pan?: number, isMuted?: boolean }} change */
  set(id, { isMuted, ...change }) {
    if (isMuted === true) this.#muted.add(id);
    if (isMuted === false) this.#muted.delete(id);
    const name = this.#nameOf(id);
    if (name !== null && Object.keys(change).length) {
      const all = this.#settings, { gain, pan } = readSetting({ ...PLAIN, ...all.get(name), ...change });
      all.delete(name);
      if (gain !== 0 || pan !== 0) all.set(name, { gain, pan });
      memory.write("heard", [...all].slice(-REMEMBERED));
    }
    this.#apply(id);
  }

  /** Plays nothing of a musician whom a moderator has muted. The service lets none of their sound through; over a direct
   * connection it depends on their client too, which may not know of it.
   * @param {string} id @param {boolean} isSilenced */
  silence(id, isSilenced) {
    if (isSilenced) this.#silenced.add(id);
    else this.#silenced.delete(id);
    this.#apply(id);
  }

  /** @param {string} id */
  isSilenced(id) { return this.#silenced.has(id); }

  /** Plays a stream as a musician's; `blocked` is called where the browser waits for a click.
   * @param {string} id @param {MediaStream} stream @param {() => void} blocked */
  play(id, stream, blocked) {
    this.stop(id);
    const player = new Audio();
    player.srcObject = stream;
    this.#players.set(id, player);
    this.#apply(id);
    if (chosenOutput()) route(player);
    player.play().catch(({ name }) => {
      // Any other failure is that of a player which was replaced before it began.
      if (name === "NotAllowedError") blocked();
    });
  }

  /** @param {string} id */
  stop(id) {
    this.#players.get(id)?.pause();
    this.#players.delete(id);
    const way = this.#ways.get(id);
    if (way) for (const node of Object.values(way)) node.disconnect();
    this.#ways.delete(id);
  }

  /** Everything comes out of the chosen device from now on. */
  useOutput() {
    for (const context of this.#contexts) if (context.state === "closed") this.#contexts.delete(context);
    for (const player of [...this.#players.values(), ...this.#contexts]) route(player);
  }

  /** From now on a context of the page sounds where the room does.
   * @param {AudioContext} context */
  sendTo(context) {
    this.#contexts.add(context);
    if (chosenOutput()) route(context);
  }

  /** Resumes playback; called at every click, because browsers hold sound back until the first one. */
  resume() {
    for (const player of this.#players.values()) if (player.paused) player.play().catch(() => {});
    this.#context?.resume().catch(() => {});
  }

  close() {
    for (const id of [...this.#players.keys()]) this.stop(id);
    this.#context?.close();
    this.#context = null;
  }

  /** @param {string} id */
  #apply(id) {
    const player = this.#players.get(id);
    if (!player) return;
    const { gain, pan, isMuted } = this.of(id), isSilent = isMuted || this.#silenced.has(id) || gain <= FADER.min;
    const isPlain = pan === 0 && gain <= 0, way = isPlain ? this.#ways.get(id) : this.#wayThrough(id, player);
    const [left, right] = isPlain || isSilent ? [0, 0] : panned(linear(gain), pan);
    if (way && this.#context) {
      way.left.gain.setTargetAtTime(left, this.#context.currentTime, SMOOTH / 3);
      way.right.gain.setTargetAtTime(right, this.#context.currentTime, SMOOTH / 3);
    }
    // The player goes on without sound: Chromium gives Web Audio the sound of a connection only while something plays it.
    Object.assign(player, { volume: isPlain ? linear(gain) : player.volume, muted: isSilent || (!isPlain && way !== undefined) });
  }

  /** Web Audio's way for a musician; none for a stream without sound.
   * @param {string} id @param {HTMLAudioElement} player */
  #wayThrough(id, player) {
    const known = this.#ways.get(id), stream = player.srcObject;
    if (known || !(stream instanceof MediaStream) || !stream.getAudioTracks().length) return known;
    if (!this.#context) {
      this.#context = new AudioContext({ latencyHint: "interactive" });
      this.#context.resume().catch(() => {});
      this.sendTo(this.#context);
    }
    const context = this.#context;
    // One channel becomes two: what is mono stands in the middle as loud as the player has it.
    const entry = new GainNode(context, { channelCount: 2, channelCountMode: "explicit", channelInterpretation: "speakers" });
    const split = new ChannelSplitterNode(context, { numberOfOutputs: 2 }), merge = new ChannelMergerNode(context, { numberOfInputs: 2 });
    const left = new GainNode(context, { gain: 0 }), right = new GainNode(context, { gain: 0 });
    const source = context.createMediaStreamSource(stream);
    source.connect(entry).connect(split);
    split.connect(left, 0).connect(merge, 0, 0);
    split.connect(right, 1).connect(merge, 0, 1);
    merge.connect(context.destination);
    const way = { entry, left, right, source };
    this.#ways.set(id, way);
    return way;
  }
}
