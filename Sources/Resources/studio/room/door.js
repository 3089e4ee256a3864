// A room's address: it shows the green room to visitors and the room itself to members.

import { element, remark } from "../base/dom.js";
import { Refusal } from "../base/refusal.js";
import { studio } from "../base/session.js";
import { partingCard } from "../base/states.js";
import { openGreenRoom } from "./green-room.js";
import { openRoom } from "./room.js";

/** @param {string} room */
const isInside = (room) => studio.state.room === room && ["joined", "reconnecting"].includes(studio.phase);

/** @param {HTMLElement} place @param {ViewContext} context */
export async function open(place, context) {
  const room = context.parameters.room;
  if (room.startsWith(".")) throw new Refusal("invalid-name", "A room's name cannot begin with a dot.");
  /** @type {{ kind: string, close?(): unknown } | null} */
  let shown = null;
  let turn = 0;
  const show = async () => {
    const kind = studio.phase === "joining" ? shown?.kind ?? "wait"
      : isInside(room) ? "room" : studio.sentAway?.room === room ? "parting" : "green";
    if (shown?.kind === kind) return;
    const mine = ++turn;
    shown?.close?.();
    shown = { kind };
    const inner = element("div");
    place.replaceChildren(inner);
    if (kind === "wait") {
      // Only a reloaded page joins without the green room.
      inner.append(remark("Going back into the room …"));
      return;
    }
    if (kind === "parting") {
      inner.append(partingCard(studio.sentAway?.code ?? "", () => {
        studio.sentAway = null;
        look();
      }));
      return;
    }
    const view = await (kind === "room" ? openRoom(inner, room) : openGreenRoom(inner, room, context));
    if (mine === turn) shown = { kind, close: view.close };
    else view.close();
  };
  const look = () => show().catch((error) => console.error(error));
  studio.addEventListener("state", look);
  await show();
  return {
    title: room,
    close: () => {
      turn += 1;
      studio.sentAway = null;
      studio.removeEventListener("state", look);
      shown?.close?.();
    },
  };
}
