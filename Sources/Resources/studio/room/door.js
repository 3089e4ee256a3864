// A room's address: it shows the green room to visitors and the room itself to members.

import { element, remark } from "../base/dom.js";
import { Refusal } from "../base/refusal.js";
import { studio } from "../base/session.js";
import { openGreenRoom } from "./green-room.js";
import { openRoom } from "./room.js";

const isInside = (room) => studio.state.room === room && ["joined", "reconnecting"].includes(studio.phase);

export async function open(place, context) {
  const room = context.parameters.room;
  if (room.startsWith(".")) throw new Refusal("invalid-name", "A room's name cannot begin with a dot.");
  let shown = null, turn = 0;
  const show = async () => {
    const kind = studio.phase === "joining" ? shown?.kind ?? "wait" : isInside(room) ? "room" : "green";
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
      studio.removeEventListener("state", look);
      shown?.close?.();
    },
  };
}
