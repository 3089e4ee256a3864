// The first page: rooms with their members, a form to open a room, and recent takes.

import { read } from "../base/api.js";
import { count, element, remark } from "../base/dom.js";
import { followEvents, gathered } from "../base/events.js";
import { takeTitle } from "../base/header.js";
import { Refusal, sentence } from "../base/refusal.js";
import { roomAddress } from "../base/router.js";
import { takeRow } from "../takes/rows.js";

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

export async function open(place, { query, go }) {
  const rooms = element("ul", { className: "rooms", ariaLabel: "Rooms" });
  const takes = element("div", { className: "takes" });
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
    element("section", { className: "card wide", "aria-labelledby": "recent-title" },
      element("div", { className: "row between" }, element("h2", { id: "recent-title", textContent: "Recent takes" }),
        element("a", { href: "/takes", textContent: "All takes" })),
      takes)));

  let asked = 0;
  const drawRooms = async () => {
    const mine = ++asked;
    const { items } = await read("/v1/rooms");
    // Responses may overtake each other; only the newest request counts.
    if (mine !== asked) return;
    items.sort((one, other) => Number(other.live) - Number(one.live) || one.name.localeCompare(other.name));
    rooms.replaceChildren(...items.map(roomRow));
    if (!items.length) rooms.append(element("li", {}, remark("Nobody has played here yet. Open the first room.")));
  };
  const drawTakes = async () => {
    const { items } = await read(`/v1/takes?limit=${RECENT}`);
    takes.replaceChildren(...items.map((take) => takeRow(take)));
    if (!items.length) takes.append(remark("Nothing yet. Each take appears here a moment after it ends."));
  };
  await Promise.all([drawRooms(), drawTakes()]);
  const refused = (where) => (error) => {
    if (!(error instanceof Refusal)) console.error(error);
    where.replaceChildren(remark(sentence(error.message)));
  };
  const roomsChanged = gathered(() => drawRooms().catch(refused(rooms)));
  const takesChanged = gathered(() => drawTakes().catch(refused(takes)));
  const end = followEvents({
    ...Object.fromEntries(ROOM_EVENTS.map((type) => [type, roomsChanged])),
    ...Object.fromEntries(TAKE_EVENTS.map((type) => [type, takesChanged])),
    reset: () => {
      roomsChanged();
      takesChanged();
    },
  });
  const close = () => {
    end();
    roomsChanged.cancel();
    takesChanged.cancel();
  };
  return { title: null, close };
}

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
