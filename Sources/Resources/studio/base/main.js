// The web studio's page: the routes, the header shared by all views, and the hook for console and tests.

import { backups } from "../backup/backups.js";
import { keepAwake } from "../room/awake.js";
import { find } from "./dom.js";
import { tabMemory } from "./memory.js";
import { adoptAccess } from "./access.js";
import { attempt, showProblem, wireNotices } from "./notices.js";
import { Header } from "./header.js";
import { Refusal } from "./refusal.js";
import { roomAddress, Router } from "./router.js";
import { studio } from "./session.js";
import { partingWords } from "./states.js";

/** Older links have the room in the query; redirect them to the room's own address. */
function adoptQuery() {
  const query = new URLSearchParams(location.search);
  const room = location.pathname === "/" ? query.get("room") : null;
  if (!room || room.startsWith(".")) return;
  query.delete("room");
  history.replaceState(null, "", roomAddress(room) + (query.size ? `?${query}` : "") + location.hash);
}

const place = find("view");
wireNotices();
// Everything below needs it already.
await adoptAccess(place);
adoptQuery();

const router = new Router(place, [
  ["/", () => import("../lobby/lobby.js")],
  ["/rooms/:room", () => import("../room/door.js")],
  ["/takes", () => import("../takes/list.js")],
  ["/takes/:take", () => import("../takes/take.js")],
  ["/doctor", () => import("../lobby/doctor.js")],
]);
new Header(studio, router);
backups.watch(studio);
keepAwake(studio);

/** Joins a room from anywhere in the page: shows its address, then its view.
 * @param {JoinOptions} options */
async function join(options) {
  // The server refuses other invalid names with a sentence, but "." and ".." cannot be part of an address.
  if (options.room.startsWith(".")) throw new Refusal("invalid-name", "A room's name cannot begin with a dot.");
  const state = await studio.join(options);
  if (location.pathname !== roomAddress(options.room)) await router.go(roomAddress(options.room));
  return state;
}

studio.addEventListener("problem", ({ detail }) => showProblem(detail));
// The room's own address shows a card (room/door.js).
studio.addEventListener("sent-away", ({ detail: { room, code } }) => {
  if (!room || location.pathname !== roomAddress(room)) showProblem(partingWords(code));
});
document.addEventListener("click", () => studio.sound?.ears.resume());

/**
 * `jamjar.join({name, room, part, consent, wav: "/piano.wav"})`, `jamjar.leave()`, `jamjar.state`, `jamjar.request(…)`;
 * `jamjar.events` is an EventTarget of the server's events; `await jamjar.until((state) => state.take)` waits.
 */
window.jamjar = {
  get state() { return studio.state; },
  get stream() { return studio.stream; },
  events: studio,
  studio,
  backups,
  join,
  leave: () => studio.leave(),
  /** @type {Ask} */
  request: (method, params) => studio.request(method, params),
  /** @param {string} id */
  level: (id) => studio.level(id),
  go: router.go,
  /** @param {(state: StudioState) => unknown} condition */
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

// A reloaded page goes back to its seat, which the server holds for the grace period. The address alone decides the
// view, which follows the studio while it reconnects.
const seat = tabMemory.read("seat");
const [arrival] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
if (seat && arrival?.type === "reload") attempt(() => studio.join(seat));
router.show();

// Uploads left behind by closed tabs.
backups.resume().catch(() => {});

// Where the server cannot be reached, a page says so. Browsers have no workers on insecure pages.
// Nothing that a musician waits for comes after it.
const idle = window.requestIdleCallback ?? ((work) => setTimeout(work, 3_000));
idle(() => navigator.serviceWorker?.register("/offline-worker.js").catch(() => {}));
