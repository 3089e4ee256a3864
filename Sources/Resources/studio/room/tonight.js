// After a stay in a room: what was played, one click away.

import { read } from "../base/api.js";
import { count, element, setText } from "../base/dom.js";
import { tabMemory } from "../base/memory.js";
import { eveningAddress, eveningName } from "../takes/evening.js";

/** "Tonight: 4 takes", as a link, for a musician who has just left the room; empty otherwise.
 * @param {string} room */
export function tonightLink(room) {
  const link = element("a", { className: "button quiet small tonight", hidden: true });
  /** @type {{ room: string, session: string } | null} */
  const stay = tabMemory.read("evening");
  if (stay?.room !== room) return link;
  const { session } = stay;
  link.href = eveningAddress(session);
  const show = async () => {
    /** @type {Page<Take>} */
    const { items, next } = await read(`/v1/takes?limit=50&session=${encodeURIComponent(session)}`);
    const kept = items.filter(({ state }) => state !== "failed");
    if (!kept.length) return;
    setText(link, `${eveningName(kept[0].startedAt)}: ${count(kept.length, "take")}${next ? " and more" : ""} ▶`);
    link.hidden = false;
  };
  // Without it the door is what it was.
  show().catch(() => {});
  return link;
}
