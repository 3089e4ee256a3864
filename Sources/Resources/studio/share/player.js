// Plays what a link opens, by the browser's own player: it begins with the first bytes, asks for ranges, and waits by
// itself where the line is slow. The mix plays as Opus unless the visitor wants FLAC.

import { readBytes } from "../base/api.js";
import { button, clock, element, freshID, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { Connections } from "./connections.js";
import { sounds } from "./link.js";
import { Wave } from "./wave.js";

export class Player extends /** @type {EmitterOf<{ place: undefined, refused: undefined }>} */ (EventTarget) {
  audio = element("audio", { preload: "metadata" });
  #take;
  #sounds;
  /** @type {SharedSound} */
  #sound;
  #isFull = element("input", { type: "checkbox", checked: memory.read("full-quality", false) });
  #wave = new Wave();
  #connections;
  #toggle = button("", () => this.toggle(), { className: "play" });
  #time = element("span", { className: "time" });
  #state = element("p", { className: "hint state", role: "status" });
  #slider;
  node;

  /** @param {SharedTake} take */
  constructor(take) {
    super();
    this.#take = take;
    this.#sounds = sounds(take);
    this.#sound = this.#sounds[0];
    this.#connections = new Connections(take.duration ?? 0);
    this.#slider = element("input", {
      type: "range", className: "place", min: 0, max: this.duration, step: 0.1, value: 0, ariaLabel: "Place in the recording",
    });
    this.node = element("section", { className: "player", ariaLabel: "Player" },
      element("div", { className: "transport" }, this.#toggle, element("div", { className: "stage" }, this.#wave.node, this.#slider, this.#connections.node)),
      element("div", { className: "row between" }, this.#time, this.#quality(), this.#choice()), this.#state, this.audio);
    this.#slider.addEventListener("input", () => this.seek(Number(this.#slider.value)));
    for (const event of ["play", "pause", "ended", "waiting", "playing", "timeupdate", "seeked", "durationchange"]) {
      this.audio.addEventListener(event, () => this.#draw());
    }
    this.audio.addEventListener("waiting", () => setText(this.#state, "Loading. The line is slow."));
    for (const event of ["playing", "pause", "seeked"]) this.audio.addEventListener(event, () => setText(this.#state, ""));
    this.audio.addEventListener("error", () => this.#explain());
    this.audio.addEventListener("canplay", () => this.#connections.load(), { once: true });
    this.cues = take.cues;
    this.#load(this.#sounds[0]);
  }

  get duration() { return this.#take.duration ?? 0; }
  /** Browsers count the decoder's run-in of Opus as sound, so that a mix ends 6.5 ms after its take. */
  get position() { return Math.min(this.audio.currentTime, this.duration); }

  /** @param {SharedCue[]} cues */
  set cues(cues) {
    this.#wave.mark(cues, this.duration);
  }

  toggle() {
    // A refusal arrives as the event "error" as well.
    if (this.audio.paused) this.audio.play().catch(() => {});
    else this.audio.pause();
  }

  /** @param {number} seconds */
  seek(seconds) {
    this.audio.currentTime = Math.min(Math.max(0, seconds), this.duration);
    this.#draw();
  }

  #choice() {
    if (this.#sounds.length < 2) return null;
    const id = freshID("sound");
    const select = element("select", { id }, ...this.#sounds.map(({ label }, index) => element("option", { value: index, textContent: label })));
    select.addEventListener("change", () => this.#change(this.#sounds[Number(select.value)]));
    return element("label", { className: "sound", htmlFor: id }, "Hear", select);
  }

  #quality() {
    if (!this.#sounds[0].light) return null;
    this.#isFull.addEventListener("change", () => {
      memory.write("full-quality", this.#isFull.checked);
      this.#change(this.#sound);
    });
    return element("label", { className: "choice" }, this.#isFull, element("span", { textContent: "Full quality (FLAC)" }));
  }

  /** Another track, or another quality, goes on at the same place.
   * @param {SharedSound} sound */
  #change(sound) {
    const { currentTime, paused } = this.audio;
    this.#load(sound);
    this.audio.currentTime = currentTime;
    if (!paused) this.audio.play().catch(() => {});
  }

  /** @param {SharedSound} chosen */
  #load(chosen) {
    const { sound, light, peaks } = this.#sound = chosen;
    this.#connections.track = chosen.track;
    this.audio.src = light && !this.#isFull.checked ? light : sound;
    // The sound goes first on a slow line.
    this.audio.addEventListener("canplay", async () => {
      try {
        const bytes = await readBytes(peaks);
        if (this.#sound === chosen) this.#wave.outline = bytes;
      } catch { /* the line stays plain */ }
    }, { once: true });
    this.#draw();
  }

  async #explain() {
    const isFormat = this.audio.error?.code === MediaError.MEDIA_ERR_SRC_NOT_SUPPORTED && navigator.onLine;
    setText(this.#state, isFormat
      ? "The recording could not be opened. The link may have ended, or this browser plays no FLAC; load the page again."
      : "The recording stopped: the server cannot be reached. Check the network, then press Play.");
    this.#draw();
    if (isFormat) this.dispatchEvent(new Event("refused"));
  }

  #draw() {
    const { paused, currentTime } = this.audio;
    this.#toggle.dataset.playing = String(!paused);
    this.#toggle.ariaLabel = paused ? "Play" : "Pause";
    const spoken = `${clock(currentTime)} of ${clock(this.duration)}`;
    setText(this.#time, `${clock(currentTime)} / ${clock(this.duration)}`);
    if (document.activeElement !== this.#slider || !paused) this.#slider.value = String(currentTime);
    this.#slider.ariaValueText = spoken;
    this.#wave.played = this.duration ? currentTime / this.duration : 0;
    this.dispatchEvent(new Event("place"));
  }
}
