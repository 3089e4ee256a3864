/**
 * Makes an element; text is always set as text, so that no name or message can be markup. Nulls are ignored.
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name @param {Properties<K>} [properties] @param {...(Child | Child[])} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function element(name, properties, ...children) {
  const made = /** @type {HTMLElementTagNameMap[K] & Record<string, unknown>} */ (document.createElement(name));
  for (const [property, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined) continue;
    if (property === "dataset") Object.assign(made.dataset, value);
    else if (property === "style") for (const [key, text] of Object.entries(value)) made.style.setProperty(key, text);
    // Names that are not properties of the element (role, aria-…, for) are attributes.
    else if (property in made && !property.startsWith("aria-")) made[property] = value;
    else made.setAttribute(property, String(value));
  }
  for (const child of children.flat()) if (child !== null && child !== undefined && child !== false) made.append(child);
  return made;
}

/**
 * A button with a label; click and key call `does`.
 * @param {string} text @param {((event: MouseEvent) => unknown) | null} does @param {Properties<"button">} [properties]
 */
export const button = (text, does, properties = {}) =>
  element("button", { type: "button", textContent: text, onclick: does, ...properties });

/**
 * An element of the page's own HTML.
 * @param {string} id
 */
export function find(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found;
}

/**
 * The element on which an event happened; events of a document or window have none.
 * @param {Event} event
 */
export const targetOf = (event) => (event.target instanceof Element ? event.target : null);

/** The brush of a canvas, which a browser refuses only to one that has another.
 * @param {HTMLCanvasElement} canvas */
export const painterOf = (canvas) => /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));

let numbered = 0;
/** A unique id for an element that a label or a description refers to. */
export const freshID = (name = "field") => `${name}-${++numbered}`;

/** Sets text only if it changed, so that live regions are not read again.
 * @param {Node} node @param {string} text */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** 3:07, or 1:03:07 from one hour.
 * @param {number} seconds */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds)), two = (/** @type {number} */ number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A date and time in the user's locale.
 * @param {string | number | Date} date */
export const moment = (date) => new Date(date).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/** "1 track", "3 tracks".
 * @param {number} number @param {string} one @param {string} [many] */
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** The text in place of an empty list, or the reason why it cannot be shown.
 * @param {string} text */
export const remark = (text) => element("p", { className: "empty", textContent: text });
