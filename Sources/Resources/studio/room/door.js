// A room's address: it shows the green room to visitors and the room itself to members.

import { element, remark } from "../base/dom.js";
import { Refusal } from "../base/refusal.js";
import { studio } from "../base/session.js";
import { asRefusal, partingCard, stateCard } from "../base/states.js";
import { openGreenRoom } from "./green-room.js";

/** The room itself is large, and is loaded while the visitor is in the green room. */
const load = () => import("./room.js");

/** @param {string} room */
const isInside = (room) => studio.state.room === room && ["joined", "reconnecting"].includes(studio.phase);

/** @param {HTMLElement} place @param {ViewContext} context */
export async function open(place, context) {
  const room = context.parameters.room;
  if (room.startsWith(".")) throw new Refusal("invalid-name", "A room's name cannot begin with a dot.");
  /** @type {{ kind: string, close?(): unknown } | null} */
  let shown = null;
  let turn = 0;
  /** @param {HTMLElement} inner @param {number} mine */
  const enter = async (inner, mine) => {
    const wait = remark("Going into the room …");
    inner.append(wait);
    const { openRoom } = await load();
    wait.remove();
    return mine === turn ? openRoom(inner, room) : null;
  };
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
    const view = await (kind === "room" ? enter(inner, mine) : openGreenRoom(inner, room, context));
    if (mine === turn) shown = { kind, close: view?.close };
    else view?.close();
    // A failure is told when the room is needed.
    if (kind === "green") load().catch(() => {});
  };
  /** The musician is in the room and heard, but sees nothing of it.
   * @param {any} error */
  const explain = async (error) => {
    console.error(error);
    const mine = turn;
    const refusal = await asRefusal(error);
    if (mine === turn) place.replaceChildren(stateCard(refusal));
  };
  const look = () => show().catch(explain);
  studio.addEventListener("state", look);
  try {
    await show();
  } catch (error) {
    studio.removeEventListener("state", look);
    throw error;
  }
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
