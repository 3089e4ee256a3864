// The takes of this session, the last one first: listen, name, rate, keep or discard them without leaving.

import { path, read, send } from "../base/api.js";
import { button, count, element, setText } from "../base/dom.js";
import { followEvents, gathered } from "../base/events.js";
import { attempt, showProblem } from "../base/notices.js";
import { eveningAddress } from "../takes/evening.js";
import { Preview } from "../takes/preview.js";
import { takeName } from "../takes/take-words.js";
import { TakeAtHand } from "./take-at-hand.js";

/** Takes that are shown by themselves; the rest of the session is a click away. */
const SHOWN = 3;
/** Most takes of a session that are listed here. */
const MOST = 50;
/** What others do to takes. */
const EDITS = ["take.edited", "take.deleted", "take.restored"];

/** Takes that have ended, newest first.
 * @param {Record<string, string>} query */
async function ended(query) {
  /** @type {Page<Take>} */
  const { items } = await read(`/v1/takes?${new URLSearchParams(query)}`);
  return items.filter(({ state }) => state !== "rolling");
}

/** @param {HTMLElement} place @param {Studio} studio @param {string} room */
export function openTakeStrip(place, studio, room) {
  const preview = new Preview();
  /** By identifier, in the order shown.
   * @type {Map<string, TakeAtHand>} */
  const rows = new Map();
  const list = element("ol", { className: "takes-at-hand", ariaLabel: "Takes of this session" });
  const gone = element("p", { className: "facts", role: "status" });
  const more = button("", () => {
    isWhole = !isWhole;
    draw();
  }, { className: "quiet small", hidden: true });
  const evening = element("a", { className: "evening-link", textContent: "Tonight as one list" });
  place.append(list, gone, element("p", { className: "row takes-links" }, more, evening, element("a", { href: `/takes?room=${encodeURIComponent(room)}`, textContent: "All takes of this room" })));
  let isWhole = false;
  /** @type {Take[]} */
  let takes = [];

  const rights = {
    mayChange: studio.mayChange,
    // Only those who may delete takes (docs/rest.md, section 7).
    mayDiscard: studio.mayChange && ["owner", "operator"].includes(studio.role),
    /** @param {TakeAtHand} row */
    discard: ({ take }) => attempt(async () => {
      if (preview.take?.id === take.id && preview.state !== "stopped") await preview.toggle(take);
      await send("DELETE", path("takes", take.id));
      const undo = button("Undo", () => attempt(async () => {
        await send("POST", path("takes", take.id, "restore"));
        setText(gone, "");
        await look();
        rows.get(take.id)?.node.querySelector("button")?.focus();
      }), { className: "quiet small" });
      setText(gone, `${takeName(take)} is in the trash. `);
      gone.append(undo);
      await look();
      // Where the button that was pressed has gone.
      undo.focus();
    }),
  };

  /** Rows stay where they are, with what is typed or played in them; new ones come between. */
  const draw = () => {
    const shown = isWhole ? takes : takes.slice(0, SHOWN), before = new Map(rows);
    rows.clear();
    let next = list.firstChild;
    for (const take of shown) {
      const row = before.get(take.id) ?? new TakeAtHand(take, preview, rights);
      row.show(take);
      before.delete(take.id);
      rows.set(take.id, row);
      if (row.node === next) next = next.nextSibling;
      else list.insertBefore(row.node, next);
    }
    for (const row of before.values()) {
      row.close();
      row.node.remove();
    }
    list.hidden = !shown.length;
    evening.hidden = !studio.session || !takes.some(({ session }) => session === studio.session);
    if (studio.session) evening.href = eveningAddress(studio.session);
    more.hidden = takes.length <= SHOWN;
    more.ariaExpanded = String(isWhole);
    setText(more, isWhole ? `Only the last ${SHOWN}` : `All ${count(takes.length, "take")} of this session`);
  };
  let asked = 0;
  const look = async () => {
    const mine = ++asked;
    let found = studio.session ? await ended({ limit: String(MOST), session: studio.session }) : [];
    // A session that has none yet begins with the last one of before.
    if (!found.length) found = (await ended({ limit: "6", room })).slice(0, 1);
    if (mine !== asked) return;
    takes = found;
    draw();
  };
  const soon = gathered(() => attempt(look));
  const finished = () => {
    setText(gone, "");
    soon();
  };
  const follow = () => { for (const row of rows.values()) row.follow(); };
  preview.addEventListener("change", follow);
  preview.addEventListener("report", follow);
  preview.addEventListener("problem", ({ detail }) => showProblem(detail.message));
  studio.addEventListener("takeStopped", soon);
  studio.addEventListener("takeFinished", finished);
  const end = followEvents({ ...Object.fromEntries(EDITS.map((type) => [type, soon])), open: soon, reset: soon });
  list.hidden = evening.hidden = true;
  look().catch(() => {});
  return {
    /** Makes the last take a favourite. */
    keep: () => {
      const [last] = rows.values();
      return last && !last.take.favourite ? last.edit({ favourite: true }) : undefined;
    },
    close: () => {
      end();
      soon.cancel();
      studio.removeEventListener("takeStopped", soon);
      studio.removeEventListener("takeFinished", finished);
      for (const row of rows.values()) row.close();
      preview.close();
    },
  };
}
