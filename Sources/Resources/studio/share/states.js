// What a link's page shows where there is nothing to play: what happened, and the way out.

import { button, element, freshID, moment } from "../base/dom.js";
import { Refusal, sentence } from "../base/refusal.js";
import { givePassword } from "./link.js";

/** Times as the server writes them, in the visitor's words.
 * @param {string} text */
const inWords = (text) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, moment);

const again = () => location.reload();

/** By the code of the refusal: [title, what to do, the way out].
 * @type {Record<string, [string, string | null, (() => HTMLElement)?]>} */
const STATES = {
  "unknown-share": ["This link is not valid", "It may have been taken back, or a part of it was lost on the way. Ask for it again."],
  "share-gone": ["This link no longer holds", null],
  "take-not-ready": ["The recording is not ready", "It is still being made. Try again in a moment.", () => button("Try again", again)],
  "rate-limited": ["Too many visitors at once", "Wait a minute, then try again.", () => button("Try again", again)],
  unavailable: ["No connection", "The server cannot be reached. Check the network, then try again.", () => button("Try again", again)],
};

/** A card for a refusal.
 * @param {any} error */
export function stateCard(error) {
  if (!(error instanceof Refusal)) console.error(error);
  const [title, text, way] = STATES[error.code] ?? ["The recording cannot be shown", null, () => button("Try again", again)];
  return element("section", { className: "card narrow state-card", role: "alert", dataset: { code: error.code ?? "error" } },
    element("h1", { textContent: title }), element("p", { textContent: text ?? sentence(inWords(error.message)) }),
    element("div", { className: "row" }, way?.(), element("a", { href: "/", className: "button quiet", textContent: "What is Jamjar?" })));
}

/** A form for the link's password; `done` is called once it was right.
 * @param {() => unknown} done */
export function passwordForm(done) {
  const id = freshID("password");
  const field = element("input", { id, type: "password", required: true, autocomplete: "current-password", maxLength: 200 });
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const submit = element("button", { type: "submit", textContent: "Listen" });
  const form = element("form", { className: "card narrow state-card" },
    element("h1", { textContent: "This recording has a password" }),
    element("p", { textContent: "The person who sent you the link knows it." }),
    element("label", { htmlFor: id }, "Password", field), problem, element("div", { className: "row" }, submit));
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      await givePassword(field.value);
      done();
    } catch (/** @type {any} */ error) {
      problem.textContent = sentence(error.message);
      problem.hidden = false;
      field.select();
    } finally {
      submit.disabled = false;
    }
  });
  return form;
}
