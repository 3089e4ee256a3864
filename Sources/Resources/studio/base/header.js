import { clock, find, setText } from "./dom.js";
import { outageOf, signOf } from "../playing/facts.js";
import { takeTitle } from "./header-words.js";
import { attempt, showNotice } from "./notices.js";
import { roomAddress } from "./router.js";

const JAR = "%23b4224f", RECORDING = "%23e02020";

/** @param {string} id */
const linkOf = (id) => /** @type {HTMLAnchorElement} */ (find(id));

/** The header of all views: the present room, and for everybody, always, whether they are being recorded. */
export class Header {
  #studio;
  #router;
  #isLost = false;

  /** @param {Studio} studio @param {Router} router */
  constructor(studio, router) {
    this.#studio = studio;
    this.#router = router;
    studio.addEventListener("state", () => this.draw());
    addEventListener("jamjar-view", () => this.draw());
    find("leave").addEventListener("click", () => attempt(() => studio.leave()));
    setInterval(() => this.#tick(), 250);
    this.draw();
  }

  draw() {
    const { phase, room } = this.#studio.state;
    const isIn = phase === "joined" || phase === "reconnecting";
    for (const id of ["leave", "place", "recording"]) find(id).hidden = !isIn;
    setText(find("place-link"), room ? `in ${room}` : "");
    if (room) Object.assign(linkOf("place-link"), { href: roomAddress(room), title: room });
    if (phase !== "reconnecting" && this.#isLost) showNotice("");
    this.#isLost = phase === "reconnecting";
    for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll("nav a"))) {
      const here = link.pathname === "/" ? !location.pathname.startsWith("/takes") : location.pathname.startsWith(link.pathname);
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.#tick();
  }

  /** The sign changes without an event too: when the disk does not confirm any more. */
  #tick() {
    const studio = this.#studio, sign = signOf(studio), isRed = sign.state === "recording";
    setText(find("recording-text"), sign.text);
    setText(find("recording-time"), sign.counter === null ? "" : clock(sign.counter));
    const lamp = find("recording");
    lamp.dataset.rolling = String(isRed);
    lamp.dataset.state = sign.state;
    lamp.dataset.beat = String(Math.floor(sign.counter ?? 0) & 1);
    if (this.#isLost) showNotice(outageOf(studio), { isLasting: true });
    const room = studio.options?.room;
    const name = this.#router.title ?? (location.pathname.startsWith("/rooms/") && room ? room : null);
    const title = isRed && studio.take ? `● ${takeTitle(studio.take)} – Jamjar` : name ? `${name} – Jamjar` : "Jamjar";
    if (document.title !== title) document.title = title;
    const icon = linkOf("icon"), wanted = isRed ? RECORDING : JAR;
    if (!icon.href.includes(`fill='${wanted}'/%3E%3C/svg`)) {
      icon.href = icon.href.replace(/fill='%23[0-9a-f]{6}'\/%3E%3C\/svg/, `fill='${wanted}'/%3E%3C/svg`);
    }
  }
}
