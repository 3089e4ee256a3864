// The first page: rooms with their members, a form to open a room, bots, recent takes, and the way to the doctor.

import { read, readAll } from "../base/api.js";
import { button, count, element, remark } from "../base/dom.js";
import { followEvents, gathered } from "../base/events.js";
import { takeTitle } from "../base/header-words.js";
import { Refusal, sentence } from "../base/refusal.js";
import { roomAddress } from "../base/router.js";
import { emptyState } from "../base/states.js";
import { takeRow } from "../takes/rows.js";
import { botSection } from "./bots.js";
import { doctorSection } from "./doctor.js";

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
  const rooms = element("ul", { className: "rooms", ariaLabel: "Rooms" });
  const takes = element("div", { className: "takes" });
  const bots = botSection();
  const operator = doctorSection();
  const name = element("input", {
    id: "room", required: true, maxLength: 64, autocomplete: "off", placeholder: "blue-room", value: query.get("room") ?? "",
  });
  const form = element("form", { id: "open-room", className: "card" },
    element("h1", { textContent: "Come in and play" }),
    element("p", { className: "lead", textContent: "Up to three musicians in a room hear each other, and everyone gets a track of their own." }),
    element("label", { htmlFor: "room" }, "Room", name),
    element("p", { className: "hint", textContent: "Any name opens a room. Send its link to the others." }),
    element("button", { type: "submit", textContent: "To the room" }));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    go(roomAddress(name.value.trim()));
  });
  place.append(element("div", { className: "lobby" },
    form,
    element("section", { className: "card", "aria-labelledby": "rooms-title" }, element("h2", { id: "rooms-title", textContent: "Rooms" }), rooms),
    bots.section,
    element("section", { className: "card wide", "aria-labelledby": "recent-title" },
      element("div", { className: "row between" }, element("h2", { id: "recent-title", textContent: "Recent takes" }),
        element("a", { href: "/takes", textContent: "All takes" })),
      takes),
    operator.section));

  let asked = 0;
  const drawRooms = async () => {
    const mine = ++asked;
    /** @type {RoomFact[]} */
    const items = await readAll("/v1/rooms");
    // Responses may overtake each other; only the newest request counts.
    if (mine !== asked) return;
    items.sort((one, other) => Number(other.live) - Number(one.live) || one.name.localeCompare(other.name));
    rooms.replaceChildren(...items.map(roomRow));
    if (!items.length) rooms.append(element("li", {}, emptyState("Nobody has played here yet",
      "Give a room a name and send its link to the others.", button("Open the first room", () => name.focus(), { className: "quiet" }))));
  };
  const drawTakes = async () => {
    /** @type {Page<Take>} */
    const { items } = await read(`/v1/takes?limit=${RECENT}`);
    takes.replaceChildren(...items.map((take) => takeRow(take)));
    if (!items.length) takes.append(emptyState("No takes yet",
      "Recording begins by itself when somebody plays. Each take appears here a moment after it ends."));
  };
  await Promise.all([drawRooms(), drawTakes(), bots.draw(), operator.draw()]);
  /** @param {HTMLElement} where */
  const refused = (where) => (/** @type {any} */ error) => {
    if (!(error instanceof Refusal)) console.error(error);
    where.replaceChildren(remark(sentence(error.message)));
  };
  const roomsChanged = gathered(() => drawRooms().catch(refused(rooms)));
  const takesChanged = gathered(() => drawTakes().catch(refused(takes)));
  const botsChanged = gathered(() => bots.draw());
  const end = followEvents({
    "bot.changed": botsChanged,
    ...Object.fromEntries(ROOM_EVENTS.map((type) => [type, roomsChanged])),
    ...Object.fromEntries(TAKE_EVENTS.map((type) => [type, takesChanged])),
    reset: () => {
      roomsChanged();
      takesChanged();
      botsChanged();
    },
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
  const musicians = room.members.filter((member) => member.role === "musician");
  const listeners = room.members.length - musicians.length;
  const names = musicians.map((member) => member.participant.name + (member.part ? ` (${member.part})` : ""));
  const seats = room.policy ? room.policy.capacity - musicians.length : null;
  const facts = [
    names.join(", ") || (listeners ? "Nobody is playing" : "Empty"),
    listeners ? count(listeners, "listener") : null,
    seats === 0 ? "full" : seats !== null && musicians.length ? `${count(seats, "seat")} free` : null,
  ];
  const row = element("li", { className: "room-row" },
    element("a", { href: roomAddress(room.name), textContent: room.name }),
    element("span", { className: "facts", textContent: facts.filter(Boolean).join(" · ") }));
  if (room.take) {
    row.append(element("span", { className: "recording small", dataset: { rolling: "true" } },
      element("span", { className: "lamp", ariaHidden: "true" }), `Recording · ${takeTitle(room.take)}`));
  }
  return row;
}
