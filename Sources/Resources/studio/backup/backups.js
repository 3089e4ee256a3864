// The page's side of local backups: tells the worker when takes begin and end, and the page how far the uploads are.

import { takeTitle } from "../base/header-words.js";
import { showProblem } from "../base/notices.js";

/** Emits "change" when `copies` changes; see store-worker.js for their shape. */
class Backups extends /** @type {EmitterOf<{ change: undefined }>} */ (EventTarget) {
  /** @type {CopyState[]} */
  copies = [];
  /** @type {Worker | null} */
  #worker = null;
  /** @type {Studio | null} */
  #studio = null;
  /** @type {Microphone | null} */
  #armed = null;
  /** @type {string | null} */
  #take = null;

  get isPossible() { return Boolean(typeof navigator.storage?.getDirectory === "function" && window.Worker && window.AudioWorkletNode); }

  /** Records the studio's microphone during takes, if the musician wants a copy.
   * @param {Studio} studio */
  watch(studio) {
    this.#studio = studio;
    studio.addEventListener("state", () => this.#follow());
    studio.addEventListener("microphone", () => this.#follow());
  }

  /** Uploads copies left by closed tabs. */
  async resume() {
    if (!this.isPossible) return;
    // Most visitors have no copies and need no worker.
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("jamjar-backups").catch(() => null);
    if (!folder) return;
    for await (const name of folder.keys()) {
      if (name) return this.#post({ resume: true });
    }
  }

  /** The unfinished copy of a take, or undefined.
   * @param {string} take */
  of(take) { return this.copies.findLast((copy) => copy.take === take); }

  /** @param {string} key */
  save(key) { this.#post({ save: key }); }
  /** @param {string} key */
  drop(key) { this.#post({ drop: key }); }

  #follow() {
    if (!this.#studio) return;
    const { phase, options, microphone, take, participant } = this.#studio;
    const wanted = ["joined", "reconnecting"].includes(phase) && microphone && options?.backup && options.consent !== false && this.isPossible;
    const source = wanted ? microphone : null;
    if (source !== this.#armed) {
      if (this.#armed) this.#post({ disarm: true });
      this.#armed = source;
      this.#take = null;
      if (source) this.#arm(source);
    }
    if (!source || take?.id === this.#take) return;
    if (this.#take) this.#post({ end: this.#take });
    this.#take = take?.id ?? null;
    if (take && options) this.#post({ begin: { take: take.id, participant, room: options.room, title: `${options.room} - ${takeTitle(take)} - ${options.name}` } });
  }

  /** @param {Microphone} microphone */
  #arm(microphone) {
    const { port1, port2 } = new MessageChannel();
    microphone.keep(port1);
    // A microphone that has just been closed has no sound to keep.
    if (!microphone.context) return;
    const { sampleRate } = microphone.context;
    this.#post({ arm: { port: port2, sampleRate, channels: microphone.channels, origin: microphone.wallTime(0) } }, [port2]);
    // Keeps the browser from evicting the copies when the disk gets full.
    navigator.storage.persist?.().catch(() => {});
  }

  /** @param {object} message @param {Transferable[]} [transfer] */
  #post(message, transfer = []) {
    if (!this.#worker) {
      this.#worker = new Worker(new URL("store-worker.js", import.meta.url), { type: "module" });
      this.#worker.onmessage = ({ data }) => this.#receive(data);
    }
    this.#worker.postMessage(message, transfer);
  }

  /** @param {{ copies?: CopyState[], problem?: string, saved?: { blob: Blob, name: string } }} message */
  #receive({ copies, problem, saved }) {
    if (problem) showProblem(problem);
    if (saved) {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(saved.blob), download: saved.name });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
    }
    if (!copies) return;
    this.copies = copies;
    this.dispatchEvent(new Event("change"));
  }
}

export const backups = new Backups();
