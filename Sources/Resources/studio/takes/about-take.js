// The editable facts of a take: title, song, rating, favourite, tags, notes. Leaving a field saves it.

import { button, element, freshID } from "../base/dom.js";
import { attempt, showNotice } from "../base/notices.js";
import { path, read } from "../base/api.js";
import { roomAddress } from "../base/router.js";
import { factsOf, ratingWords, stateBadge, takeName } from "./take-words.js";

const RATINGS = [1, 2, 3, 4, 5];

/** Five stars as radio buttons, plus a button for no rating; `choose(rating or null)`.
 * @param {(rating: number | null) => unknown} choose */
export function ratingField(choose) {
  const name = freshID("rating");
  const inputs = RATINGS.map((value) =>
    element("input", { type: "radio", name, value: String(value), "aria-label": ratingWords(value),
      onchange: () => choose(value) }));
  const none = button("×", () => choose(null),
    { className: "toggle bare", "aria-label": "Remove the rating", title: "Remove the rating" });
  const node = element("fieldset", { className: "stars" },
    element("legend", { className: "hidden", textContent: "Rating" }),
    ...inputs.map((input, index) => element("label", { title: ratingWords(index + 1) }, input,
      element("span", { "aria-hidden": "true", textContent: "★" }))), none);
  /** @param {number | null} rating */
  const show = (rating) => {
    inputs.forEach((input, index) => { input.checked = index + 1 === rating; });
    none.hidden = !rating;
  };
  return { node, show };
}

/** A heart that is on or off.
 * @param {() => unknown} toggle */
export function favouriteButton(toggle) {
  const node = button("", toggle, { className: "toggle bare heart", title: "Favourite" });
  // An empty heart until it is one.
  const heart = element("span", { "aria-hidden": "true", textContent: "♡" });
  node.append(heart);
  node.setAttribute("aria-label", "Favourite");
  return { node, show: (/** @type {boolean} */ isOn) => {
    node.setAttribute("aria-pressed", String(isOn));
    heart.textContent = isOn ? "♥" : "♡";
  } };
}

/**
 * A field that saves when it is left: Enter leaves it, Escape takes back what was typed.
 * @template {"input" | "textarea"} K
 * @param {K} kind @param {string} label @param {(value: string) => Promise<unknown>} save @param {Properties<K>} properties
 * @returns {HTMLElementTagNameMap[K]}
 */
export function savedField(kind, label, save, properties) {
  /** @type {HTMLElementTagNameMap[K]} */
  const field = element(kind, { "aria-label": label, ...properties });
  let before = "";
  field.addEventListener("focus", () => { before = field.value; });
  field.addEventListener("keydown", (event) => {
    if (!(event instanceof KeyboardEvent)) return;
    if (event.key === "Enter" && kind === "input") field.blur();
    if (event.key !== "Escape") return;
    field.value = before;
    field.blur();
  });
  field.addEventListener("change", () => save(field.value.trim()));
  return field;
}

export class AboutTake {
  /** The take's name, facts and marks: the head of its page. */
  head;
  /** Its song, tags and notes. */
  node;
  #store;
  /** The title is an editable field, so a separate heading beside it names the page for screen readers. */
  #heading = element("h1", { className: "hidden" });
  #title;
  #song;
  #songs = element("datalist", { id: freshID("songs") });
  #notes;
  #facts = element("p", { className: "take-facts" });
  #rating;
  #favourite;
  #tags = element("ul", { className: "tags", "aria-label": "Tags" });
  #tag;

  /** @param {TakeStore} store */
  constructor(store) {
    this.#store = store;
    this.#title = this.#field("input", "Title", (value) => store.edit({ title: value || null }, "title"),
      { className: "title", maxLength: 200 });
    this.#song = this.#field("input", "Song", (value) => store.edit({ song: value ? { title: value } : null }, "song"),
      { maxLength: 200, placeholder: "none yet", autocomplete: "off" });
    this.#song.setAttribute("list", this.#songs.id);
    this.#song.addEventListener("focus", () => this.#listSongs(), { once: true });
    this.#notes = this.#field("textarea", "Notes", (value) => store.edit({ notes: value || null }, "notes"),
      { rows: 3, maxLength: 20_000, placeholder: "What went well, what to do again" });
    this.#rating = ratingField((rating) => this.#save(() => store.edit({ rating }, "rating")));
    this.#favourite = favouriteButton(() => this.#save(() => store.edit({ favourite: !store.take.favourite }, "mark")));
    this.#tag = element("input", { className: "tag-new", maxLength: 64, placeholder: "add a tag",
      "aria-label": "Add a tag", enterKeyHint: "done" });
    this.#tag.addEventListener("keydown", (event) => this.#tagKey(event));
    this.#tag.addEventListener("change", () => this.#addTag());
    this.head = element("div", { className: "about-head" },
      element("div", { className: "grow" }, this.#heading, this.#title, this.#facts),
      element("div", { className: "marks" }, this.#rating.node, this.#favourite.node));
    this.node = element("section", { className: "card about-take", "aria-label": "About this take" },
      element("div", { className: "about-more" },
        element("label", {}, "Song", this.#song, this.#songs),
        element("div", { className: "field" }, element("span", { className: "field-name", textContent: "Tags" }),
          element("div", { className: "tag-line" }, this.#tags, this.#tag)),
        element("label", { className: "wide" }, "Notes", this.#notes)));
    store.addEventListener("change", this.show);
    this.show();
  }

  close() { this.#store.removeEventListener("change", this.show); }

  /** Waits for a pending save and confirms it.
   * @param {() => Promise<unknown>} work */
  async #save(work) {
    const saved = await attempt(async () => {
      await work();
      return true;
    });
    if (saved) showNotice("Saved");
    this.show();
  }

  /**
   * @template {"input" | "textarea"} K
   * @param {K} kind @param {string} label @param {(value: string) => Promise<unknown>} save @param {Properties<K>} properties
   */
  #field(kind, label, save, properties) { return savedField(kind, label, (value) => this.#save(() => save(value)), properties); }

  async #listSongs() {
    /** @type {Page<Song> | undefined} */
    const songs = await attempt(() => read(`${path("songs")}?limit=200`));
    this.#songs.replaceChildren(...(songs?.items ?? []).map(({ title }) => element("option", { value: title })));
  }

  /** @param {KeyboardEvent} event */
  #tagKey(event) {
    if (event.key === "," || event.key === "Enter") {
      event.preventDefault();
      this.#addTag();
    } else if (event.key === "Backspace" && !this.#tag.value) {
      this.#tags.lastElementChild?.querySelector("button")?.focus();
    }
  }

  #addTag() {
    const tag = this.#tag.value.trim();
    this.#tag.value = "";
    const { tags } = this.#store.take;
    if (!tag || tags.some((known) => known.toLowerCase() === tag.toLowerCase())) return;
    this.#save(() => this.#store.edit({ tags: [...tags, tag] }, "tag"));
  }

  /** @param {string} tag */
  #removeTag(tag) {
    this.#tag.focus();
    this.#save(() => this.#store.edit({ tags: this.#store.take.tags.filter((each) => each !== tag) }, "tags"));
  }

  show = () => {
    const { take } = this.#store;
    /** @param {HTMLInputElement | HTMLTextAreaElement} field @param {string | null | undefined} value */
    const fill = (field, value) => { if (document.activeElement !== field) field.value = value ?? ""; };
    this.#heading.textContent = takeName(take);
    this.#title.placeholder = takeName({ ...take, title: null });
    fill(this.#title, take.title);
    fill(this.#song, take.song?.title);
    fill(this.#notes, take.notes);
    this.#rating.show(take.rating);
    this.#favourite.show(take.favourite);
    const badge = stateBadge(take);
    this.#facts.replaceChildren(element("a",
      { href: roomAddress(take.room), textContent: take.room }),
      ...factsOf(take).map((fact) => element("span", { textContent: fact })),
      badge ? element("span", { className: "badge", dataset: { state: take.deletedAt ? "deleted" : take.state },
        textContent: badge }) : "");
    this.#tags.replaceChildren(...take.tags.map((tag) => element("li", { className: "tag" },
      element("a", { href: `/takes?tag=${encodeURIComponent(tag)}`, textContent: tag,
        title: `Takes with the tag ${tag}` }),
      button("×", () => this.#removeTag(tag), { "aria-label": `Remove the tag ${tag}` }))));
  };
}
