// The list of takes: search, sort, play, compare, rate, delete and restore.

import { button, count, element } from "../base/dom.js";
import { followEvents, opening } from "../base/events.js";
import { attempt, showProblem } from "../base/notices.js";
import { path, read, send } from "../base/api.js";
import { sentence } from "../base/refusal.js";
import { emptyState } from "../base/states.js";
import { WindowedList } from "../base/windowed.js";
import { ChosenTakes } from "./chosen.js";
import { eveningHead, eveningName } from "./evening.js";
import { ListFilters } from "./list-filters.js";
import { ListRow } from "./list-row.js";
import { Preview } from "./preview.js";
import { isFinished } from "./take-words.js";

/** Takes of the first page, and of the following ones: those who want more want many. */
const PAGE = 30;
const MORE = 200;
/** Pixels beyond the view in which outlines are fetched. */
const NEAR = 200;
/** Events that change a visible row, and events that add or remove one. */
const EDITS = ["take.edited", "take.stopped", "take.ready", "take.incomplete", "take.failed", "take.shared", "take.unshared",
  "take.commented"];
const COMINGS = ["take.started", "take.split", "take.deleted", "take.restored", "take.discarded"];

/** @typedef {import("../base/windowed.js").ListPlace} ListPlace */

class TakesList {
  #place;
  #filters;
  /** All that were loaded, in the list's order.
   * @type {Map<string, Take>} */
  #takes = new Map();
  #list = element("ul", { className: "take-rows", "aria-label": "Takes" });
  /** @type {WindowedList<ListRow>} */
  #windowed;
  #empty = element("div", { hidden: true });
  #more = button("More", () => this.#goOn(), { className: "quiet more", hidden: true });
  #status = element("p", { className: "hint", role: "status" });
  #title = element("h1", {});
  #trash = button("", () => { this.#filters.isTrash = !this.#filters.isTrash; }, { className: "quiet small" });
  #news = button("", () => this.#again(), { className: "small", hidden: true });
  #evening = element("div", { className: "card evening", role: "group", "aria-label": "The whole evening", hidden: true });
  #all = button("", () => this.#toggleAll(), { className: "quiet small play-all" });
  #isPlayingAll = false;
  #chosen;
  #preview = new Preview();
  /** @type {string | null} */
  #cursor = null;
  #turn = new AbortController();
  #isLoading = false;
  #isClosed = false;
  /** Whether the next page comes by itself: not after a failure. */
  #goesOn = true;
  /** @type {(() => void) | undefined} */
  #end;

  /** @param {HTMLElement} place @param {URLSearchParams} query @param {ViewContext["go"]} go */
  constructor(place, query, go) {
    this.#place = place;
    this.#filters = new ListFilters(query, () => this.#again());
    this.#windowed = new WindowedList(this.#list, {
      make: (id) => this.#row(id),
      rested: () => {
        for (const row of this.#windowed.inSight(NEAR)) row.draw();
        this.#remember();
      },
      ended: () => { if (this.#goesOn && !this.#isLoading) this.#page(); },
    });
    // By a link of the list one comes back to it.
    this.#list.addEventListener("click", () => this.#remember());
    this.#chosen = new ChosenTakes({
      takes: this.#takes, filters: this.#filters, go, show: (take) => this.#edited(take), remove: (id) => this.#remove(id),
      mark: (id, isChosen) => { const row = this.#windowed.rows.get(id); if (row) row.isChosen = isChosen; },
      again: () => this.#again(this.#windowed.place),
    });
    this.#preview.addEventListener("change", () => this.#showPlaying());
    this.#preview.addEventListener("report", () => this.#showPlaying());
    this.#preview.addEventListener("ended", () => this.#playNext());
    this.#preview.addEventListener("problem",
      ({ detail }) => showProblem(sentence(`The mix cannot be played: ${detail.message}`)));
  }

  async open() {
    this.#place.append(element("div", { className: "takes-view list-page" },
      element("div", { className: "list-head" }, this.#title, this.#news, this.#trash), this.#evening, this.#filters.node,
      element("section", { className: "card", "aria-label": "Found takes" }, this.#empty, this.#list, this.#more,
        this.#status), this.#chosen.node, this.#chosen.toast.node));
    const { open, opened } = opening();
    let looks = false;
    this.#end = followEvents({
      ...Object.fromEntries(EDITS.map((type) => [type, ({ take }) => this.#edited(take)])),
      ...Object.fromEntries(COMINGS.map((type) => [type, (told) => this.#hear(type, told)])),
      open: () => (looks ? this.#again(this.#windowed.place) : open()),
      reset: () => this.#again(this.#windowed.place),
    });
    this.#filters.offer();
    // The browser's own coming back finds a list that is not there yet.
    history.scrollRestoration = "manual";
    /** @type {(ListPlace & { count: number }) | null} */
    const was = history.state?.list ?? null;
    await opened;
    looks = true;
    if (this.#isClosed) return;
    await this.#again(was, was?.count);
    // The view is where it was, and the focus may be beyond it.
    if (was?.focused) this.#windowed.rows.get(was.focused)?.focus({ preventScroll: true });
  }

  /** Where this list is, for those who come back to it or load it anew. */
  #remember() {
    const place = this.#windowed.place;
    if (place) history.replaceState({ ...history.state, list: { ...place, count: this.#takes.size } }, "");
  }

  /** Loads the list with the present filters: from its beginning, or as far as it was, and there.
   * @param {ListPlace | null} [place] @param {number} [count] takes that were loaded */
  async #again(place = null, count = this.#takes.size) {
    this.#turn.abort();
    this.#turn = new AbortController();
    history.replaceState(history.state, "", this.#filters.address);
    const { isTrash } = this.#filters;
    this.#title.textContent = isTrash ? "Trash" : "Takes";
    this.#trash.textContent = isTrash ? "Back to the takes" : "Trash";
    this.#news.hidden = true;
    this.#goesOn = true;
    await this.#load({ isFirst: true, wanted: place ? Math.max(PAGE, count) : PAGE });
    if (place) this.#windowed.goTo(place);
  }

  /** Loads so many takes, from the first or as the next; a filter that is changed meanwhile ends it.
   * @param {{ isFirst: boolean, wanted: number }} options */
  async #load({ isFirst, wanted }) {
    const { signal } = this.#turn;
    this.#isLoading = this.#more.disabled = true;
    /** @type {Take[]} */
    const found = [];
    let cursor = isFirst ? null : this.#cursor;
    const isWhole = await attempt(async () => {
      do {
        /** @type {Page<Take>} */
        const page = await read(this.#filters.request(cursor, Math.min(MORE, wanted - found.length)), signal);
        found.push(...page.items);
        cursor = page.next ?? null;
      } while (cursor && found.length < wanted);
      return true;
    });
    if (signal.aborted) return;
    this.#isLoading = this.#more.disabled = false;
    this.#goesOn = isWhole === true;
    if (!isWhole) return;
    if (isFirst) this.#takes.clear();
    for (const take of found) this.#takes.set(take.id, take);
    this.#cursor = cursor;
    this.#show();
  }

  /** The next page. */
  #page() { return this.#load({ isFirst: false, wanted: MORE }); }

  /** The next page, and on to its first take. */
  async #goOn() {
    const had = this.#takes.size;
    await this.#page();
    const id = [...this.#takes.keys()][had];
    if (id) this.#windowed.rows.get(id)?.focus();
  }

  /** Shows all that is known of the list. */
  #show() {
    for (const [id, row] of this.#windowed.rows) {
      const take = this.#takes.get(id);
      if (take) row.show(take);
    }
    this.#windowed.show([...this.#takes.keys()], this.#cursor === null);
    this.#more.hidden = this.#cursor === null;
    this.#showEmpty();
    this.#status.textContent = this.#takes.size ? `${count(this.#takes.size, "take")}${this.#cursor ? ", and more" : ""}` : "";
    this.#chosen.draw();
    this.#showPlaying();
    this.#showEvening();
  }

  /** @param {string} id */
  #row(id) {
    const row = new ListRow(/** @type {Take} */ (this.#takes.get(id)), {
      select: ({ take, isChosen }) => this.#chosen.choose(take.id, isChosen),
      play: (take, share) => attempt(() => this.#preview.toggle(take, share)),
      favourite: (take) => attempt(async () => this.#edited(await send("PATCH", path("takes", take.id), { favourite: !take.favourite }))),
      restore: (take) => this.#chosen.change("restore", [take]),
    });
    row.isChosen = this.#chosen.ids.has(id);
    this.#playing(row);
    return row;
  }

  /** @param {string} id */
  #remove(id) { if (this.#takes.delete(id)) this.#show(); }

  /** One session is an evening, which is looked at, heard and taken home as a whole. */
  #showEvening() {
    const { session } = this.#filters, takes = [...this.#takes.values()];
    const isEvening = session !== null && takes.length > 0;
    this.#evening.hidden = !isEvening;
    // Its takes come first; the way to all others is in its head.
    this.#filters.node.hidden = isEvening && this.#filters.isEvening;
    if (!session || !takes.length) return;
    this.#title.textContent = `${eveningName(takes[0].startedAt)} in ${takes[0].room}`;
    this.#evening.replaceChildren(...eveningHead(session, takes, this.#cursor !== null, this.#all));
  }

  // All takes one after the other, in the order of the list

  #toggleAll() {
    const { state, take } = this.#preview;
    this.#isPlayingAll = !this.#isPlayingAll || state === "stopped";
    const next = this.#isPlayingAll ? (take && this.#takes.has(take.id) ? take : this.#after(null)) : state === "stopped" ? null : take;
    if (next) attempt(() => this.#preview.toggle(next));
  }

  #playNext() {
    const next = this.#isPlayingAll ? this.#after(this.#preview.take) : null;
    this.#isPlayingAll = next !== null;
    if (next) attempt(() => this.#preview.toggle(next));
    else this.#showPlaying();
  }

  /** The first take behind another one that can be played, or of all.
   * @param {Take | null} take */
  #after(take) {
    const takes = [...this.#takes.values()];
    return takes.slice(takes.findIndex(({ id }) => id === take?.id) + 1).find(isFinished) ?? null;
  }

  #showEmpty() {
    this.#empty.hidden = this.#takes.size > 0;
    this.#empty.replaceChildren(this.#filters.isFiltered
      ? emptyState("No take fits", "Remove a filter or search for fewer words.")
      : this.#filters.isTrash ? emptyState("The trash is empty", "Deleted takes wait here until they are removed for good.")
        : emptyState("There are no takes yet", "Go into a room and play: everything is kept.",
          element("a", { className: "button quiet", href: "/", textContent: "To the rooms" })));
  }

  /** @param {Take} take */
  #edited(take) {
    if (!this.#takes.has(take.id)) return;
    this.#takes.set(take.id, take);
    this.#windowed.rows.get(take.id)?.show(take);
    this.#showEvening();
  }

  /** @param {string} type @param {any} told */
  #hear(type, told) {
    const id = typeof told.take === "string" ? told.take : told.take.id;
    const isHere = this.#takes.has(id), { isTrash } = this.#filters;
    if (type === "take.discarded" || type === (isTrash ? "take.restored" : "take.deleted")) {
      this.#remove(id);
      return;
    }
    if (isHere || type === (isTrash ? "take.started" : "")) return;
    if (isTrash !== (type === "take.deleted")) return;
    this.#news.textContent = "Show new changes";
    this.#news.hidden = false;
  }

  #showPlaying() {
    for (const row of this.#windowed.rows.values()) this.#playing(row);
    const words = this.#isPlayingAll && this.#preview.state !== "stopped" ? "Pause" : "Play all";
    if (this.#all.textContent !== words) this.#all.textContent = words;
  }

  /** @param {ListRow} row */
  #playing(row) {
    const isHere = this.#preview.take?.id === row.take.id;
    row.playing(isHere ? this.#preview.state : "stopped", isHere ? this.#preview.share : 0);
  }

  async close() {
    this.#isClosed = true;
    history.scrollRestoration = "auto";
    this.#turn.abort();
    this.#end?.();
    this.#chosen.toast.hide();
    this.#windowed.close();
    await this.#preview.close();
  }
}

/** Fills `place` with the list for the address.
 * @param {HTMLElement} place @param {ViewContext} context */
export async function open(place, { query, go }) {
  const list = new TakesList(place, new URLSearchParams(query), go);
  await list.open();
  return { title: "Takes", close: () => list.close() };
}
