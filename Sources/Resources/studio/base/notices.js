// Sentences at the top of the page: problems (a screen reader announces them at once) and notices (politely).

import { find, setText } from "./dom.js";
import { Refusal, sentence } from "./refusal.js";

/** Shows a problem until it is dismissed or the next action starts; null hides it.
 * @param {string | null} text */
export function showProblem(text) {
  setText(find("problem-text"), text ? sentence(text) : "");
  find("problem").hidden = !text;
}

/** Shows a notice, which needs no reaction: over the page, so that nothing moves, or in it if it stays (`isLasting`).
 * @param {string} text */
export function showNotice(text, { isLasting = false } = {}) {
  find("notice").toggleAttribute("data-lasting", isLasting);
  setText(find("notice"), text ? sentence(text) : "");
}

/**
 * Runs a control's action; a failure becomes a sentence on the page, and the result is then undefined.
 * @template T
 * @param {() => T} work
 * @returns {Promise<Awaited<T> | undefined>}
 */
export async function attempt(work) {
  try {
    showProblem(null);
    return await work();
  } catch (/** @type {any} */ error) {
    if (error.name === "AbortError") return undefined;
    if (!(error instanceof Refusal)) console.error(error);
    showProblem(error.message);
    return undefined;
  }
}

export function wireNotices() {
  find("problem-close").addEventListener("click", () => showProblem(null));
}
