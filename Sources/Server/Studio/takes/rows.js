import { clock, element, moment } from "../base/dom.js";
import { takeTitle } from "../base/header.js";
export function takeRow(take) {
  return element("article", { className: "take" }, element("h3", {}, element("a", { href: `/takes/${take.id}`, textContent: takeTitle(take) })),
    element("p", { className: "facts", textContent: [take.room, moment(take.startedAt), clock(take.duration ?? 0)].join(" · ") }));
}
