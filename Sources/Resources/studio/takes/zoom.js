// Which part of a take is in view: `span` seconds from `from` on, never beyond its ends. Event: "change".

/** The closest look, in seconds: 256 samples, of which outlines are made, are then some ten pixels wide. */
const CLOSEST = 0.5;

export class Zoom extends EventTarget {
  from = 0;
  span;

  constructor(length) {
    super();
    this.length = Math.max(length, 0.1);
    this.span = this.length;
  }

  get isWhole() { return this.span >= this.length; }

  set(from, span) {
    const wide = Math.min(this.length, Math.max(Math.min(CLOSEST, this.length), span));
    const start = Math.max(0, Math.min(this.length - wide, from));
    if (wide === this.span && start === this.from) return;
    this.span = wide;
    this.from = start;
    this.dispatchEvent(new Event("change"));
  }

  /** Closer by `factor` (under 1: wider); the instant `at` stays where it is. */
  by(factor, at = this.from + this.span / 2) {
    const span = this.span / factor;
    this.set(at - ((at - this.from) / this.span) * Math.min(span, this.length), span);
  }

  scroll(seconds) { this.set(this.from + seconds, this.span); }
  whole() { this.set(0, this.length); }

  /** Turns the page when what is heard leaves the view. */
  follow(at) {
    if (at < this.from || at > this.from + this.span * 0.97) this.set(at - this.span * 0.05, this.span);
  }
}
