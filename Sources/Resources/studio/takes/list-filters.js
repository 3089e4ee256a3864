// The filters of the list: words, room, song, rating and so on. All are part of the address, so that a list can be
// linked and reloaded.

import { button, element } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { path, read, readAll } from "../base/api.js";

/** Parameters of GET /v1/takes that the address has under the same names. */
const NAMES = ["q", "room", "song", "rating", "favourite", "tag", "state", "after", "before", "participant",
  "session", "sort", "deleted"];
const STATES = ["ready", "incomplete", "rolling", "captured", "rendering", "failed"];
const SORTS = [["", "Newest first"], ["oldest", "Oldest first"], ["bestRated", "Best rated"], ["longest", "Longest"],
  ["shortest", "Shortest"]];
/** Pause after typing before the list is loaded, in milliseconds. */
const PAUSE = 250;
const DAY = 86_400_000;

export class ListFilters {
  node;
  #query;
  /** @type {Record<string, HTMLInputElement | HTMLSelectElement>} */
  #fields = {};
  #more;
  #clear;
  #others = element("p", { className: "hint", hidden: true });
  #changed;

  /** `changed()` is called when the filters change.
   * @param {URLSearchParams} query @param {() => void} changed */
  constructor(query, changed) {
    this.#query = new URLSearchParams([...query].filter(([name]) => NAMES.includes(name)));
    this.#changed = changed;
    const search = this.#field("q", element("input", { type: "search",
      placeholder: "Titles, notes, names, tags, cues", maxLength: 200, autocomplete: "off" }));
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    search.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.#set("q", search.value.trim()), PAUSE);
    });
    /** @param {string} name @param {string[][]} options */
    const choice = (name, options) => this.#field(name,
      element("select", {}, ...options.map(([value, text]) => element("option", { value, textContent: text }))));
    choice("room", [["", "Any"]]);
    choice("song", [["", "Any"]]);
    choice("rating", [["", "Any"], ...[5, 4, 3, 2, 1].map((each) => [String(each), `${"★".repeat(each)} or better`])]);
    choice("state", [["", "Any"], ...STATES.map((each) => [each, each])]);
    choice("sort", SORTS);
    this.#field("tag", element("input", { maxLength: 64, autocomplete: "off" }));
    this.#field("after", element("input", { type: "date" }));
    this.#field("before", element("input", { type: "date" }));
    const favourite = this.#field("favourite", element("input", { type: "checkbox" }));
    for (const name of ["room", "song", "rating", "state", "sort", "tag", "after", "before"]) {
      this.#fields[name].addEventListener("change", () => this.#set(name, this.#value(name)));
    }
    favourite.addEventListener("change", () => this.#set("favourite", favourite.checked ? "true" : ""));
    this.#clear = button("Clear all", () => this.clear(), { className: "quiet small" });
    /** @param {string} text @param {string} name @param {string} [className] */
    const labelled = (text, name, className = "") => element("label", { className }, text, this.#fields[name]);
    this.#more = element("details", { className: "filter-more" }, element("summary", { textContent: "More filters" }),
      element("div", { className: "filters" }, labelled("Song", "song"), labelled("Tag", "tag"),
        labelled("From", "after"), labelled("To", "before"), labelled("State", "state")));
    this.node = element("search", { className: "card", "aria-label": "Find takes" },
      element("div", { className: "filters" },
        element("label", { className: "search" },
        element("span", { className: "hidden", textContent: "Search takes" }), search),
        labelled("Room", "room"), labelled("Rating", "rating"), labelled("Order", "sort"),
        element("label", { className: "choice" }, favourite, "Favourites only")),
      this.#more, this.#others, element("div", { className: "row" }, this.#clear));
    this.#show();
    this.#more.open = ["song", "tag", "after", "before", "state"].some((name) => this.#query.has(name));
  }

  /** Loads the names of rooms and songs.
   * @param {AbortSignal} [signal] */
  async offer(signal) {
    await attempt(async () => {
      /** @type {[RoomFact[], Page<Song>]} */
      const [rooms, songs] = await Promise.all([readAll(path("rooms"), signal),
        read(`${path("songs")}?limit=200`, signal)]);
      this.#options("room", rooms.map(({ name }) => [name, name]));
      this.#options("song", songs.items.map(({ id, title }) => [id, title]));
    });
  }

  /**
   * @template {HTMLInputElement | HTMLSelectElement} F
   * @param {string} name @param {F} field
   */
  #field(name, field) {
    this.#fields[name] = field;
    return field;
  }

  /** @param {string} name @param {string[][]} options */
  #options(name, options) {
    const field = /** @type {HTMLSelectElement} */ (this.#fields[name]);
    for (const [value, text] of options) {
      const known = [...field.options].find((option) => option.value === value);
      if (known) known.textContent = text;
      else field.append(element("option", { value, textContent: text }));
    }
    this.#show();
  }

  /** @param {string} name */
  #value(name) {
    const value = this.#fields[name].value.trim();
    // "Until" a day includes that day.
    return name === "before" && value ? new Date(Date.parse(value) + DAY).toISOString().slice(0, 10) : value;
  }

  /** @param {string} name @param {string} value */
  #set(name, value) {
    if ((this.#query.get(name) ?? "") === value) return;
    if (value) this.#query.set(name, value);
    else this.#query.delete(name);
    this.#show();
    this.#changed();
  }

  #show() {
    for (const [name, field] of Object.entries(this.#fields)) {
      const value = this.#query.get(name) ?? "";
      if (field instanceof HTMLInputElement && field.type === "checkbox") field.checked = value === "true";
      else if (document.activeElement !== field) {
        if (field instanceof HTMLSelectElement && value && ![...field.options].some((option) => option.value === value)) {
          field.append(element("option", { value, textContent: name === "song" ? "a song" : value }));
        }
        field.value = name === "before" && value ? new Date(Date.parse(value) - DAY).toISOString().slice(0, 10) : value;
      }
    }
    // The list says itself which session it is of.
    this.#others.hidden = !this.#query.has("participant");
    this.#others.textContent = this.#others.hidden ? "" : "Only takes of one participant.";
    this.#clear.parentElement?.toggleAttribute("hidden", !this.isFiltered);
  }

  get isFiltered() { return [...this.#query.keys()].some((name) => name !== "sort" && name !== "deleted"); }
  /** Whether a session is all that is asked for. */
  get isEvening() { return [...this.#query.keys()].every((name) => ["session", "sort"].includes(name)); }
  /** The session of which all takes are listed, or null. */
  get session() { return this.isTrash ? null : this.#query.get("session"); }
  get isTrash() { return this.#query.get("deleted") === "true"; }
  set isTrash(isTrash) { this.#set("deleted", isTrash ? "true" : ""); }

  clear() {
    const kept = ["sort", "deleted"].map((name) => [name, this.#query.get(name) ?? ""]).filter(([, value]) => value);
    this.#query = new URLSearchParams(kept);
    this.#show();
    this.#changed();
  }

  /** The address of this list, and the query for the server. */
  get address() { return `/takes${this.#query.size ? `?${this.#query}` : ""}`; }
  /** @param {string | null} cursor @param {number} limit */
  request(cursor, limit) {
    const query = new URLSearchParams(this.#query);
    query.set("limit", String(limit));
    if (cursor) query.set("cursor", cursor);
    return `${path("takes")}?${query}`;
  }
}

