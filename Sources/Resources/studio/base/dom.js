/** Makes an element; text is always set as text, so that no name or message can be markup. Nulls are ignored. */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name);
  for (const [property, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (property === "dataset") Object.assign(made.dataset, value);
    else if (property === "style") for (const [key, text] of Object.entries(value)) made.style.setProperty(key, text);
    // Names that are not properties of the element (role, aria-…, for) are attributes.
    else if (property in made && !property.startsWith("aria-")) made[property] = value;
    else made.setAttribute(property, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** A button with a label; click and key call `does`. */
export const button = (text, does, properties = {}) =>
  element("button", { type: "button", textContent: text, onclick: does, ...properties });

let numbered = 0;
/** A unique id for an element that a label or a description refers to. */
export const freshID = (name = "field") => `${name}-${++numbered}`;

/** Sets text only if it changed, so that live regions are not read again. */
export function setText(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** 3:07, or 1:03:07 from one hour. */
export function clock(seconds) {
  const whole = Math.max(0, Math.floor(seconds)), two = (number) => String(number).padStart(2, "0");
  const hours = Math.floor(whole / 3600), minutes = Math.floor(whole / 60) % 60;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/** A date and time in the user's locale. */
export const moment = (date) => new Date(date).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });

/** "1 track", "3 tracks". */
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`;

/** The text in place of an empty list, or the reason why it cannot be shown. */
export const remark = (text) => element("p", { className: "empty", textContent: text });
