// Cues of the musicians and comments of visitors, in one list, and the form for a comment at the place that is heard.

import { clock, element, freshID, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { Refusal, sentence } from "../base/refusal.js";
import { WindowedList } from "../base/windowed.js";
import { leaveComment } from "./link.js";

/** The list, which follows `cues`: they only become more. A click goes to the place.
 * @param {SharedCue[]} cues @param {(position: number) => void} seek */
export function cueList(cues, seek) {
  /** @param {SharedCue} cue */
  const item = ({ position, text, name }) =>
    element("li", {}, element("button", { type: "button", className: "cue", onclick: () => seek(position) },
      element("span", { className: "at", textContent: clock(position) }),
      element("span", { className: "words" }, name === null ? null : element("b", { textContent: `${name}: ` }), text)));
  const node = element("ol", { className: "cues", ariaLabel: "Cues and comments" });
  const list = new WindowedList(node, { make: (at) => ({ node: item(cues[Number(at)]), close() {} }) });
  const draw = () => list.show([...cues.keys()].sort((one, other) => cues[one].position - cues[other].position).map(String), true);
  draw();
  return { node, draw };
}

/** A form; `added` gets the new comment.
 * @param {SharePlayer} player @param {(comment: SharedCue) => void} added */
export function commentForm(player, added) {
  const [nameID, textID] = [freshID("name"), freshID("comment")];
  const name = element("input", { id: nameID, required: true, maxLength: 64, autocomplete: "nickname", value: memory.read("visitor", "") });
  const text = element("input", { id: textID, required: true, maxLength: 1_000, autocomplete: "off" });
  const place = element("span", {});
  const problem = element("p", { className: "problem", role: "alert", hidden: true });
  const submit = element("button", { type: "submit" }, "Comment at ", place);
  const form = element("form", { className: "comment-form" },
    element("label", { className: "who", htmlFor: nameID }, "Your name", name),
    element("label", { className: "what", htmlFor: textID }, "Comment", text), submit, problem);
  const draw = () => setText(place, clock(player.position));
  player.addEventListener("place", draw);
  draw();
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    submit.disabled = true;
    try {
      const comment = await leaveComment({ name: name.value.trim(), text: text.value.trim(), position: player.position });
      memory.write("visitor", name.value.trim());
      text.value = "";
      problem.hidden = true;
      added(comment);
    } catch (/** @type {any} */ error) {
      if (!(error instanceof Refusal)) console.error(error);
      problem.textContent = sentence(error.message);
      problem.hidden = false;
    } finally {
      submit.disabled = false;
    }
  });
  return form;
}
