// Sentences at the top of the page: problems (a screen reader announces them at once) and notices (politely).

import { setText } from "./dom.js";
import { Refusal, sentence } from "./refusal.js";

const find = (id) => document.getElementById(id);

/** Shows a problem until it is dismissed or the next action starts; null hides it. */
export function showProblem(text) {
  setText(find("problem-text"), text ? sentence(text) : "");
  find("problem").hidden = !text;
}

/** Shows a notice, which needs no reaction. */
export const showNotice = (text) => setText(find("notice"), text ? sentence(text) : "");

/** Runs a control's action; a failure becomes a sentence on the page, and the result is then undefined. */
export async function attempt(work) {
  try {
    showProblem(null);
    return await work();
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    if (!(error instanceof Refusal)) console.error(error);
    showProblem(error.message);
    return undefined;
  }
}

export function wireNotices() {
  find("problem-close").addEventListener("click", () => showProblem(null));
}
