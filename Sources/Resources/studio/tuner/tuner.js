// The tuner by the meter: the note that sounds, and by how much it is off. While it is off nothing listens.

import { button, element, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { Ear } from "./ear.js";
import { noteOf, REFERENCE, Steady, verdictOf } from "./notes.js";
import { PitchFinder } from "./pitch.js";

/** Milliseconds between two looks at the sound: less than a window, so that nothing is left out. */
const LOOK = 70;
/** Milliseconds after which a screen reader may be told again. */
const TELL = 2000;
/** Cents to either side of the middle that the scale shows. */
const REACH = 50;

/** @param {number} cents */
const offWords = (cents) => {
  const whole = Math.round(Math.abs(cents));
  return `${whole} ${whole === 1 ? "cent" : "cents"} ${cents < 0 ? "low" : "high"}`;
};

/** The hertz of A4 that this browser remembers, or the usual ones. */
function remembered() {
  const { lowest, highest, usual } = REFERENCE, kept = memory.read("tuner-reference", usual);
  return Number.isFinite(kept) && kept >= lowest && kept <= highest ? kept : usual;
}

/** Shows what the microphone of `source()` hears. */
export class Tuner {
  /** The button that turns it on and off, and what it shows. */
  button = button("Tuner", () => this.toggle(), { className: "quiet tuner-button", "aria-pressed": "false", hidden: true, title: "Tune by the microphone, also while you are muted" });
  node;
  #source;
  #isOn = false;
  #note = element("strong");
  #octave = element("sub");
  #words = element("p", { className: "tuner-words" });
  #muted = element("p", { className: "facts", textContent: "You are muted: only this page hears you tune." });
  #spoken = element("p", { className: "hidden", role: "status" });
  #needle = element("span", { className: "needle" });
  #reference = element("input", {
    type: "number", inputMode: "decimal", min: String(REFERENCE.lowest), max: String(REFERENCE.highest), step: "0.1", value: String(remembered()), required: true,
  });
  /** @type {Microphone | null} */
  #microphone = null;
  /** @type {Ear | null} */
  #ear = null;
  /** @type {PitchFinder | null} */
  #finder = null;
  #steady = new Steady();
  /** @type {ReturnType<typeof setInterval> | undefined} */
  #timer;
  #told = { words: "", at: 0 };

  /** @param {() => Microphone | null} source the microphone of this moment */
  constructor(source) {
    this.#source = source;
    this.node = element("section", { className: "tuner", ariaLabel: "Tuner", hidden: true, dataset: { verdict: "none" } },
      element("div", { className: "tuner-note", ariaHidden: "true" }, element("span", { className: "tuner-low", textContent: "▶" }),
        element("span", { className: "tuner-name" }, this.#note, this.#octave), element("span", { className: "tuner-high", textContent: "◀" })),
      element("div", { className: "tuner-reading" },
        element("div", { className: "tuner-scale", ariaHidden: "true" }, element("span", { className: "zone" }), this.#needle),
        this.#words),
      element("label", { className: "tuner-reference" }, "A4 in Hz", this.#reference), this.#muted, this.#spoken);
    this.#reference.addEventListener("input", () => {
      if (this.#reference.checkValidity()) memory.write("tuner-reference", this.#reference.valueAsNumber);
    });
    // What is no pitch is not kept, and goes with the focus.
    this.#reference.addEventListener("change", () => { this.#reference.value = String(remembered()); });
  }

  toggle() {
    this.#isOn = !this.#isOn && Boolean(this.#source()?.context);
    this.renew();
  }

  /** There may be another microphone, or none. */
  renew() {
    const microphone = this.#source(), context = microphone?.context ?? null;
    this.button.hidden = !context;
    this.node.hidden = !this.#isOn || !context;
    this.button.setAttribute("aria-pressed", String(this.#isOn));
    this.#muted.hidden = !microphone?.isMuted;
    const wanted = this.#isOn && context ? microphone : null;
    if (wanted === this.#microphone) return;
    this.#rest();
    this.#microphone = wanted;
    if (!wanted || !context) return;
    this.#finder = new PitchFinder(context.sampleRate);
    this.#ear = new Ear(wanted, context, this.#finder.length);
    this.#timer = setInterval(() => this.#look(), LOOK);
    this.#show(null);
  }

  close() {
    this.#isOn = false;
    this.#microphone = null;
    this.#rest();
  }

  #rest() {
    clearInterval(this.#timer);
    this.#ear?.close();
    this.#ear = this.#finder = null;
    this.#steady = new Steady();
  }

  #look() {
    // Nobody sees it, and the music needs the processor.
    if (document.hidden || !this.#ear || !this.#finder) return;
    const found = this.#finder.find(this.#ear.listen());
    this.#show(this.#steady.take(found?.frequency ?? null, performance.now() / 1000));
  }

  /** @param {number | null} frequency */
  #show(frequency) {
    const { dataset, style } = this.node;
    if (frequency === null) {
      dataset.verdict = "none";
      setText(this.#note, "–");
      setText(this.#octave, "");
      setText(this.#words, "Play one note");
      return;
    }
    const { name, octave, cents } = noteOf(frequency, remembered()), verdict = verdictOf(cents);
    dataset.verdict = verdict;
    setText(this.#note, name);
    setText(this.#octave, String(octave));
    setText(this.#words, verdict === "tuned" ? "In tune" : offWords(cents));
    style.setProperty("--place", (Math.max(-REACH, Math.min(REACH, cents)) / REACH).toFixed(3));
    this.#tell(`${name.replace("♯", " sharp").replace("♭", " flat")} ${octave}, ${this.#words.textContent}`);
  }

  /** For those who do not see it, not more often than they can listen.
   * @param {string} words */
  #tell(words) {
    const now = performance.now();
    if (words === this.#told.words || now - this.#told.at < TELL) return;
    this.#told = { words, at: now };
    setText(this.#spoken, words);
  }
}
