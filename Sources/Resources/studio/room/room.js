// The room: musicians, the take, the latest takes, the shared sheet and messages.

import { element, find, setText } from "../base/dom.js";
import { studio } from "../base/session.js";
import { openActions } from "../playing/actions.js";
import { openTopology } from "../mesh/topology.js";
import { openBacking } from "../playing/backing-card.js";
import { openStage } from "../playing/stage.js";
import { openTakeStrip } from "../playing/take-strip.js";
import { openTuner } from "../tuner/room-tuner.js";
import { openChat } from "./chat.js";
import { openMusicians } from "./musicians.js";
import { openRecorder } from "./recorder.js";
import { openSheet } from "./sheet.js";

/** A part of the room: a card with a title.
 * @param {string} id @param {string} title @param {string} [className] */
const card = (id, title, className = "") => element("section", { className: `card part-${id} ${className}`, "aria-labelledby": `${id}-title` },
  element("h2", { id: `${id}-title`, tabIndex: -1, textContent: title }));

/** @param {HTMLElement} place @param {string} room */
export async function openRoom(place, room) {
  const cards = {
    members: card("members", "In the room"), take: card("take", "Take"), last: card("last", "Latest takes"), sheet: card("sheet", "Sheet"),
    backing: card("backing", "Backing track"),
    messages: card("messages", "Messages"),
  };
  place.append(element("h1", { className: "hidden", textContent: room }), element("div", { className: "studio", id: "studio" },
    element("div", { className: "column" }, cards.members, cards.last, cards.sheet), element("div", { className: "column" }, cards.take, cards.backing, cards.messages)));
  const tuner = openTuner(studio), stage = openStage(place, studio, () => actions.showKeys(), tuner.button, find("studio"));
  const recorder = openRecorder(cards.take, studio);
  find("studio").before(recorder.band);
  const strip = openTakeStrip(cards.last, studio, room);
  const actions = openActions(place, studio, {
    ...recorder, keep: strip.keep, toggleStage: stage.toggle, turn: stage.turn, tune: tuner.toggle, talk: stage.hold, mute: () => { studio.isMuted = !studio.isMuted; },
  });
  const sheet = openSheet(cards.sheet, studio);
  stage.follow(sheet.text);
  const parts = [
    actions, stage, tuner, openMusicians(cards.members, studio, tuner.node), openTopology(cards.members, studio), recorder, strip, sheet,
    openChat(cards.messages, studio), openBacking(cards.backing, studio, room),
  ];
  find("members-title").focus({ preventScroll: true });
  setText(find("place-link"), `in ${room}`);
  return { close: () => parts.forEach((part) => part.close()) };
}
