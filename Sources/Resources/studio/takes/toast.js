// A sentence at the bottom of the page with a button to undo: "Moved to the trash. Undo".

import { button, element } from "../base/dom.js";
import { attempt } from "../base/notices.js";

/** How long it stays; pointer or focus on it keeps it open. */
const STAYS = 12_000;

export class Toast {
  node = element("div", { className: "toast", role: "status", hidden: true });
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  constructor() {
    const hold = () => clearTimeout(this.#timer), go = () => this.#wait();
    for (const type of ["pointerenter", "focusin"]) this.node.addEventListener(type, hold);
    for (const type of ["pointerleave", "focusout"]) this.node.addEventListener(type, go);
  }

  /** @param {string} text @param {(() => unknown) | null} [undo] */
  show(text, undo = null) {
    this.node.replaceChildren(element("span", { textContent: text }),
      undo ? button("Undo", () => { this.hide(); attempt(undo); }, { className: "small" }) : "",
      button("×", () => this.hide(), { className: "toggle bare", "aria-label": "Dismiss" }));
    this.node.hidden = false;
    this.#wait();
  }

  hide() {
    clearTimeout(this.#timer);
    this.node.hidden = true;
  }

  #wait() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), STAYS);
  }
}
