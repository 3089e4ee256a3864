import { read } from "../base/api.js";
import { element, remark } from "../base/dom.js";
import { sentence } from "../base/refusal.js";
import { studio } from "../base/session.js";
import { eveningAddress } from "../takes/evening.js";
import { takeRow } from "../takes/rows.js";

/** The takes of this room, newest first; a take appears a moment after it ends.
 * @param {HTMLElement} place @param {string} room */
export function openRecent(place, room) {
  const list = element("div", { id: "takes", className: "takes" });
  const all = element("a", { href: `/takes?room=${encodeURIComponent(room)}`, textContent: "All takes of this room" });
  const evening = element("a", { className: "evening-link", textContent: "All of this session" });
  place.append(list, element("p", { className: "row" }, evening, all));
  const known = new Map();
  const draw = async () => {
    try {
      /** @type {Page<Take>} */
      const { items } = await read(`/v1/takes?limit=12&room=${encodeURIComponent(room)}`);
      const finished = items.filter((take) => ["ready", "incomplete", "failed"].includes(take.state));
      // Rows are kept, so that playback in them continues.
      const rows = finished.map((take) => {
        const key = `${take.id} ${take.state} ${take.revision}`;
        if (!known.has(key)) known.set(key, takeRow(take));
        return known.get(key);
      });
      list.replaceChildren(...rows);
      evening.hidden = !studio.session || !finished.some(({ session }) => session === studio.session);
      if (studio.session) evening.href = eveningAddress(studio.session);
      if (!rows.length) list.append(remark("Nothing yet. Each take appears here a moment after it ends."));
    } catch (/** @type {any} */ error) {
      list.replaceChildren(remark(sentence(`The takes cannot be listed: ${error.message}`)));
    }
  };
  studio.addEventListener("takeFinished", draw);
  draw();
  return { close: () => studio.removeEventListener("takeFinished", draw) };
}
