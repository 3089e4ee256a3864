// The player on a take's page: transport, overviews of both sides, the tracks of the audible side, cues.

import { element } from "../base/dom.js";
import { attempt, showNotice, showProblem } from "../base/notices.js";
import { sentence } from "../base/refusal.js";
import { Compare } from "./compare.js";
import { Player } from "./player.js";
import { Score } from "./score.js";
import { TakeCues } from "./take-cues.js";
import { Transport } from "./transport.js";

export class TakePlayer {
  node;
  cues = element("div", { className: "cues-place" });
  player;
  compare;
  #transport;
  /** By side.
   * @type {Map<Side, { score: Score, cues: TakeCues, close(): void }>} */
  #parts = new Map();
  #place = element("div", { className: "score-place" });
  #frame = 0;
  #announce = element("p", { className: "hidden", role: "status" });
  #toast;
  #closed = false;

  /** `onCompare(id or null)` is called with the other take, for the address.
   * @param {TakeStore} store @param {Toast} toast @param {(take: string | null) => void} onCompare */
  constructor(store, toast, onCompare) {
    this.#toast = toast;
    this.player = new Player(store);
    this.#transport = new Transport(this.player, () => this.score.zoom);
    this.compare = new Compare(this.player, (id) => this.with(id));
    this.onCompare = onCompare;
    this.node = element("section", { className: "card player", "aria-label": "Player" },
      this.#transport.node, this.compare.node, this.#place, this.#announce);
    this.#open(this.player.a);
    this.#showHeard();
    this.player.addEventListener("sides", this.#showHeard);
    this.player.addEventListener("loop", this.#tick);
    // While it plays, #run ticks once per animation frame.
    this.player.deck.addEventListener("report", () => { if (!this.player.deck.isPlaying) this.#tick(); });
    this.player.deck.addEventListener("state", this.#run);
    this.player.deck.addEventListener("problem", ({ detail }) => this.#stop(detail));
  }

  get score() { return this.#heard.score; }
  get heardCues() { return this.#heard.cues; }

  get #heard() {
    const parts = this.#parts.get(this.player.heard);
    if (!parts) throw new Error("the side that is heard is not shown");
    return parts;
  }

  /** @param {Side} side */
  #open(side) {
    const { player } = this, cues = new TakeCues(player, side);
    cues.undo = (text, work) => this.#toast.show(text, work);
    const score = new Score(side.store, side.mixing, {
      seek: (seconds) => this.#go(side, seconds),
      select: (from, to) => player.setLoop(from, to, side),
      cue: cues.does,
    });
    score.node.addEventListener("focusin", () => score.remember());
    score.onScroll = () => this.#tick();
    const showCues = () => score.showCues();
    const showMix = () => { for (const strip of score.strips) strip.show(side.tracks); };
    side.store.addEventListener("change", showCues);
    side.mixing.addEventListener("change", showMix);
    showMix();
    this.compare.place(side.name, score.overview);
    this.#parts.set(side, { score, cues, close: () => {
      side.store.removeEventListener("change", showCues);
      score.close();
      cues.close();
    } });
  }

  /** Handles a click into a waveform. With unlinked positions, a click into B aligns that place with A's position.
   * @param {Side} side @param {number} seconds */
  #go(side, seconds) {
    const { player } = this;
    if (side === player.b && side !== player.heard && !this.compare.isLinked) {
      player.shift(Math.round((seconds - player.time(player.a)) * 1_000) / 1_000);
    } else player.seek(seconds, side);
  }

  /** Compares with the take `id`; null ends the comparison.
   * @param {string | null} id @param {AbortSignal} [signal] */
  async with(id, signal) {
    this.#wish = id;
    const wish = id;
    if (id) {
      const store = await attempt(() => Compare.load(id, signal));
      if (this.#wish !== wish || this.#closed) return;
      if (!store) {
        this.compare.select(this.player.b?.store.id ?? null);
        return;
      }
      this.#closeB();
      this.player.compare(store);
    } else {
      this.#closeB();
      this.player.part();
    }
    this.compare.select(id);
    this.onCompare?.(id);
  }
  /** @type {string | null} */
  #wish = null;

  #closeB() {
    const { b } = this.player;
    if (!b) return;
    this.player.hear(this.player.a);
    this.#parts.get(b)?.close();
    this.#parts.delete(b);
    this.compare.place("b", null);
  }

  #showHeard = () => {
    const { player } = this, { heard } = player;
    if (player.b && !this.#parts.has(player.b)) this.#open(player.b);
    const { score, cues } = this.#heard;
    if (this.#place.firstChild !== score.node) {
      const before = this.#shown;
      this.#place.replaceChildren(score.node);
      this.cues.replaceChildren(cues.node);
      const zoom = before ? this.#parts.get(before)?.score.zoom : null;
      if (before && zoom) {
        score.zoom.set(zoom.from - before.shift + heard.shift, zoom.isWhole ? score.zoom.length : zoom.span);
        if (player.b) this.#announce.textContent = this.compare.words;
      }
      this.#shown = heard;
    }
    this.#tick();
  };
  /** @type {Side | null} */
  #shown = null;

  #tick = () => {
    const { player } = this;
    this.#transport.tick();
    for (const side of player.sides) this.#parts.get(side)?.score.mark(player.time(side), player.loop(side));
    this.score.level(player.deck.levels);
  };

  /** Updates the position once per animation frame while it plays. */
  #run = () => {
    cancelAnimationFrame(this.#frame);
    if (!this.player.deck.isPlaying) {
      this.#tick();
      // Let the meters fall to zero.
      let rest = 40;
      const fall = () => {
        this.score.level(new Map());
        if (--rest > 0 && !this.player.deck.isPlaying && !this.#closed) requestAnimationFrame(fall);
      };
      fall();
      return;
    }
    const frame = () => {
      this.#tick();
      if (!this.score.zoom.isWhole) this.score.zoom.follow(this.player.time());
      this.#frame = requestAnimationFrame(frame);
    };
    frame();
  };

  /** @param {any} error */
  #stop(error) {
    this.player.deck.pause();
    showProblem(sentence(`The sound cannot be played: ${error.message}`));
  }

  // Keys

  /** @param {number} seconds */
  step(seconds) { this.player.seek(Math.max(this.player.heard.shift, this.player.time() + seconds)); }
  toStart() { this.player.seek(0, this.player.a); }
  toEnd() { this.player.seek(this.player.length, this.player.a); }
  toggle() { this.#transport.toggle(); }
  toggleLoop() { this.#transport.toggleLoop(); }
  /** @param {"mute" | "solo"} name */
  press(name) {
    const strip = this.score.focused ?? this.score.strips[0];
    if (!strip) return;
    strip.toggle(name);
    const { mute, solo } = this.player.heard.mixing.channel(strip.track.number);
    const words = name === "mute" ? (mute ? "muted" : "not muted") : solo ? "solo" : "not solo";
    showNotice(`${strip.track.participant.name}: ${words}`);
  }
  /** Moves the focus to the strip above or below.
   * @param {number} direction */
  walk(direction) {
    const { strips, focused } = this.score, at = focused ? strips.indexOf(focused) : -1;
    strips[Math.max(0, Math.min(strips.length - 1, at + direction))]?.node.focus();
  }

  close() {
    this.#closed = true;
    cancelAnimationFrame(this.#frame);
    for (const { close } of this.#parts.values()) close();
    this.compare.close();
    return this.player.close();
  }
}
