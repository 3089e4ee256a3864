import { element } from "../base/dom.js";
import { decibels } from "./warnings.js";

/** The lowest level of a meter, and the levels at which its colour changes, in dBFS. */
const FLOOR = -60;
const HIGH = -9;
const HOT = -1;
/** Seconds that a peak stays marked, and dB a second by which the bar falls. */
const HOLD = 1.5;
const FALL = 26;

/** Bars for one or two channels, with the recent peak. The picture is for sighted users; a screen reader gets words. */
export class Meter {
  element;
  #bars;
  #shown;
  /** @type {string[][]} */
  #drawn = [];
  #held;
  #last = performance.now();
  #words;

  /** @param {number} channels @param {string} label */
  constructor(channels, label) {
    this.#bars = Array.from({ length: channels }, () => element("div", { className: "bar", ariaHidden: "true" },
      element("span", { className: "fill" }), element("span", { className: "peak" })));
    this.#shown = Array(channels).fill(FLOOR);
    this.#held = Array.from({ length: channels }, () => ({ level: FLOOR, at: 0 }));
    this.#words = element("output", { className: "reading", ariaHidden: "true" });
    this.element = element("div", {
      className: "meter", role: "meter", ariaLabel: label, ariaValueMin: String(FLOOR), ariaValueMax: "0", ariaValueNow: String(FLOOR),
    }, element("div", { className: "bars" }, this.#bars), this.#words);
  }

  /** `levels`: peaks of the channels, 0 to 1.
   * @param {number[]} levels */
  show(levels) {
    const now = performance.now(), passed = (now - this.#last) / 1000;
    this.#last = now;
    this.#bars.forEach((bar, channel) => {
      const level = Math.max(FLOOR, decibels(levels[channel] ?? levels[0] ?? 0));
      const shown = this.#shown[channel] = Math.max(level, this.#shown[channel] - FALL * passed, FLOOR);
      const held = this.#held[channel];
      if (level >= held.level || now - held.at > 1000 * HOLD) Object.assign(held, { level, at: now });
      // Unchanged bars are not repainted.
      const zone = held.level > HOT ? "hot" : held.level > HIGH ? "high" : "normal";
      const drawn = [(1 - shown / FLOOR).toFixed(2), (1 - held.level / FLOOR).toFixed(2), zone];
      if (this.#drawn[channel]?.join() === drawn.join()) return;
      this.#drawn[channel] = drawn;
      bar.style.setProperty("--value", drawn[0]);
      bar.style.setProperty("--peak", drawn[1]);
      bar.dataset.zone = zone;
    });
    const loudest = Math.max(...this.#held.map((held) => held.level));
    const text = loudest <= FLOOR ? "–∞ dB" : `${loudest.toFixed(0)} dB`;
    if (this.#words.textContent !== text) {
      this.#words.textContent = text;
      this.element.ariaValueNow = loudest.toFixed(0);
      this.element.ariaValueText = text;
    }
  }

}
