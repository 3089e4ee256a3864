// Keys and join tokens. One from a link with `#token=…` or `?token=…`, or from the form, goes to the service once and
// comes back as a cookie that no script can read and that goes to no other site (docs/rest.md section 7). Requests,
// downloads, players and the link to a room carry it by themselves; this page keeps nothing but the fact.

import { path, read, request, send } from "./api.js";
import { button, element, freshID, setText } from "./dom.js";
import { memory } from "./memory.js";
import { attempt, showProblem } from "./notices.js";
import { Refusal, sentence } from "./refusal.js";

const FACT = "has-access";

/**
 * @typedef {object} Standing what a key or token is worth; the rest only if it is valid, null for what it leaves free
 * @property {"open" | "none" | "valid" | "expired" | "withdrawn" | "unknown"} state
 * @property {Role} [authority]
 * @property {string | null} [room]
 * @property {string | null} [name]
 */

/** Hands a key or token to the service; null makes the browser forget it.
 * @param {string | null} credential */
export async function holdAccess(credential) {
  if (credential) await send("PUT", path("access"), { credential });
  else await request("DELETE", path("access"));
  memory.write(FACT, credential ? true : null);
}

/**
 * Hands the key or token in the page's address to the service, then removes it from the address, so that it is neither
 * shown nor passed on. The address keeps it until the service has it: many a musician has no other copy of an
 * invitation. While the service cannot take it, `place` offers another attempt and the promise waits.
 * @param {HTMLElement} place
 */
export async function adoptAccess(place) {
  const query = new URLSearchParams(location.search), fragment = new URLSearchParams(location.hash.slice(1));
  const credential = fragment.get("token") ?? query.get("token") ?? fragment.get("key") ?? query.get("key");
  if (!credential) return;
  for (let isHeld = false; !isHeld;) {
    try {
      await holdAccess(credential);
      isHeld = true;
    } catch (/** @type {any} */ error) {
      if (!(error instanceof Refusal)) console.error(error);
      if (!error.isPassing) {
        showProblem(error.message);
        return;
      }
      await anotherAttempt(place, error);
    }
  }
  for (const parameters of [query, fragment]) ["token", "key"].forEach((name) => parameters.delete(name));
  const rest = [query.size ? `?${query}` : "", fragment.size ? `#${fragment}` : ""].join("");
  history.replaceState(history.state, "", location.pathname + rest);
}

/** Shows why the key in the address has not reached the service, until another attempt is wanted.
 * @param {HTMLElement} place @param {Error} refusal */
async function anotherAttempt(place, refusal) {
  await new Promise((resolve) => {
    place.replaceChildren(element("section", { className: "card narrow", role: "alert" },
      element("h1", { textContent: "The key of your link has not reached the server" }),
      element("p", { textContent: sentence(refusal.message) }), button("Try again", resolve)));
  });
  place.replaceChildren();
}

/** What the service says of the key or token of this browser; null if it does not say.
 * @returns {Promise<Standing | null>} */
export const readStanding = () => read(path("access")).catch(() => null);

/** Why an invitation opens nothing any more, by the service's word for it: a title, and what to do.
 * @type {Record<string, [string, string]>} */
const LAPSES = {
  expired: ["Your invitation has expired", "Ask whoever invited you for a new link, and open that."],
  withdrawn: ["Your invitation was withdrawn", "Its link opens nothing here any more. If you think that this is a mistake, ask whoever invited you for a new one."],
};

/** Whether this is an invitation that has ended.
 * @param {Standing | null} standing */
export const hasLapsed = (standing) => (standing?.state ?? "") in LAPSES;

/** A form for the key or token that the server requires; `onGiven` is called once the user has entered one.
 * @param {string} reason @param {() => unknown} onGiven */
export function accessForm(reason, onGiven) {
  const id = freshID("access");
  const field = element("input", { id, type: "password", required: true, autocomplete: "current-password" });
  // A refusal is shown on the page, and the form stays.
  /** @param {string | null} credential */
  const hold = (credential) => attempt(async () => {
    await holdAccess(credential);
    onGiven();
  });
  const title = element("h1", { textContent: memory.read(FACT) ? "Your key does not open this" : "This studio needs a key" });
  // What a program should send helps nobody who has nothing to send.
  const text = element("p", { textContent: memory.read(FACT) ? reason : "Open the link of your invitation, or paste its key here." });
  const form = element("form", { className: "card narrow" }, title, text,
    element("label", { htmlFor: id }, "Key or join token", field),
    element("div", { className: "row" }, element("button", { type: "submit", textContent: "Continue" }),
      memory.read(FACT) ? button("Forget the saved key", () => hold(null), { className: "quiet" }) : null));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    hold(field.value.trim());
  });
  readStanding().then((standing) => {
    const words = LAPSES[standing?.state ?? ""];
    if (!words) return;
    form.dataset.lapse = standing?.state;
    setText(title, words[0]);
    setText(text, words[1]);
  });
  return form;
}
