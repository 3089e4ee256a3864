// Maps addresses to views. Links inside the studio change the view without reloading the page, so that a musician can
// look at a take and stay in the room.

import { accessForm } from "./access.js";
import { element, targetOf } from "./dom.js";
import { Refusal, sentence } from "./refusal.js";
import { asRefusal, stateCard } from "./states.js";

/** The address of a room's page: the link that musicians send each other.
 * @param {string} room */
export const roomAddress = (room) => `/rooms/${encodeURIComponent(room)}`;

export class Router {
  #routes;
  #place;
  /** @type {View | null} */
  #current = null;
  #turn = 0;
  /** @type {string | null} */
  title = null;

  /** `routes`: [pattern, () => module with `open(place, {parameters, query, go})`]; "/takes/:take" names a piece.
   * @param {HTMLElement} place @param {[string, () => Promise<ViewModule>][]} routes */
  constructor(place, routes) {
    this.#place = place;
    this.#routes = routes.map(([pattern, load]) => ({ pattern: pattern.split("/"), load }));
    addEventListener("popstate", () => this.show());
    document.addEventListener("click", (event) => this.#follow(event));
  }

  /** @param {string} address */
  go = (address) => {
    if (address !== location.pathname + location.search) history.pushState(null, "", address);
    return this.show();
  };

  /** Closes the previous view and shows the one for the present address.
   * @returns {Promise<void>} */
  async show() {
    const mine = ++this.#turn;
    await this.#current?.close?.();
    this.#current = null;
    const place = element("div", { className: "view" });
    this.#place.replaceChildren(place);
    try {
      const found = this.#find();
      if (!found) throw new Refusal("no-page", "There is no such page in this studio.");
      const { open } = await found.load();
      const view = await open(place, { parameters: found.parameters, query: new URLSearchParams(location.search), go: this.go });
      if (mine !== this.#turn) {
        view?.close?.();
        return;
      }
      this.#current = view;
      this.title = view?.title ?? null;
    } catch (/** @type {any} */ error) {
      const refusal = await asRefusal(error);
      if (mine !== this.#turn) return;
      this.#explain(place, refusal);
    }
    dispatchEvent(new Event("jamjar-view"));
  }

  /** @param {HTMLElement} place @param {any} error */
  #explain(place, error) {
    this.title = null;
    if (error.code === "unauthorized" || error.code === "forbidden") {
      place.replaceChildren(accessForm(sentence(error.message), () => this.show()));
      return;
    }
    if (!error.code) console.error(error);
    place.replaceChildren(stateCard(error));
    // Comes back by itself where only the network was gone.
    if (error.code === "unavailable") addEventListener("online", () => this.show(), { once: true });
  }

  #find() {
    const pieces = location.pathname.split("/");
    for (const { pattern, load } of this.#routes) {
      if (pattern.length !== pieces.length) continue;
      /** @type {Record<string, string>} */
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

  /** @param {MouseEvent} event */
  #follow(event) {
    const link = /** @type {HTMLAnchorElement | null} */ (targetOf(event)?.closest("a[href]") ?? null);
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
    if (!link || !isPlain || event.defaultPrevented || link.target || link.hasAttribute("download")) return;
    const address = new URL(link.href);
    if (address.origin !== location.origin || !/^\/($|rooms\/|takes($|\/)|doctor$)/.test(address.pathname)) return;
    event.preventDefault();
    this.go(address.pathname + address.search);
  }
}
