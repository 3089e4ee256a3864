import { clock, setText } from "./dom.js";
import { attempt, showNotice } from "./notices.js";
import { roomAddress } from "./router.js";

const find = (id) => document.getElementById(id);
const JAR = "%23b4224f", RECORDING = "%23e02020";

/** "Take 3 · Blue in Green" */
export const takeTitle = (take) => (take.song ? `Take ${take.number} · ${take.song.title}` : `Take ${take.number}`);

/** The header of all views: the present room, and for everybody, always, whether they are being recorded. */
export class Header {
  #studio;
  #router;

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
    const { phase, room, take } = this.#studio.state;
    const isIn = phase === "joined" || phase === "reconnecting";
    for (const id of ["leave", "place", "recording"]) find(id).hidden = !isIn;
    setText(find("place-link"), room ? `in ${room}` : "");
    if (room) find("place-link").href = roomAddress(room);
    showNotice(phase === "reconnecting"
      ? "The link to the server is lost; coming back. Keep playing: you are recorded as long as your network holds" : "");
    setText(find("recording-text"), take ? `Recording · ${takeTitle(take)}` : "Not recording");
    find("recording").dataset.rolling = Boolean(take);
    for (const link of document.querySelectorAll("nav a")) {
      const here = link.pathname === "/" ? !location.pathname.startsWith("/takes") : location.pathname.startsWith(link.pathname);
      if (here) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    const name = this.#router.title ?? (location.pathname.startsWith("/rooms/") && room ? room : null);
    const title = take ? `● ${takeTitle(take)} – Jamjar` : name ? `${name} – Jamjar` : "Jamjar";
    if (document.title !== title) document.title = title;
    const icon = find("icon"), wanted = take ? RECORDING : JAR;
    if (!icon.href.includes(`fill='${wanted}'/%3E%3C/svg`)) {
      icon.href = icon.href.replace(/fill='%23[0-9a-f]{6}'\/%3E%3C\/svg/, `fill='${wanted}'/%3E%3C/svg`);
    }
    this.#tick();
  }

  /** The length of the take: sound on disk plus sound on its way there. */
  #tick() {
    const { take, safety } = this.#studio;
    const behind = safety.behind(performance.now() / 1000);
    setText(find("recording-time"), take && behind !== null ? clock(safety.position + behind) : "");
  }
}
