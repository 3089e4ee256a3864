// The visible part of a take: `span` seconds from `from` on, never beyond its ends. Event: "change".

/** The shortest span, in seconds: one point of the outline (256 samples) is then about ten pixels wide. */
const CLOSEST = 0.5;

export class Zoom extends /** @type {EmitterOf<{ change: undefined }>} */ (EventTarget) {
  from = 0;
  span;

  /** @param {number} length */
  constructor(length) {
    super();
    this.length = Math.max(length, 0.1);
    this.span = this.length;
  }

  get isWhole() { return this.span >= this.length; }

  /** @param {number} from @param {number} span */
  set(from, span) {
    const wide = Math.min(this.length, Math.max(Math.min(CLOSEST, this.length), span));
    const start = Math.max(0, Math.min(this.length - wide, from));
    if (wide === this.span && start === this.from) return;
    this.span = wide;
    this.from = start;
    this.dispatchEvent(new Event("change"));
  }

  /** Zooms in by `factor` (under 1: out); the instant `at` keeps its place.
   * @param {number} factor @param {number} [at] */
  by(factor, at = this.from + this.span / 2) {
    const span = this.span / factor;
    this.set(at - ((at - this.from) / this.span) * Math.min(span, this.length), span);
  }

  /** @param {number} seconds */
  scroll(seconds) { this.set(this.from + seconds, this.span); }
  whole() { this.set(0, this.length); }

  /** Turns the page when the playhead leaves the view.
   * @param {number} at */
  follow(at) {
    if (at < this.from || at > this.from + this.span * 0.97) this.set(at - this.span * 0.05, this.span);
  }
}
