// Rooms in which somebody is now, as cards: who plays, whether it is recorded, and the way in.

import { count, element } from "../base/dom.js";
import { takeTitle } from "../base/header-words.js";
import { roomAddress } from "../base/router.js";
import { studio } from "../base/session.js";

/** Most rooms as cards; a service with more of them lists the rest. */
const CARDS = 3;
/** Most free seats that are drawn; more are only counted. */
const DRAWN = 4;

/** @param {RoomFact} room */
export const musiciansOf = (room) => room.members.filter((member) => member.role === "musician");

/** The sign of a take that rolls, with its name.
 * @param {RollingTake} take */
export const takeSign = (take) => element("span", { className: "recording small", dataset: { rolling: "true" } },
  element("span", { className: "lamp", ariaHidden: "true" }), `Recording · ${takeTitle(take)}`);

/** Seats that are free; null where nobody has said how many there are.
 * @param {RoomFact} room */
export const freeSeats = (room) => (room.policy ? Math.max(0, room.policy.capacity - musiciansOf(room).length) : null);

/** Which rooms are cards, and which rows: those with most musicians come first. Pure.
 * @param {RoomFact[]} rooms @returns {[cards: RoomFact[], rows: RoomFact[]]} */
export function dealt(rooms) {
  const cards = rooms.filter((room) => room.members.length)
    .sort((one, other) => musiciansOf(other).length - musiciansOf(one).length).slice(0, CARDS);
  return [cards, rooms.filter((room) => !cards.includes(room))];
}

/** @param {Member} member */
const seat = ({ participant, part, connected }) => element("li", { className: "seat", dataset: { away: String(!connected) } },
  element("span", { className: "initial", ariaHidden: "true", textContent: [...participant.name][0]?.toUpperCase() ?? "" }),
  element("span", { className: "seat-name" }, element("strong", { textContent: participant.name, title: participant.name }),
    connected ? null : " ", connected ? null : element("small", { textContent: "away" }),
    part ? " " : null, part ? element("small", { textContent: part, title: part }) : null));

/** @param {RoomFact} room */
export function roomCard(room) {
  const musicians = musiciansOf(room), listeners = room.members.length - musicians.length, free = freeSeats(room);
  const isMine = studio.state.room === room.name && studio.phase !== "idle";
  const way = isMine ? "Back to the room" : free === 0 ? "Listen" : "Join";
  const open = Array.from({ length: Math.min(DRAWN, free ?? 0) }, () =>
    element("li", { className: "seat free", ariaHidden: "true" }, element("span", { className: "initial" })));
  const facts = [
    musicians.length ? null : "Nobody is playing", free === 0 ? "Full" : free === null ? null : `${count(free, "seat")} free`,
    listeners ? count(listeners, "listener") : null,
  ];
  return element("li", { className: "card room-row room-card", dataset: { rolling: String(Boolean(room.take)) } },
    element("div", { className: "room-title" }, element("h2", {}, element("a", { href: roomAddress(room.name), textContent: room.name, title: room.name })),
      room.take ? takeSign(room.take) : element("span", { className: "facts", textContent: "Not recording" })),
    element("a", {
      className: free === 0 && !isMine ? "button quiet join-room" : "button join-room", href: roomAddress(room.name), textContent: way,
      "aria-label": isMine ? way : `${way}: ${room.name}`,
    }),
    element("ul", { className: "seats", ariaLabel: "Who plays" }, musicians.map(seat), open,
      element("li", { className: "facts", textContent: facts.filter(Boolean).join(" · ") })));
}
