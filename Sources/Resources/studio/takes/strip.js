// The controls of one track: mute, solo, gain, pan, and its meter.

import { button, element, freshID } from "../base/dom.js";
import { GAINS } from "./mixing.js";
import { figure, trackName } from "./take-words.js";

/** @param {number} number */
const signed = (number) => `${number > 0 ? "+" : ""}${figure(number)}`;

/** "middle", "30 % left".
 * @param {number} pan */
export function panWords(pan) {
  const share = Math.round(Math.abs(pan) * 100);
  return share === 0 ? "middle" : `${share} % ${pan < 0 ? "left" : "right"}`;
}

/** dBFS to the width of a meter: -60 dBFS is nothing.
 * @param {number} peak */
export const meterWidth = (peak) => (peak <= 0 ? 0 : Math.max(0, Math.min(1, 1 + (20 * Math.log10(peak)) / 60)));

/** A slider with a name and a value in words; a double click resets it.
 * @param {string} label @param {{ min: number, max: number, step: number, value: number, usual: number, words(value: number): string, onInput(value: number): unknown, className?: string }} options */
export function slider(label, { min, max, step, value, usual, words, onInput, className = "" }) {
  const id = freshID("slider");
  const input = element("input", { type: "range", id, min, max, step, className, title: label });
  /** @param {number} value */
  const show = (value) => {
    input.value = String(value);
    input.setAttribute("aria-valuetext", words(value));
    input.style.setProperty("--part", `${((value - min) / (max - min)) * 100}%`);
    output.textContent = words(value);
  };
  const output = element("output", { htmlFor: id });
  input.addEventListener("input", () => {
    show(Number(input.value));
    onInput(Number(input.value));
  });
  input.addEventListener("dblclick", () => {
    show(usual);
    onInput(usual);
  });
  const node = element("label", { className: "slider" }, element("span", { textContent: label }), output, input);
  show(value);
  return { node, input, show };
}

export class Strip {
  node;
  track;
  #mixing;
  #level = element("span", {});
  #meter = element("div", { className: "vu", "aria-hidden": "true" }, this.#level);
  #note = element("p", { className: "hint", hidden: true });
  #mute;
  #solo;
  #gain;
  #pan;
  #shown = 0;

  /** @param {Track} track @param {Mixing} mixing */
  constructor(track, mixing) {
    this.track = track;
    this.#mixing = mixing;
    const { number } = track, { gain, pan } = mixing.channel(number);
    this.#mute = button("M", () => this.toggle("mute"),
      { className: "toggle mute", "aria-label": "Mute", title: "Mute (M)" });
    this.#solo = button("S", () => this.toggle("solo"),
      { className: "toggle solo", "aria-label": "Solo", title: "Solo (S)" });
    this.#gain = slider("Gain", {
      ...GAINS, step: 0.5, value: gain, usual: 0, words: (value) => `${signed(value)} dB`,
      onInput: (gain) => mixing.set(number, { gain }),
    });
    this.#pan = slider("Pan", {
      min: -1, max: 1, step: 0.05, value: pan, usual: 0, words: panWords, className: "centred",
      onInput: (pan) => mixing.set(number, { pan: Math.abs(pan) < 0.01 ? 0 : pan }),
    });
    this.node = element("div", { className: "strip", role: "group", tabIndex: 0, "aria-label": trackName(track),
      dataset: { track: String(number) } },
      element("div", { className: "strip-head" },
        element("p", { className: "strip-name" }, element("strong", { textContent: track.participant.name, title: track.participant.name }),
          track.part ? element("small", { textContent: track.part }) : null),
        element("div", { className: "toggles" }, this.#mute, this.#solo)),
      this.#meter, element("div", { className: "knobs" }, this.#gain.node, this.#pan.node), this.#note);
    this.show();
  }

  /** @param {"mute" | "solo"} name */
  toggle(name) {
    const { number } = this.track;
    this.#mixing.set(number, { [name]: !this.#mixing.channel(number)[name] });
  }

  /** Shows the settings; `tracks` are all tracks of the take. */
  show(tracks = [this.track]) {
    const { number } = this.track, { gain, pan, mute, solo } = this.#mixing.channel(number);
    this.#mute.setAttribute("aria-pressed", String(mute));
    this.#solo.setAttribute("aria-pressed", String(solo));
    this.#gain.show(gain);
    this.#pan.show(pan);
    this.node.dataset.heard = String(this.#mixing.isHeard(number, tracks));
  }

  /** An optional sentence about the track's sound.
   * @param {string} text */
  note(text) {
    this.#note.textContent = text;
    this.#note.hidden = !text;
  }

  /** Shows a peak (linear, 1 is full scale): rises at once, falls slowly.
   * @param {number} peak */
  level(peak) {
    const width = meterWidth(peak);
    this.#shown = Math.max(width, this.#shown - 0.02);
    this.#level.style.setProperty("--value", this.#shown.toFixed(3));
    this.#meter.dataset.hot = String(peak >= 1);
  }
}
