// The first page: who plays now, a form to open a room, other rooms, bots, recent takes, and the way to the doctor.

import { read, readAll } from "../base/api.js";
import { count, element, remark } from "../base/dom.js";
import { followEvents, gathered } from "../base/events.js";
import { Refusal, sentence } from "../base/refusal.js";
import { roomAddress } from "../base/router.js";
import { emptyState } from "../base/states.js";
import { takeRow } from "../takes/rows.js";
import { botSection } from "./bots.js";
import { doctorSection } from "./doctor.js";
import { dealt, freeSeats, musiciansOf, roomCard, takeSign } from "./playing-now.js";
import { steps } from "./steps.js";

/** Number of takes listed here; the page of takes has the rest. */
const RECENT = 6;
/** Events that change a room, and events that change a take. A room is empty only once its session has ended. */
const ROOM_EVENTS = [
  "room.joined", "room.left", "room.recordingStarted", "room.recordingStopped", "session.started", "session.ended",
];
const TAKE_EVENTS = [
  "take.started", "take.stopped", "take.split", "take.discarded", "take.ready", "take.incomplete", "take.failed",
  "take.edited", "take.deleted", "take.restored",
];

/** @param {HTMLElement} place @param {ViewContext} context */
export async function open(place, { query, go }) {
  const now = element("ul", { className: "playing-now wide", ariaLabel: "Rooms in which somebody is now", hidden: true });
  const rooms = element("ul", { className: "rooms", ariaLabel: "Rooms" });
  const title = element("h2", { id: "rooms-title" });
  const others = element("section", { className: "card", "aria-labelledby": "rooms-title" }, title, rooms);
  const takes = element("div", { className: "takes" });
  const bots = botSection();
  const operator = doctorSection();
  const name = element("input", {
    id: "room", required: true, maxLength: 64, autocomplete: "off", placeholder: "blue-room", value: query.get("room") ?? "",
  });
  const form = element("form", { id: "open-room", className: "card" },
    element("h2", { textContent: "Open a room" }),
    element("label", { htmlFor: "room" }, "Room", name),
    element("p", { className: "hint", textContent: "Any name opens a room. Send its link to the others." }),
    element("button", { type: "submit", textContent: "To the room" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(roomAddress(name.value.trim()));
  });
  const recent = element("section", { className: "card wide", "aria-labelledby": "recent-title" },
    element("div", { className: "row between" }, element("h2", { id: "recent-title", textContent: "Recent takes" }),
      element("a", { href: "/takes", textContent: "All takes" })),
    takes);
  place.append(element("div", { className: "lobby" },
    element("div", { className: "lobby-head wide" }, element("h1", { textContent: "Come in and play" }),
      element("p", { className: "lead", textContent: "Up to three musicians in a room hear each other, and everyone gets a track of their own." })),
    now, form, others, bots.section, recent, operator.section));

  /** The drawn steps say already how takes come about. */
  const showRecent = () => { recent.hidden = rooms.hidden && !takes.querySelector(".take-row"); };
  let asked = 0;
  const drawRooms = async () => {
    const mine = ++asked;
    /** @type {RoomFact[]} */
    const items = await readAll("/v1/rooms");
    // Responses may overtake each other; only the newest request counts.
    if (mine !== asked) return;
    items.sort((one, other) => Number(other.live) - Number(one.live) || one.name.localeCompare(other.name));
    const [cards, rows] = dealt(items);
    const had = now.contains(document.activeElement) ? /** @type {HTMLAnchorElement} */ (document.activeElement) : null;
    now.replaceChildren(...cards.map(roomCard));
    if (had) [...now.querySelectorAll("a")].find((link) => link.href === had.href && link.className === had.className)?.focus();
    now.hidden = !cards.length;
    title.textContent = !items.length ? "Nobody has played here yet" : cards.length ? "Other rooms" : "Rooms";
    rooms.hidden = !items.length;
    rooms.replaceChildren(...rows.map(roomRow));
    if (!rows.length) rooms.append(element("li", {}, remark("None besides. Any name opens another one.")));
    others.querySelector(".steps")?.remove();
    if (!items.length) others.append(steps());
    showRecent();
  };
  const drawTakes = async () => {
    /** @type {Page<Take>} */
    const { items } = await read(`/v1/takes?limit=${RECENT}`);
    takes.replaceChildren(...items.map((take) => takeRow(take)));
    if (!items.length) takes.append(emptyState("No takes yet",
      "Recording begins by itself when somebody plays. Each take appears here a moment after it ends."));
    showRecent();
  };
  await Promise.all([drawRooms(), drawTakes(), bots.draw(), operator.draw()]);
  /** @param {HTMLElement} where */
  const refused = (where) => (/** @type {any} */ error) => {
    if (!(error instanceof Refusal)) console.error(error);
    where.hidden = false;
    where.replaceChildren(remark(sentence(error.message)));
  };
  const roomsChanged = gathered(() => drawRooms().catch(refused(rooms)));
  const takesChanged = gathered(() => drawTakes().catch(refused(takes)));
  const botsChanged = gathered(() => bots.draw());
  const allChanged = () => {
    roomsChanged();
    takesChanged();
    botsChanged();
  };
  const end = followEvents({
    "bot.changed": botsChanged,
    ...Object.fromEntries(ROOM_EVENTS.map((type) => [type, roomsChanged])),
    ...Object.fromEntries(TAKE_EVENTS.map((type) => [type, takesChanged])),
    open: allChanged, reset: allChanged,
  });
  const close = () => {
    end();
    roomsChanged.cancel();
    takesChanged.cancel();
    botsChanged.cancel();
  };
  return { title: null, close };
}

/** @param {RoomFact} room */
function roomRow(room) {
  const musicians = musiciansOf(room), listeners = room.members.length - musicians.length, seats = freeSeats(room);
  const names = musicians.map((member) => member.participant.name + (member.part ? ` (${member.part})` : ""));
  const facts = [
    names.join(", ") || (listeners ? "Nobody is playing" : "Empty"),
    listeners ? count(listeners, "listener") : null,
    seats === 0 ? "full" : seats !== null && musicians.length ? `${count(seats, "seat")} free` : null,
  ];
  const row = element("li", { className: "room-row" },
    element("a", { href: roomAddress(room.name), textContent: room.name, title: room.name }),
    element("span", { className: "facts", textContent: facts.filter(Boolean).join(" · ") }));
  if (room.take) row.append(takeSign(room.take));
  return row;
}
