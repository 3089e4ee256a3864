// Gain and pan of each track, for the player, for exports and in this browser's memory.

import { memory } from "../base/memory.js";

/** Gain of every track in the recorder's own mix, in dB (docs/export.md). */
const BASE = -3;
const PLAIN = { gain: 0, pan: 0, mute: false, solo: false };
export const GAINS = { min: -48, max: 12 };

/** @param {number} decibels */
export const linear = (decibels) => 10 ** (decibels / 20);

/** Constant power with unity gain in the middle: [left, right]; fully to one side gives +3 dB there, as in exports.
 * @param {number} gain @param {number} pan @returns {Pair} */
export function panned(gain, pan) {
  const angle = ((pan + 1) * Math.PI) / 4;
  // Exactly zero on the other side, without rounding residue.
  const left = pan === 1 ? 0 : Math.SQRT2 * Math.cos(angle), right = pan === -1 ? 0 : Math.SQRT2 * Math.sin(angle);
  return pan === 0 ? [gain, gain] : [gain * left, gain * right];
}

export class Mixing extends /** @type {EmitterOf<{ change: undefined }>} */ (EventTarget) {
  #key;
  /** @type {Record<number, Channel>} */
  #channels;
  /** Master gain, in dB. */
  gain = 0;

  /** @param {string} take */
  constructor(take) {
    super();
    this.#key = `mix-${take}`;
    const kept = memory.read(this.#key);
    this.#channels = kept?.channels ?? {};
    this.gain = kept?.gain ?? 0;
  }

  /** The settings of the track `number`: gain (dB), pan (-1 to 1), mute, solo.
   * @param {number} number */
  channel(number) {
    return { ...PLAIN, ...this.#channels[number] };
  }

  /** @param {number} number @param {Partial<Channel>} change */
  set(number, change) {
    const now = { ...this.channel(number), ...change };
    const { gain, pan, mute, solo } = PLAIN;
    if (now.gain === gain && now.pan === pan && now.mute === mute && now.solo === solo) delete this.#channels[number];
    else this.#channels[number] = now;
    this.#keep();
  }

  /** @param {number} gain */
  setGain(gain) {
    this.gain = gain;
    this.#keep();
  }

  reset() {
    this.#channels = {};
    this.gain = 0;
    this.#keep();
  }

  get isPlain() { return this.gain === 0 && Object.keys(this.#channels).length === 0; }

  #keep() {
    memory.write(this.#key, this.isPlain ? null : { gain: this.gain, channels: this.#channels });
    this.dispatchEvent(new Event("change"));
  }

  /** Whether the track is audible: mute overrides solo.
   * @param {number} number @param {Track[]} tracks */
  isHeard(number, tracks) {
    const { mute, solo } = this.channel(number);
    return !mute && (solo || !tracks.some((track) => this.channel(track.number).solo));
  }

  /** [[id, [left, right]], …] for the deck; `level` is the whole side's, linear.
   * @param {Track[]} tracks @param {number} level @returns {Gains} */
  gains(tracks, level) {
    return tracks.map((track) => {
      const { gain, pan } = this.channel(track.number);
      const heard = level > 0 && this.isHeard(track.number, tracks);
      return [track.id, heard ? panned(level * linear(BASE + gain + this.gain), pan) : [0, 0]];
    });
  }

  /** The same as an export's `mix` (docs/events.md, section 4).
   * @param {Track[]} tracks */
  exported(tracks) {
    /** @type {Record<number, Partial<Channel>>} */
    const channels = {};
    for (const { number } of tracks) {
      const { gain, pan, mute, solo } = this.channel(number);
      /** @type {Partial<Channel>} */
      const said = {};
      if (gain !== 0) said.gain = gain;
      if (pan !== 0) said.pan = pan;
      if (mute) said.mute = true;
      if (solo) said.solo = true;
      if (Object.keys(said).length) channels[number] = said;
    }
    return { ...(Object.keys(channels).length ? { channels } : {}), ...(this.gain ? { gain: this.gain } : {}) };
  }
}
