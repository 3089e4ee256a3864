// The web studio's page: which view stands where, the header that all views share, and the hook for console and tests.

import { backups } from "../backup/backups.js";
import { keepAwake } from "../room/awake.js";
import { tabMemory } from "./memory.js";
import { takeAccessFromAddress } from "./access.js";
import { attempt, showProblem, wireNotices } from "./notices.js";
import { Header } from "./header.js";
import { Refusal } from "./refusal.js";
import { roomAddress, Router } from "./router.js";
import { studio } from "./session.js";

/** Links of before had the room in the query; they lead to the room's own address. */
function adoptQuery() {
  const query = new URLSearchParams(location.search);
  const room = location.pathname === "/" ? query.get("room") : null;
  if (!room || room.startsWith(".")) return;
  query.delete("room");
  history.replaceState(null, "", roomAddress(room) + (query.size ? `?${query}` : ""));
}

takeAccessFromAddress();
adoptQuery();
wireNotices();

const router = new Router(document.getElementById("view"), [
  ["/", () => import("../lobby/lobby.js")],
  ["/rooms/:room", () => import("../room/door.js")],
  ["/takes", () => import("../takes/list.js")],
  ["/takes/:take", () => import("../takes/take.js")],
]);
new Header(studio, router);
backups.watch(studio);
keepAwake(studio);

/** Comes into a room from anywhere in the page: its address is shown, and then its view. */
async function join(options) {
  // Other names are refused by the server in words, but of "." and ".." no address can be made.
  if (options.room.startsWith(".")) throw new Refusal("invalid-name", "A room's name cannot begin with a dot.");
  const state = await studio.join(options);
  if (location.pathname !== roomAddress(options.room)) await router.go(roomAddress(options.room));
  return state;
}

studio.addEventListener("problem", ({ detail }) => showProblem(detail));
document.addEventListener("click", () => studio.sound?.resume());

/**
 * `jamjar.join({name, room, part, consent, wav: "/piano.wav"})`, `jamjar.leave()`, `jamjar.state`, `jamjar.request(…)`;
 * `jamjar.events` is an EventTarget of the server's events; `await jamjar.until((state) => state.take)` waits.
 */
window.jamjar = {
  get state() { return studio.state; },
  get stream() { return studio.stream; },
  events: studio,
  studio,
  join,
  leave: () => studio.leave(),
  request: (method, params) => studio.request(method, params),
  level: (id) => studio.level(id),
  go: router.go,
  until: (condition) => new Promise((resolve) => {
    const look = () => {
      if (!condition(studio.state)) return;
      studio.removeEventListener("state", look);
      resolve(studio.state);
    };
    studio.addEventListener("state", look);
    look();
  }),
};

// A page that was loaded anew goes back to its seat; the server holds it for the grace period. What is shown is the address's
// alone, here as everywhere: its view follows the studio on its way back.
const seat = tabMemory.read("seat");
const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload";
if (seat && isReload) attempt(() => studio.join(seat));
router.show();

// What a tab that was closed had not sent yet.
backups.resume().catch(() => {});
