// One take as a row of a list: in the list of takes, the lobby and the room.

import { element } from "../base/dom.js";
import { factsOf, ratingWords, stars, stateBadge, takeName } from "./take-words.js";

/** The facts of a take: its name as a link, room, time, length and state.
 * @param {Take} take */
export function takeWhat(take, { withRoom = true, withHeart = true } = {}) {
  const badge = stateBadge(take);
  return element("div", { className: "what" },
    element("a", { className: "name", href: `/takes/${take.id}`, textContent: takeName(take), title: takeName(take) }),
    take.favourite && withHeart ? element("span",
      { className: "favourite-mark", role: "img", "aria-label": "Favourite", textContent: " ♥" }) : null,
    // A blank for those who copy the row or hear it.
    badge ? " " : null,
    badge ? element("span", { className: "badge", dataset: { state: take.deletedAt ? "deleted" : take.state },
      textContent: badge }) : null,
    element("p", { className: "take-facts" },
      ...[...(withRoom ? [take.room] : []), ...factsOf(take)].map((fact) => element("span", { textContent: fact }))));
}

/** The stars of a take, with words for screen readers.
 * @param {Take} take */
export const ratingMark = (take) =>
  element("span", { className: "rating", role: "img", "aria-label": ratingWords(take.rating),
    textContent: stars(take.rating) });

/** A compact row: title, room, when, length, rating, and a link to the take's page.
 * @param {Take} take @param {{ withRoom?: boolean, withHeart?: boolean }} [options] */
export const takeRow = (take, options) =>
  element("div", { className: "take-row compact", dataset: { take: take.id } }, takeWhat(take, options),
    ratingMark(take));
