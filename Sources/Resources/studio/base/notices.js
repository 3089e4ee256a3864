// Sentences for people, at the top of the page: problems (read out at once) and notices (read out when there is time).

import { setText } from "./dom.js";
import { Refusal, sentence } from "./refusal.js";

const find = (id) => document.getElementById(id);

/** Shows a problem until it is dismissed or the next thing is tried; null hides it. */
export function showProblem(text) {
  setText(find("problem-text"), text ? sentence(text) : "");
  find("problem").hidden = !text;
}

/** Says something that needs no answer. */
export const showNotice = (text) => setText(find("notice"), text ? sentence(text) : "");

/** Does what a control asks for; every failure becomes a sentence on the page, and the answer is then undefined. */
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
