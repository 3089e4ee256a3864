// Maps addresses to views. Links inside the studio change the view without reloading the page, so that a musician can
// look at a take and stay in the room.

import { accessForm } from "./access.js";
import { element } from "./dom.js";
import { sentence } from "./refusal.js";

/** The address of a room's page: the link that musicians send each other. */
export const roomAddress = (room) => `/rooms/${encodeURIComponent(room)}`;

export class Router {
  #routes;
  #place;
  #current = null;
  #turn = 0;

  /** `routes`: [pattern, () => module with `open(place, {parameters, query, go})`]; "/takes/:take" names a piece. */
  constructor(place, routes) {
    this.#place = place;
    this.#routes = routes.map(([pattern, load]) => [pattern.split("/"), load]);
    addEventListener("popstate", () => this.show());
    document.addEventListener("click", (event) => this.#follow(event));
  }

  go = (address) => {
    if (address !== location.pathname + location.search) history.pushState(null, "", address);
    return this.show();
  };

  /** Closes the previous view and shows the one for the present address. */
  async show() {
    const mine = ++this.#turn;
    await this.#current?.close?.();
    this.#current = null;
    const place = element("div", { className: "view" });
    this.#place.replaceChildren(place);
    try {
      const found = this.#find();
      if (!found) throw new Error("There is no such page in this studio. Go back to the rooms.");
      const { open } = await found.load();
      const view = await open(place, { parameters: found.parameters, query: new URLSearchParams(location.search), go: this.go });
      if (mine !== this.#turn) return view?.close?.();
      this.#current = view;
      this.title = view?.title ?? null;
    } catch (error) {
      if (mine !== this.#turn) return;
      this.#explain(place, error);
    }
    dispatchEvent(new Event("jamjar-view"));
  }

  #explain(place, error) {
    this.title = null;
    if (error.code === "unauthorized" || error.code === "forbidden") {
      place.replaceChildren(accessForm(sentence(error.message), () => this.show()));
      return;
    }
    if (!error.code) console.error(error);
    place.replaceChildren(element("section", { className: "card narrow", role: "alert" },
      element("h2", { textContent: "This cannot be shown" }), element("p", { textContent: sentence(error.message) }),
      element("p", {}, element("a", { href: "/", textContent: "Back to the rooms" }))));
  }

  #find() {
    const pieces = location.pathname.split("/");
    for (const [pattern, load] of this.#routes) {
      if (pattern.length !== pieces.length) continue;
      const parameters = {};
      const fits = pattern.every((piece, index) => {
        if (!piece.startsWith(":")) return piece === pieces[index];
        try {
          parameters[piece.slice(1)] = decodeURIComponent(pieces[index]);
          return pieces[index] !== "";
        } catch {
          return false;
        }
      });
      if (fits) return { load, parameters };
    }
    return null;
  }

  #follow(event) {
    const link = event.target.closest?.("a[href]");
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
    const address = new URL(link.href);
    if (address.origin !== location.origin || !/^\/($|rooms\/|takes($|\/))/.test(address.pathname)) return;
    event.preventDefault();
    this.go(address.pathname + address.search);
  }
}
