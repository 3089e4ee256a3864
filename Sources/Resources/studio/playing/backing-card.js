// The room's backing tracks: add, choose, play from any place, stop, delete. Everybody hears them, no track has them.

import { path, read, send } from "../base/api.js";
import { button, clock, element, setText } from "../base/dom.js";
import { attempt, showNotice } from "../base/notices.js";
import { sentence } from "../base/refusal.js";
import { addBacking } from "./backing-upload.js";
import { BackingPlayer } from "./backing.js";

/** Milliseconds between two looks at the place. */
const TICK = 250;

/** @typedef {{ id: string, title: string, duration: number }} Backing */

/** @param {HTMLElement} place @param {Studio} studio @param {string} room */
export function openBacking(place, studio, room) {
  const player = new BackingPlayer(studio, room);
  // For measurements and tests, as the deck.
  Object.assign(window, { jamjarBacking: player });
  /** @type {Backing[]} */
  let items = [];
  let isSending = false;
  /** Whether the slider is in somebody's hand, and whether the card says that something plays. */
  let isSeeking = false, wasPlaying = false;
  const file = element("input", { type: "file", id: "backing-file", accept: "audio/*,.wav,.flac,.mp3,.opus,.ogg,.m4a,.aac", hidden: true });
  const add = button("Add a file …", () => file.click(), { id: "backing-add", className: "quiet" });
  const list = element("select", { id: "backing-list" });
  const chosen = () => items.find(({ id }) => id === list.value);
  const start = button("Play for everybody", () => attempt(() => play(0)), { id: "backing-play" });
  const stop = button("Stop", () => attempt(() => send("DELETE", path("rooms", room, "backing"))), { id: "backing-stop", className: "quiet" });
  const remove = button("Delete", () => attempt(async () => {
    await send("DELETE", path("rooms", room, "backings", list.value));
  }), { id: "backing-delete", className: "quiet small" });
  const seek = element("input", { id: "backing-place", type: "range", min: 0, step: 1, value: 0 });
  const volume = element("input", { id: "backing-volume", type: "range", min: 0, max: 1, step: 0.05, value: player.volume });
  const words = element("p", { id: "backing-words", className: "facts", role: "status" });
  const time = element("span", { className: "facts", ariaHidden: "true" });
  const chooser = element("label", { htmlFor: "backing-list" }, element("span", { className: "hidden", textContent: "Backing track" }), list);
  const controls = element("div", { className: "row" }, start, stop, add, remove);
  const seekLabel = element("label", { htmlFor: "backing-place" }, element("span", {}, "Place ", time), seek);
  const volumeLabel = element("label", { htmlFor: "backing-volume" }, "Volume, for you alone", volume);
  place.append(chooser, controls, file, words, seekLabel, volumeLabel);

  /** @param {number} from */
  const play = (from, backing = list.value) => send("PUT", path("rooms", room, "backing"), { backing, from });
  const draw = () => {
    const { mayChange } = studio, isPlaying = player.position !== null, isEmpty = items.length === 0;
    wasPlaying = isPlaying;
    // A listener has nothing to do with an empty list.
    place.hidden = isEmpty && !mayChange;
    chooser.hidden = start.hidden = stop.hidden = remove.hidden = isEmpty;
    add.hidden = !mayChange;
    add.disabled = isSending;
    start.hidden ||= !mayChange;
    stop.hidden ||= !mayChange;
    remove.hidden ||= !mayChange;
    stop.disabled = !isPlaying;
    seekLabel.hidden = volumeLabel.hidden = isEmpty;
    seek.disabled = !mayChange;
    setText(words, isSending ? "Sending the file …"
      : isPlaying && player.problem !== null ? `The others hear “${player.play?.title}”, you do not: ${sentence(player.problem)}`
      : isPlaying ? `Everybody hears “${player.play?.title}”. It is in no track.`
        : isEmpty ? "Music to play along with: everybody hears it at the same time, and it is in no track." : "");
    tick();
  };
  const tick = () => {
    const position = player.position;
    if ((position !== null) !== wasPlaying) return draw();
    const duration = (position === null ? chosen()?.duration : player.play?.duration) ?? 0;
    seek.max = String(Math.max(1, Math.floor(duration)));
    if (!isSeeking) seek.value = String(position ?? 0);
    setText(time, `${clock(position ?? 0)} of ${clock(duration)}`);
    return undefined;
  };
  /** The list and what is heard, as the server has it. */
  const look = async () => {
    if (studio.phase !== "joined") return;
    const [known, heard] = await Promise.all([read(path("rooms", room, "backings")), read(path("rooms", room, "backing"))]);
    show(known.items);
    await player.follow(heard.playing);
  };
  /** @param {Backing[]} next */
  const show = (next) => {
    const former = list.value, added = next.at(-1)?.id, isNew = next.length > items.length;
    items = next;
    list.replaceChildren(...items.map(({ id, title, duration }) => element("option", { value: id, textContent: `${title} (${clock(duration)})` })));
    list.value = items.some(({ id }) => id === former) && !isNew ? former : added ?? "";
    if (list.value) player.prepare(list.value).catch(() => {});
    draw();
  };
  file.addEventListener("change", () => attempt(async () => {
    const sent = file.files?.[0];
    if (!sent) return;
    isSending = true;
    draw();
    try {
      const { title } = await addBacking(room, sent);
      showNotice(`“${title}” is a backing track of this room.`);
    } finally {
      isSending = false;
      file.value = "";
      draw();
    }
  }));
  list.addEventListener("change", () => { player.prepare(list.value).catch(() => {}); draw(); });
  seek.addEventListener("input", () => { isSeeking = true; });
  // The place is one of what is heard, even if another backing track is chosen in the list.
  seek.addEventListener("change", () => attempt(async () => {
    isSeeking = false;
    await play(Number(seek.value), player.position === null ? list.value : player.play?.backing);
  }));
  volume.addEventListener("input", () => { player.volume = Number(volume.value); });

  // What is heard comes with the event; the list may have changed too.
  const told = (/** @type {CustomEvent<{ playing: unknown }>} */ { detail }) => {
    player.follow(detail.playing);
    read(path("rooms", room, "backings")).then((known) => show(known.items)).catch(() => {});
  };
  let wasJoined = false;
  const state = () => {
    const isJoined = studio.phase === "joined";
    if (isJoined && !wasJoined) look().catch(() => {});
    wasJoined = isJoined;
    draw();
  };
  player.addEventListener("change", draw);
  studio.addEventListener("backing", told);
  studio.addEventListener("state", state);
  const timer = setInterval(tick, TICK);
  state();
  return {
    close: () => {
      clearInterval(timer);
      studio.removeEventListener("backing", told);
      studio.removeEventListener("state", state);
      player.close();
    },
  };
}
