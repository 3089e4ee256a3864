// The song on the stage view: its name, and its sheet, large, with the chords over the words. It goes on by a pedal, by keys or
// by scrolling; both hands are on an instrument.

import { element, setText } from "../base/dom.js";
import { songLines } from "../room/song-lines.js";

/** @typedef {import("../room/song-lines.js").Line} Line */

/** Share of the visible lines by which it goes on: some stay, so that nobody loses the place. */
const TURN = 0.75;

/** @param {HTMLElement} place @param {Studio} studio
 * @param {import("../base/view.js").Scope} scope @param {{ text: { value: string }, isOn: { value: boolean } }} reads */
export function openStageSheet(place, studio, scope, { text, isOn }) {
  const name = element("h2", { id: "stage-song" });
  const lines = element("div", { className: "song-lines", tabIndex: 0, role: "region", "aria-labelledby": "stage-song" });
  const card = element("section", { className: "card part-song", "aria-labelledby": "stage-song" }, name, lines);
  place.prepend(card);
  const song = scope.follow(() => studio.take?.song?.title ?? null, [[studio, "state"]]);
  scope.effect(() => {
    if (!isOn.value) return;
    const sheet = songLines(text.value.trimEnd()), hasText = sheet.lines.some((line) => line.kind !== "plain" || line.text.trim());
    setText(name, song.value ?? sheet.title ?? "");
    name.hidden = !name.textContent;
    if (!name.textContent) setText(name, "Sheet");
    lines.hidden = !hasText;
    card.hidden = name.hidden && !hasText;
    lines.replaceChildren(...sheet.lines.map(lineOf));
    document.documentElement.toggleAttribute("data-song", hasText);
  });
  scope.effect(() => {
    if (!isOn.value) document.documentElement.removeAttribute("data-song");
    // A pedal that pretends to be a keyboard scrolls what has the focus.
    else if (!lines.hidden) lines.focus({ preventScroll: true });
  });
  scope.atEnd(() => document.documentElement.removeAttribute("data-song"));
  return {
    /** @param {1 | -1} direction */
    turn: (direction) => lines.scrollBy({
      top: direction * TURN * lines.clientHeight, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth",
    }),
  };
}

/** @param {Line} line */
function lineOf(line) {
  if (line.kind === "remark") return element("p", { className: "song-remark", textContent: line.text });
  // An empty line keeps its height.
  if (line.kind === "plain") return element("p", { className: "song-plain", textContent: line.text || "\u00a0" });
  return element("p", { className: "song-sung" }, line.words.map((pieces) => element("span", { className: "song-word" },
    pieces.map(({ chord, words }) => element("span", { className: "song-piece" },
      element("b", { className: "chord", textContent: chord ?? "\u00a0", "aria-hidden": chord === null ? "true" : null }),
      element("span", { textContent: words || "\u00a0" }))))));
}
