// A card in place of a view that cannot be shown: what happened, and the way out.

import { button, element } from "./dom.js";
import { memory } from "./memory.js";
import { Refusal, sentence } from "./refusal.js";

const again = () => button("Try again", () => location.reload());
const rooms = (words = "To the rooms") => element("a", { className: "button quiet", href: "/", textContent: words });
const takes = () => element("a", { className: "button quiet", href: "/takes", textContent: "To the takes" });

const copyLink = () => button("Copy the link", async ({ target }) => {
  await navigator.clipboard?.writeText(location.href).catch(() => {});
  // A key is in no address of the studio (base/access.js).
  if (target instanceof Element) target.textContent = memory.read("has-access") ? "Copied, without your key" : "Copied";
});

/** By the code of the refusal: [title, text or null for the refusal's own sentence, ways out].
 * @type {Record<string, [string, string | null, (() => HTMLElement)[]]>} */
const STATES = {
  "no-page": ["There is nothing here", "This address belongs to no page of the studio. Perhaps a letter is missing.", [() => rooms(), takes]],
  "not-found": ["This is not here (any more)", null, [() => rooms(), takes]],
  "invalid-name": ["No room can have this name", null, [() => rooms("Choose another name")]],
  "unsupported-browser": ["This browser cannot play here", null, [copyLink, takes]],
  unavailable: ["The server cannot be reached", "Check your network, then try again. What was recorded is on the server.", [again, () => rooms()]],
  outdated: ["The studio was updated", "This page is of an earlier version. Load it again; if you are in a room, your seat is kept.", [() => button("Load again", () => location.reload())]],
  "rate-limited": ["Too much at once", null, [again]],
};

/**
 * A module that does not arrive is no mistake in the page: the network or the server is gone, or the server has been
 * updated and has no files of this page's version any more.
 * @param {any} error
 */
export async function asRefusal(error) {
  const isMissing = error instanceof TypeError && /dynamically imported module|module script|Load failed/i.test(error.message);
  if (!isMissing) return error;
  const answers = await fetch("/healthz", { cache: "no-store" }).then(() => true, () => false);
  return answers ? new Refusal("outdated", "The studio was updated.") : new Refusal("unavailable", "The server cannot be reached.");
}

/** @param {any} error */
export function stateCard(error) {
  const offline = error.code === "unavailable" && !navigator.onLine;
  const [title, text, ways] = STATES[error.code] ?? ["This cannot be shown", null, [again, () => rooms()]];
  return element("section", { className: "card narrow state-card", role: "alert", dataset: { code: error.code ?? "error" } },
    element("h1", { textContent: offline ? "You are offline" : title }),
    element("p", { textContent: text ?? sentence(error.message) }),
    element("div", { className: "row" }, ways.map((way) => way())));
}

/** How a stay in a room ended that the musician did not end: [title, text, words of the button back].
 * @type {Record<string, [string, string, string | null]>} */
const PARTINGS = {
  removed: ["You were removed from this room", "A moderator removed you, or your invitation was withdrawn. What you played until then is kept. Ask for a new invitation.", "To the door"],
  expired: ["Your invitation has ended", "It was made for a certain time, which is over. What you played until then is kept. Ask for a new invitation.", "To the door"],
  replaced: ["You play from another place", "You joined this room in another window or on another device. Only one of them has your seat.", "Play here instead"],
  "room-closed": ["The room was closed", "What was played is among the takes.", "Open it again"],
  "not-understood": ["This page is out of date", "The server did not understand it. Load it again.", null],
};

/** The same in a sentence, for other views.
 * @param {string} code */
export const partingWords = (code) => PARTINGS[code][0];

/** In place of a room that has sent its musician away; `back` leads to the door.
 * @param {string} code @param {() => void} back */
export function partingCard(code, back) {
  const [title, text, words] = PARTINGS[code];
  return element("section", { className: "card narrow state-card", role: "alert", dataset: { code } },
    element("h1", { textContent: title }), element("p", { textContent: text }),
    element("div", { className: "row" }, words ? button(words, back) : again(), takes()));
}

/** In place of an empty list: why it is empty, and what fills it.
 * @param {string} title @param {string} text @param {Child} [way] */
export const emptyState = (title, text, way = null) => element("div", { className: "empty-state" },
  element("span", { className: "jar", ariaHidden: "true" }), element("p", { className: "empty-title", textContent: title }),
  element("p", { className: "empty", textContent: text }), way);
