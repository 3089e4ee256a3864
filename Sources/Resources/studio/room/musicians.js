// The members of the room: a channel strip for each musician, side by side, and below them what cannot be said in a strip's width.

import { button, count, element, setText } from "../base/dom.js";
import { ChannelStrip } from "./channel-strip.js";
import { inviting } from "./invite.js";

/** Milliseconds between two updates of the levels: painting takes processor time from the music. */
const FRAME = 100;
/** Musicians for which the room shows free seats. */
const TRIO = 3;

/** @param {HTMLElement} place @param {Studio} studio @param {HTMLElement} tuner what it shows, above the strips */
export function openMusicians(place, studio, tuner) {
  const list = element("ul", { id: "members", className: "members" });
  const remarks = element("div", { className: "remarks" });
  const panels = element("div", { className: "panels" });
  const hint = element("p", { className: "hint ears-hint", textContent: "Faders, pan and M are for your ears alone: the recording never changes." });
  const { node, invite } = inviting(studio), seats = element("strong");
  const seat = element("li", { className: "free-seat", hidden: true }, seats);
  place.append(tuner, list, remarks, panels, hint, node);
  /** @type {Map<string, ChannelStrip>} */
  const strips = new Map();
  /** Shows one panel at a time.
   * @param {ChannelStrip} opened */
  const open = (opened) => { for (const strip of strips.values()) strip.unfold(strip === opened && !strip.isUnfolded); };

  const draw = () => {
    for (const [id, strip] of strips) {
      if (studio.members.has(id)) continue;
      strip.remove();
      strips.delete(id);
    }
    for (const [id, member] of studio.members) {
      const strip = strips.get(id) ?? new ChannelStrip(id, member, studio, open);
      if (!strips.has(id)) {
        strips.set(id, strip);
        list.append(strip.element);
        remarks.append(strip.remarks);
        panels.append(strip.panel);
      }
      strip.draw(member);
    }
    const musicians = [...studio.members.values()].filter(({ role }) => role === "musician").length;
    // A trio; in larger rooms free seats are no gap.
    const free = Math.min(TRIO, studio.policy?.capacity ?? 0) - musicians;
    setText(seats, free > 1 ? `${count(free, "free seat")}` : "Free seat");
    seat.hidden = free < 1;
    // Moved only where it must be: a button that moves loses the focus.
    if (list.lastElementChild !== seat) list.append(seat);
    const place = seat.hidden ? node : seat;
    if (invite.parentNode !== place) place.append(invite);
    hint.hidden = ![...studio.members].some(([id, { role }]) => role === "musician" && id !== studio.participant);
  };
  const measure = () => { for (const strip of strips.values()) strip.measure(); };
  const timer = setInterval(() => { for (const strip of strips.values()) strip.listen(); }, FRAME);
  studio.addEventListener("state", draw);
  studio.addEventListener("measured", measure);
  studio.addEventListener("quality", measure);
  draw();
  measure();
  return {
    close: () => {
      clearInterval(timer);
      studio.removeEventListener("state", draw);
      studio.removeEventListener("measured", measure);
      studio.removeEventListener("quality", measure);
    },
  };
}
