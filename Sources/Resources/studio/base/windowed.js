// A list of any length of which only the rows near the view stand in the page, and the one in focus with its neighbours. Margins
// keep the room of all others, so that scroll bar and keyboard work as in a whole list.

/** Height of a row before any was measured, in CSS pixels. */
const GUESS = 80;
/** Milliseconds without a change after which what is in sight is worth fetching. */
const REST = 120;
/** Times that a place is measured on the way to it. */
const ROUNDS = 3;

/** @typedef {{ key: string, top: number, focused: string | null }} ListPlace where a list was: a row, pixels below the top, and focus */

/** @typedef {{ key: string, top: number, place: number }} Anchor a row, and pixels from the view's top to its own */

/** @template {{ node: HTMLElement, close(): void }} R */
export class WindowedList {
  /** Those that stand in the page.
   * @type {Map<string, R>} */
  rows = new Map();
  #node;
  #does;
  /** @type {string[]} */
  #keys = [];
  #isWhole = true;
  /** As measured.
   * @type {Map<string, number>} */
  #heights = new Map();
  #usual = GUESS;
  /** Pixels between two rows. */
  #gap = 0;
  #width = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;
  #sizes = new ResizeObserver(() => {
    this.#measure();
    this.#update();
  });

  /** `make(key)` makes a row; `rested()` is called once the list stands still, `ended()` when its end comes near and is not
   * that of the whole.
   * @param {HTMLElement} node @param {{ make(key: string): R, rested?(): void, ended?(): void }} does */
  constructor(node, does) {
    this.#node = node;
    this.#does = does;
    this.#sizes.observe(node);
    // The browser gives its own anchoring up where margins change.
    node.style.overflowAnchor = "none";
    node.addEventListener("focusin", this.#update);
    for (const type of ["scroll", "resize"]) addEventListener(type, this.#update, { passive: true });
  }

  /** Shows these rows in this order; `isWhole`: that no more can follow.
   * @param {string[]} keys @param {boolean} isWhole */
  show(keys, isWhole) {
    this.#keys = keys;
    this.#isWhole = isWhole;
    this.#update();
  }

  /** The first row in sight of a list that begins above the view: it stays where it is, whatever changes above it.
   * @returns {Anchor | null} */
  #anchor() {
    if (this.#node.getBoundingClientRect().top >= 0) return null;
    const found = this.#first();
    const place = found ? this.#keys.indexOf(found.key) : -1;
    return found && place >= 0 ? { ...found, place } : null;
  }

  /** The first row in sight, and pixels from the view's top to its own. */
  #first() {
    let first = null;
    for (const [key, { node }] of this.rows) {
      const { top, bottom } = node.getBoundingClientRect();
      if (bottom > 0 && top < innerHeight && (!first || top < first.top)) first = { key, top };
    }
    return first;
  }

  /** The rows at most a view's height beyond the view: the first and the one behind the last.
   * @param {Anchor | null} anchor @returns {[first: number, end: number]} */
  #span(anchor) {
    const count = this.#keys.length;
    // Where the list begins, by the heights that are known now: the page may still have others.
    let y = anchor ? anchor.top - this.#sum(0, anchor.place) : this.#node.getBoundingClientRect().top, first = 0;
    // One row at least, which keeps the room of all.
    while (first < count - 1 && y + this.#height(first) <= -innerHeight) y += this.#height(first++);
    let end = first;
    while (end < count && (end === first || y < 2 * innerHeight)) y += this.#height(end++);
    return [first, end];
  }

  /** @param {number} place */
  #height(place) { return (this.#heights.get(this.#keys[place]) ?? this.#usual) + this.#gap; }

  /** @param {number} from @param {number} to */
  #sum(from, to) {
    let sum = 0;
    for (let place = from; place < to; place++) sum += this.#height(place);
    return sum;
  }

  /** The room of rows that do not stand in the page.
   * @param {number} from @param {number} to */
  #room(from, to) { return from < to ? `${this.#sum(from, to)}px` : ""; }

  #update = () => this.#draw(this.#anchor());

  /** @param {Anchor | null} anchor what stays where it is */
  #draw(anchor) {
    const [first, end] = this.#span(anchor), count = this.#keys.length;
    const places = new Set(Array.from({ length: end - first }, (_, at) => first + at));
    // By the keyboard one comes from one row to the next, wherever the view is.
    const focused = this.#focused;
    if (focused !== null) for (const place of [focused - 1, focused, focused + 1]) if (this.#keys[place] !== undefined) places.add(place);
    const sorted = [...places].sort((one, other) => one - other), wanted = new Set(sorted.map((place) => this.#keys[place]));
    for (const [key, row] of this.rows) if (!wanted.has(key)) this.#drop(key, row);
    let before = this.#node.firstElementChild, next = 0;
    sorted.forEach((place, at) => {
      const { node } = this.rows.get(this.#keys[place]) ?? this.#add(this.#keys[place]);
      if (node === before) before = node.nextElementSibling;
      else this.#node.insertBefore(node, before);
      node.style.marginTop = this.#room(next, place);
      node.style.marginBottom = at === sorted.length - 1 ? this.#room(place + 1, count) : "";
      node.setAttribute("aria-posinset", String(place + 1));
      node.setAttribute("aria-setsize", String(this.#isWhole ? count : -1));
      next = place + 1;
    });
    if (anchor) {
      const there = this.rows.get(anchor.key)?.node.getBoundingClientRect().top ?? anchor.top;
      if (Math.abs(there - anchor.top) >= 1) scrollBy({ top: there - anchor.top });
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#does.rested?.(), REST);
    if (end === count && !this.#isWhole) this.#does.ended?.();
  }

  /** The place of the row in focus, or null. */
  get #focused() {
    const active = document.activeElement;
    if (!active || !this.#node.contains(active)) return null;
    const key = [...this.rows].find(([, { node }]) => node.contains(active))?.[0];
    const place = key === undefined ? -1 : this.#keys.indexOf(key);
    return place < 0 ? null : place;
  }

  /** @param {string} key */
  #add(key) {
    const row = this.#does.make(key);
    this.rows.set(key, row);
    this.#sizes.observe(row.node);
    return row;
  }

  /** @param {string} key @param {R} row */
  #drop(key, row) {
    this.rows.delete(key);
    this.#sizes.unobserve(row.node);
    row.close();
    row.node.remove();
  }

  /** Takes the heights of all rows that stand in the page. */
  #measure() {
    const { width } = this.#node.getBoundingClientRect();
    // In another width names break elsewhere.
    if (width !== this.#width) this.#heights.clear();
    this.#width = width;
    this.#gap = parseFloat(getComputedStyle(this.#node).rowGap) || 0;
    for (const [key, { node }] of this.rows) {
      const { height } = node.getBoundingClientRect();
      if (height > 0) this.#heights.set(key, height);
    }
    if (this.#heights.size) this.#usual = [...this.#heights.values()].reduce((sum, height) => sum + height, 0) / this.#heights.size;
  }

  /** Makes a row anew when it is shown next.
   * @param {string} key */
  renew(key) {
    const row = this.rows.get(key);
    if (row) this.#drop(key, row);
  }

  /** The rows in sight, and those at most `margin` pixels beyond it.
   * @param {number} margin @returns {R[]} */
  inSight(margin) {
    return [...this.rows.values()].filter(({ node }) => {
      const { top, bottom } = node.getBoundingClientRect();
      return bottom > -margin && top < innerHeight + margin;
    });
  }

  /** Where the view is: its first row, how far its top is below that of the view, and the row in focus.
   * @returns {ListPlace | null} */
  get place() {
    const first = this.#first(), focused = this.#focused;
    return first && { ...first, focused: focused === null ? null : this.#keys[focused] };
  }

  /** Scrolls to where the view was; if the row is gone, nothing moves.
   * @param {{ key: string, top: number }} place */
  goTo({ key, top }) {
    const place = this.#keys.indexOf(key);
    if (place < 0) return;
    // What was guessed on the way is measured once it stands in the page, and may bring others.
    for (let round = 0; round < ROUNDS; round++) {
      this.#draw({ key, top, place });
      this.#measure();
    }
    this.#draw({ key, top, place });
  }

  close() {
    clearTimeout(this.#timer);
    this.#sizes.disconnect();
    for (const type of ["scroll", "resize"]) removeEventListener(type, this.#update);
    for (const [key, row] of this.rows) this.#drop(key, row);
  }
}
