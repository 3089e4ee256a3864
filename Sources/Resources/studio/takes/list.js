// The list of takes: search, sort, play, compare, rate, delete and restore.

import { button, count, element } from "../base/dom.js";
import { followEvents } from "../base/events.js";
import { attempt, showNotice, showProblem } from "../base/notices.js";
import { path, read, send } from "../base/api.js";
import { sentence } from "../base/refusal.js";
import { emptyState } from "../base/states.js";
import { eveningHead, eveningName } from "./evening.js";
import { ListFilters } from "./list-filters.js";
import { ListRow } from "./list-row.js";
import { Preview } from "./preview.js";
import { Toast } from "./toast.js";
import { isFinished, takeName } from "./take-words.js";

const PAGE = 30;
/** Events that change a visible row, and events that add or remove one. */
const EDITS = ["take.edited", "take.stopped", "take.ready", "take.incomplete", "take.failed", "take.shared", "take.unshared",
  "take.commented"];
const COMINGS = ["take.started", "take.split", "take.deleted", "take.restored", "take.discarded"];

class TakesList {
  #place;
  #go;
  #filters;
  /** @type {Map<string, ListRow>} */
  #rows = new Map();
  #list = element("ul", { className: "take-rows", "aria-label": "Takes" });
  #empty = element("div", { hidden: true });
  #more = button("More", () => this.#page(), { className: "quiet more", hidden: true });
  #status = element("p", { className: "hint", role: "status" });
  #title = element("h1", {});
  #trash = button("", () => { this.#filters.isTrash = !this.#filters.isTrash; }, { className: "quiet small" });
  #news = button("", () => this.#again(), { className: "small", hidden: true });
  #evening = element("div", { className: "card evening", role: "group", "aria-label": "The whole evening", hidden: true });
  #all = button("", () => this.#toggleAll(), { className: "quiet small play-all" });
  #isPlayingAll = false;
  #bulk = element("div", { className: "bulk", role: "group", "aria-label": "Chosen takes", hidden: true });
  #toast = new Toast();
  #preview = new Preview();
  /** @type {string | null} */
  #cursor = null;
  #turn = new AbortController();
  #seen;
  /** @type {(() => void) | undefined} */
  #end;

  /** @param {HTMLElement} place @param {URLSearchParams} query @param {ViewContext["go"]} go */
  constructor(place, query, go) {
    this.#place = place;
    this.#go = go;
    this.#filters = new ListFilters(query, () => this.#again());
    this.#seen = new IntersectionObserver((entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) this.#rowOf(target)?.draw();
    }, { rootMargin: "200px" });
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
        this.#status), this.#bulk, this.#toast.node));
    this.#end = followEvents({
      ...Object.fromEntries(EDITS.map((type) => [type, ({ take }) => this.#edited(take)])),
      ...Object.fromEntries(COMINGS.map((type) => [type, (told) => this.#hear(type, told)])),
      reset: () => this.#again(),
    });
    this.#filters.offer();
    await this.#again();
  }

  /** Loads the list from its beginning with the present filters. */
  async #again() {
    this.#turn.abort();
    this.#turn = new AbortController();
    history.replaceState(history.state, "", this.#filters.address);
    const { isTrash } = this.#filters;
    this.#title.textContent = isTrash ? "Trash" : "Takes";
    this.#trash.textContent = isTrash ? "Back to the takes" : "Trash";
    this.#news.hidden = true;
    this.#cursor = null;
    await this.#page(true);
  }

  async #page(isFirst = false) {
    const { signal } = this.#turn;
    this.#more.disabled = true;
    /** @type {Page<Take> | undefined} */
    const page = await attempt(() => read(this.#filters.request(this.#cursor, PAGE), signal));
    this.#more.disabled = false;
    if (!page || signal.aborted) return;
    const had = this.#rows.size;
    if (isFirst) this.#clear();
    this.#cursor = page.next ?? null;
    for (const take of page.items) this.#add(take);
    this.#more.hidden = !page.next;
    this.#showEmpty();
    const more = page.next ? ", and more" : "";
    this.#status.textContent = this.#rows.size ? `${count(this.#rows.size, "take")}${more}` : "";
    if (!isFirst) [...this.#rows.values()][had]?.focus();
    this.#showChosen();
    this.#showPlaying();
    this.#showEvening();
  }

  /** @param {Take} take */
  #add(take) {
    const row = new ListRow(take, {
      select: () => this.#showChosen(),
      play: (take, share) => attempt(() => this.#preview.toggle(take, share)),
      favourite: (take) => attempt(async () => this.#rows.get(take.id)?.show(await send("PATCH",
        path("takes", take.id), { favourite: !take.favourite }))),
      restore: (take) => this.#change("restore", [take]),
    });
    this.#rows.set(take.id, row);
    this.#list.append(row.node);
    this.#seen.observe(row.node);
  }

  /** The row of a node of the list.
   * @param {Element} node */
  #rowOf(node) { return [...this.#rows.values()].find((row) => row.node === node); }

  #clear() {
    for (const row of this.#rows.values()) row.close();
    this.#seen.disconnect();
    this.#rows.clear();
    this.#list.replaceChildren();
  }

  /** @param {string} id */
  #remove(id) {
    const row = this.#rows.get(id);
    if (!row) return;
    row.close();
    row.node.remove();
    this.#rows.delete(id);
    this.#showEvening();
    this.#showEmpty();
    this.#showChosen();
  }

  /** One session is an evening, which is looked at, heard and taken home as a whole. */
  #showEvening() {
    const { session } = this.#filters, takes = [...this.#rows.values()].map((row) => row.take);
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
    const next = this.#isPlayingAll ? (take && this.#rows.has(take.id) ? take : this.#after(null)) : state === "stopped" ? null : take;
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
    const takes = [...this.#rows.values()].map((row) => row.take);
    return takes.slice(takes.findIndex(({ id }) => id === take?.id) + 1).find(isFinished) ?? null;
  }

  #showEmpty() {
    this.#empty.hidden = this.#rows.size > 0;
    this.#empty.replaceChildren(this.#filters.isFiltered
      ? emptyState("No take fits", "Remove a filter or search for fewer words.")
      : this.#filters.isTrash ? emptyState("The trash is empty", "Deleted takes wait here until they are removed for good.")
        : emptyState("There are no takes yet", "Go into a room and play: everything is kept.",
          element("a", { className: "button quiet", href: "/", textContent: "To the rooms" })));
  }

  /** @param {Take} take */
  #edited(take) {
    this.#rows.get(take.id)?.show(take);
    this.#showEvening();
  }

  /** @param {string} type @param {any} told */
  #hear(type, told) {
    const id = typeof told.take === "string" ? told.take : told.take.id;
    const isHere = this.#rows.has(id), { isTrash } = this.#filters;
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
    for (const row of this.#rows.values()) {
      const isHere = this.#preview.take?.id === row.take.id;
      row.playing(isHere ? this.#preview.state : "stopped", isHere ? this.#preview.share : 0);
    }
    const words = this.#isPlayingAll && this.#preview.state !== "stopped" ? "Pause" : "Play all";
    if (this.#all.textContent !== words) this.#all.textContent = words;
  }

  // Actions on the chosen takes

  get #chosen() { return [...this.#rows.values()].filter((row) => row.isChosen).map((row) => row.take); }

  #showChosen() {
    const chosen = this.#chosen;
    this.#bulk.hidden = !chosen.length;
    if (!chosen.length) return;
    const { isTrash } = this.#filters;
    /** @param {string} text @param {() => unknown} work @param {Properties<"button">} properties */
    const does = (text, work, properties = {}) => button(text, work, { className: "quiet small", ...properties });
    const areAll = chosen.every(({ favourite }) => favourite);
    this.#bulk.replaceChildren(element("strong", { textContent: `${chosen.length} chosen` }),
      element("span", { className: "spacer" }),
      ...(isTrash ? [does("Restore", () => this.#change("restore", chosen))] : [
        does("Compare A/B", () => this.#go(`/takes/${chosen[0].id}?with=${chosen[1].id}`),
          { className: "small", disabled: chosen.length !== 2 || !chosen.every(isFinished),
          title: "Choose two takes" }),
        does(areAll ? "Remove from favourites" : "Favourites", () => this.#change("edit", chosen, { favourite: !areAll })),
        does("Delete", () => this.#change("delete", chosen)),
      ]), does("Clear selection", () => this.#chooseNone()));
  }

  #chooseNone() {
    for (const row of this.#rows.values()) row.isChosen = false;
    this.#showChosen();
  }

  /** One action on many takes; reports failures with their number.
   * @param {"edit" | "delete" | "restore"} action @param {Take[]} takes @param {object} [changes] */
  async #change(action, takes, changes) {
    const wish = { action, takes: takes.map(({ id }) => id), ...(changes ? { changes } : {}) };
    /** @type {{ items: { id: string, status: number, take: Take, problem?: Problem }[] } | undefined} */
    const answer = await attempt(() => send("POST", path("takes", "bulk"), wish));
    if (!answer) return;
    const done = answer.items.filter(({ status }) => status < 300),
      refused = answer.items.filter(({ status }) => status >= 300);
    for (const { id, take } of done) {
      if (action === "edit") this.#rows.get(id)?.show(take);
      else this.#remove(id);
    }
    this.#showChosen();
    const words = { edit: "changed", delete: "moved to the trash", restore: "restored" }[action];
    /** @param {string} id */
    const named = (/** @type {string} */ id) => {
      const take = takes.find((one) => one.id === id);
      return take ? takeName(take) : "The take";
    };
    const what = done.length === 1 ? named(done[0].id) : count(done.length, "take");
    if (done.length && action !== "edit") {
      const back = action === "delete" ? "restore" : "delete";
      this.#toast.show(`${what} ${done.length === 1 ? "is" : "are"} ${words}.`, async () => {
        await send("POST", path("takes", "bulk"), { action: back, takes: done.map(({ id }) => id) });
        await this.#again();
      });
    } else if (done.length) showNotice(`${what} ${words}`);
    if (!refused.length) return;
    const why = refused[0].problem?.detail ?? "the server refused";
    showProblem(sentence(`${count(refused.length, "take")} could not be ${words}: ${why}`));
  }

  async close() {
    this.#turn.abort();
    this.#end?.();
    this.#toast.hide();
    this.#clear();
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
