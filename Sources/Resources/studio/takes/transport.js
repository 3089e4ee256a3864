// Play, position, loop, volume, zoom: the row above the waveforms.

import { button, element, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { meterWidth, slider } from "./strip.js";
import { figure, fineClock } from "./take-words.js";

/** Length of the loop that L sets at the playhead if none was dragged, in seconds. */
const USUAL_LOOP = 8;

const QUALITIES = [["auto", "Auto"], ["full", "Full (FLAC)"], ["light", "Light (Opus)"]];

/** @param {string} name */
const icon = (name) => {
  /** @type {Record<string, string>} */
  const shapes = {
    play: "M7 4.5v15l12.5-7.5z", pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
    loop: "M17 2.5 21 6l-4 3.5V7H8a4 4 0 0 0-4 4v1H2v-1a6 6 0 0 1 6-6h9zM7 21.5 3 18l4-3.5V17h9a4 4 0 0 0 4-4v-1h2v1a6 6 0 0 1-6 6H7z",
    start: "M5 5h2.5v14H5zM20 5v14L9 12z",
  };
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", shapes[name]);
  svg.append(shape);
  return svg;
};

export class Transport {
  node;
  #player;
  #play;
  #loop;
  #clock = element("span", { className: "clock-now", textContent: "0:00.0" });
  #length = element("span", { className: "clock-length" });
  #position;
  #state = element("p", { className: "hidden", role: "status" });
  #badge = element("span", { className: "buffering", textContent: "Loading sound …", hidden: true });
  #master = [0, 1].map(() => element("div", { className: "vu" }, element("span", {})));
  #hot = 0;
  #lossless;
  /** @type {HTMLSelectElement} */
  #quality;
  #isHeld = false;
  #words = "";

  /** `zoom()`: the zoom of the audible take.
   * @param {Player} player @param {() => Zoom} zoom */
  constructor(player, zoom) {
    this.#player = player;
    this.#play = button("", () => this.toggle(), { className: "play", title: "Play or pause (space)" });
    this.#loop = button("", () => this.toggleLoop(),
      { className: "toggle", title: "Loop (L); drag over the ruler to choose what", "aria-label": "Loop",
      "aria-pressed": "false" });
    this.#loop.append(icon("loop"));
    const start = button("", () => player.seek(player.heard.shift),
      { className: "toggle", title: "To the beginning (Home)", "aria-label": "To the beginning" });
    start.append(icon("start"));
    this.#position = element("input", { type: "range", className: "position", min: 0, step: 0.01,
      "aria-label": "Position" });
    this.#position.addEventListener("input", () => {
      this.#isHeld = true;
      player.seek(Number(this.#position.value));
    });
    this.#position.addEventListener("change", () => { this.#isHeld = false; });
    const volume = slider("Volume", {
      min: -40, max: 6, step: 0.5, value: player.a.mixing.gain, usual: 0,
        words: (value) => `${value > 0 ? "+" : ""}${figure(value)} dB`,
      onInput: (gain) => { for (const side of player.sides) side.mixing.setGain(gain); },
    });
    this.#lossless = element("label", { className: "choice", hidden: true,
      title: "The musicians' own copies, not what came over the network" },
      element("input", { type: "checkbox", onchange: ({ target }) => player.lossless(target instanceof HTMLInputElement && target.checked) }), "Lossless");
    this.#quality = element("select", { className: "quality", "aria-label": "Sound quality",
      title: "Auto plays at once, and in full quality as soon as the line is fast enough",
      onchange: () => { player.quality = this.#quality.value; } },
      ...QUALITIES.map(([value, textContent]) => element("option", { value, textContent })));
    /** @param {string} text @param {string} label @param {() => void} does @param {string} title */
    const look = (text, label, does, title) => button(text, does, { className: "toggle", "aria-label": label, title });
    this.node = element("div", { className: "transport" },
      element("div", { className: "transport-row" },
        start, this.#play, this.#loop,
        element("p", { className: "clock" }, this.#clock, element("span", { textContent: " / " }), this.#length),
          this.#badge,
        element("span", { className: "spacer" }),
        this.#lossless, this.#quality, volume.node,
        element("div", { className: "vu-pair", "aria-hidden": "true" }, ...this.#master),
        element("div", { className: "zooms", role: "group", "aria-label": "Zoom" },
          look("−", "Wider", () => zoom().by(0.5), "Wider (−)"),
            look("+", "Closer", () => zoom().by(2, player.time()), "Closer (+)"),
          look("Fit", "The whole take", () => zoom().whole(), "The whole take (0)"))),
      this.#position, this.#state);
    player.deck.addEventListener("state", () => this.show());
    player.addEventListener("sides", () => this.show());
    player.addEventListener("loop", () => this.show());
    this.show();
  }

  toggle() { return attempt(() => this.#player.deck.toggle()); }

  toggleLoop() {
    const player = this.#player;
    if (player.deck.loop) return player.setLoop(null);
    const at = player.time(), end = player.length + player.heard.shift;
    const from = Math.max(player.heard.shift, Math.min(at, end - USUAL_LOOP));
    return player.setLoop(from, Math.min(end, from + USUAL_LOOP));
  }

  show() {
    const player = this.#player, { state } = player.deck, isPlaying = state !== "stopped";
    this.#play.replaceChildren(icon(isPlaying ? "pause" : "play"));
    this.#play.setAttribute("aria-label", isPlaying ? "Pause" : "Play");
    this.#badge.hidden = state !== "waiting";
    setText(this.#state, state === "waiting" ? "Loading sound" : "");
    this.#loop.setAttribute("aria-pressed", String(Boolean(player.deck.loop)));
    const loop = player.loop();
    const words = loop ? `${fineClock(loop.from)} to ${fineClock(loop.to)}` : "drag over the ruler to choose what";
    this.#loop.title = `Loop (L): ${words}`;
    setText(this.#length, fineClock(player.length));
    this.#position.min = String(player.heard.shift);
    this.#position.max = String(player.length + player.heard.shift);
    this.#words = "";
    this.#quality.value = player.quality;
    this.#lossless.hidden = !player.sides.some((side) => side.hasLossless);
    this.tick();
  }

  /** Shows the present position and levels. */
  tick() {
    const player = this.#player, seconds = player.time(), length = player.length;
    const words = `${fineClock(seconds)} of ${fineClock(length)}`;
    // Ten times a second is enough for the eye, and more than enough for screen readers.
    if (words !== this.#words) {
      this.#words = words;
      setText(this.#clock, fineClock(seconds));
      if (!this.#isHeld) this.#position.value = String(seconds);
      this.#position.style.setProperty("--part", `${length ? ((seconds - player.heard.shift) / length) * 100 : 0}%`);
      this.#position.setAttribute("aria-valuetext", words);
    }
    const { master } = player.deck;
    if (Math.max(...master) >= 1) this.#hot = performance.now() + 1_500;
    this.#master.forEach((bar, side) => {
      bar.querySelector("span")?.style.setProperty("--value", meterWidth(master[side]).toFixed(3));
      bar.dataset.hot = String(performance.now() < this.#hot);
    });
  }
}

export { icon };
