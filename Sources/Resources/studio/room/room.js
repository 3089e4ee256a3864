// The room: musicians, the take, the shared sheet, messages, and the finished takes.

import { element, setText } from "../base/dom.js";
import { studio } from "../base/session.js";
import { openChat } from "./chat.js";
import { openMusicians } from "./musicians.js";
import { openRecorder } from "./recorder.js";
import { openRecent } from "./recent.js";
import { openSheet } from "./sheet.js";
import { openShortcuts } from "./keys.js";

/** A part of the room: a card with a title. */
const card = (id, title, className = "") => element("section", { className: `card part-${id} ${className}`, "aria-labelledby": `${id}-title` },
  element("h2", { id: `${id}-title`, tabIndex: -1, textContent: title }));

export async function openRoom(place, room) {
  const cards = {
    members: card("members", "In the room"), take: card("take", "Take"), sheet: card("sheet", "Sheet"),
    messages: card("messages", "Messages"), takes: card("takes", "Finished takes", "wide"),
  };
  place.append(element("h1", { className: "hidden", textContent: room }), element("div", { className: "studio", id: "studio" }, Object.values(cards)));
  const parts = [
    openMusicians(cards.members, studio), openRecorder(cards.take, studio), openSheet(cards.sheet, studio),
    openChat(cards.messages, studio), openRecent(cards.takes, room), openShortcuts(place, studio),
  ];
  document.getElementById("members-title").focus({ preventScroll: true });
  setText(document.getElementById("place-link"), `in ${room}`);
  return { close: () => parts.forEach((part) => part.close()) };
}
