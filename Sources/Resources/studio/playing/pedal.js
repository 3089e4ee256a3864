// A MIDI foot switch or keyboard for the hands that play: any message can be learned for any action.

import { button, element, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { attempt } from "../base/notices.js";
import { Refusal } from "../base/refusal.js";

const MEMORY = "pedal";
/** Values of a controller from here on are "down" (MIDI 1.0, switches). */
const DOWN = 64;

/** The name of a message that presses something ("note 60", "controller 64", "program 3"), or null for any other. Pure.
 * @param {ArrayLike<number> & Iterable<number>} [message] */
export function pressed(message) {
  const [status = 0, number = 0, value = 0] = message ?? [];
  switch (status & 0xf0) {
    case 0x90: return value > 0 ? `note ${number}` : null;
    case 0xb0: return value >= DOWN ? `controller ${number}` : null;
    case 0xc0: return `program ${number}`;
    default: return null;
  }
}

/** Listens to all MIDI inputs. */
export class Pedal {
  #does;
  /** @type {Record<string, string>} */
  #map = memory.read(MEMORY, {});
  /** @type {((name: string) => void) | null} */
  #learning = null;
  /** @type {MIDIAccess | null} */
  #access = null;
  #isClosed = false;

  /** `does(action)` carries out a learned action.
   * @param {(action: string) => void} does */
  constructor(does) {
    this.#does = does;
    // Permission was given when the first one was learned.
    if (Object.keys(this.#map).length) this.open().catch(() => {});
  }

  async open() {
    if (!navigator.requestMIDIAccess) throw new Refusal("midi", "This browser has no MIDI. Chromium and Firefox have");
    this.#access ??= await navigator.requestMIDIAccess().catch(() => {
      throw new Refusal("midi", "The browser may not use MIDI. Allow it in the address bar, then try again");
    });
    const listen = () => { for (const input of this.#access?.inputs.values() ?? []) input.onmidimessage = ({ data }) => this.take(data); };
    // The browser may have asked for longer than the room was open.
    if (this.#isClosed) return;
    this.#access.onstatechange = listen;
    listen();
  }

  get inputs() { return [...this.#access?.inputs.values() ?? []].map(({ name }) => name); }

  /** A message of a device.
   * @param {Uint8Array} data */
  take(data) {
    const name = pressed(data);
    if (!name) return;
    if (this.#learning) return this.#learning(name);
    if (this.#map[name]) this.#does(this.#map[name]);
  }

  /** The message that carries out an action.
   * @param {string} action */
  of(action) { return Object.keys(this.#map).find((name) => this.#map[name] === action) ?? null; }

  /** Takes the next message for an action, unless `cancel` comes first.
   * @param {string} action @param {(name: string) => void} learned */
  learn(action, learned) {
    this.#learning = (name) => {
      this.#learning = null;
      for (const [key, value] of Object.entries(this.#map)) if (value === action) delete this.#map[key];
      this.#map[name] = action;
      memory.write(MEMORY, this.#map);
      learned(name);
    };
  }

  cancel() { this.#learning = null; }

  close() {
    this.#isClosed = true;
    this.cancel();
    for (const input of this.#access?.inputs.values() ?? []) input.onmidimessage = null;
    if (this.#access) this.#access.onstatechange = null;
  }
}

/** The dialog that teaches a foot switch; `actions`: [[name, words]].
 * @param {Pedal} pedal @param {[string, string][]} actions */
export function pedalDialog(pedal, actions) {
  const state = element("p", { role: "status", className: "facts" });
  const rows = actions.map(([action, words]) => {
    const known = element("span", { className: "facts", textContent: pedal.of(action) ?? "not set" });
    const learn = button("Learn", () => attempt(async () => {
      await pedal.open();
      setText(state, pedal.inputs.length ? `Press the pedal or key for: ${words}` : "No MIDI device is connected; plug one in, then press it.");
      pedal.learn(action, (name) => { setText(known, name); setText(state, `${words}: ${name}`); });
    }), { className: "quiet small", ariaLabel: `Learn: ${words}` });
    return element("div", { className: "row between" }, element("span", { className: "grow", textContent: words }), known, learn);
  });
  /** @type {HTMLDialogElement} */
  const dialog = element("dialog", { className: "card", "aria-labelledby": "pedal-title" },
    element("h2", { id: "pedal-title", textContent: "MIDI foot switch" }), ...rows, state, button("Close", () => dialog.close()));
  // Otherwise the next press, while playing, would be learned instead of carried out.
  dialog.addEventListener("close", () => pedal.cancel());
  return dialog;
}
