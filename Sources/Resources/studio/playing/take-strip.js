// The last take of the room: listen, rate, keep or discard it without leaving.

import { path, read, readBytes, send } from "../base/api.js";
import { button, clock, element, setText } from "../base/dom.js";
import { attempt, showProblem } from "../base/notices.js";
import { favouriteButton, ratingField } from "../takes/about-take.js";
import { Outline } from "../takes/outline.js";
import { Peaks } from "../takes/peaks.js";
import { Preview } from "../takes/preview.js";
import { isFinished, takeName } from "../takes/take-words.js";

/** @param {HTMLElement} place @param {Studio} studio @param {string} room */
export function openTakeStrip(place, studio, room) {
  const preview = new Preview();
  /** @type {Take | null} */
  let take = null;
  /** @type {Outline | null} */
  let outline = null;
  const name = element("a", { className: "name" });
  const who = element("p", { className: "facts" });
  const play = button("Play", () => attempt(() => take && preview.toggle(take)), { className: "play-last" });
  const head = element("span", { className: "playhead", hidden: true, ariaHidden: "true" });
  const wave = element("div", { className: "strip-wave" }, head);
  wave.addEventListener("click", (event) => {
    const box = wave.getBoundingClientRect();
    const shown = take;
    if (shown) attempt(() => preview.toggle(shown, (event.clientX - box.left) / box.width));
  });
  /** What somebody else has changed meanwhile wins nothing here: the answer is what is shown.
   * @param {object} change */
  const edit = (change) => attempt(async () => {
    if (!take) return;
    const { id } = take, answer = await send("PATCH", path("takes", id), change);
    // The next take may have been finished meanwhile.
    if (take?.id === id) show({ ...take, ...answer });
  });
  const heart = favouriteButton(() => edit({ favourite: !take?.favourite }));
  const rating = ratingField((value) => edit({ rating: value }));
  const discard = button("Discard", () => attempt(async () => {
    if (!take) return;
    const { id } = take;
    if (preview.state !== "stopped") await preview.toggle(take);
    await send("DELETE", path("takes", id));
    setText(gone, "The take is in the trash. ");
    gone.append(button("Undo", () => attempt(async () => {
      await send("POST", path("takes", id, "restore"));
      setText(gone, "");
      await look();
    }), { className: "quiet small" }));
    await look();
  }), { className: "quiet small" });
  const gone = element("p", { className: "facts", role: "status" });
  const strip = element("div", { className: "take-strip" }, play,
    element("div", { className: "strip-about" }, element("div", { className: "row between" }, name, element("div", { className: "marks" }, rating.node, heart.node, discard)), wave, who));
  place.append(strip, gone);
  for (const node of [rating.node, heart.node]) node.hidden = !studio.mayChange;
  // Only those who may delete takes (docs/rest.md, section 7).
  discard.hidden = !studio.mayChange || !["owner", "operator"].includes(studio.role);

  /** @param {Take | null} next */
  const show = (next) => {
    const isOther = take?.id !== next?.id || take?.state !== next?.state;
    take = next;
    strip.hidden = !take;
    if (!take) return;
    setText(name, takeName(take));
    name.href = `/takes/${take.id}`;
    heart.show(take.favourite);
    rating.show(take.rating);
    play.disabled = !isFinished(take);
    discard.ariaLabel = `Discard ${takeName(take)}: it goes to the trash`;
    if (isOther) draw(take).catch((error) => showProblem(error.message));
  };
  /** The outline and the names of the musicians.
   * @param {Take} drawn */
  const draw = async (drawn) => {
    outline?.close();
    const mine = outline = new Outline(`Waveform of ${takeName(drawn)}`);
    mine.show(0, drawn.duration ?? 1);
    wave.replaceChildren(mine.node, head);
    /** @type {Page<Track>} */
    const { items } = await read(path("takes", drawn.id, "tracks"));
    if (take?.id !== drawn.id) return;
    const names = items.map(({ participant, part }) => participant.name + (part ? ` (${part})` : ""));
    setText(who, [clock(drawn.duration ?? 0), names.join(", ")].filter(Boolean).join(" · "));
    if (isFinished(drawn)) mine.peaks = new Peaks(await readBytes(path("takes", drawn.id, "peaks")));
  };
  let asked = 0;
  const look = async () => {
    const mine = ++asked;
    /** @type {Page<Take>} */
    const { items } = await read(`/v1/takes?limit=6&room=${encodeURIComponent(room)}`);
    if (mine === asked) show(items.find((one) => ["ready", "incomplete"].includes(one.state)) ?? null);
  };
  const finished = () => {
    setText(gone, "");
    attempt(look);
  };
  const follow = () => {
    const isPlaying = preview.state !== "stopped";
    setText(play, isPlaying ? "Pause" : "Play");
    head.hidden = preview.share === 0 && !isPlaying;
    head.style.transform = `translateX(${100 * Math.min(1, preview.share)}%)`;
  };
  preview.addEventListener("change", follow);
  preview.addEventListener("report", follow);
  preview.addEventListener("problem", ({ detail }) => showProblem(detail.message));
  studio.addEventListener("takeFinished", finished);
  strip.hidden = true;
  look().catch(() => {});
  return {
    /** Makes the last take a favourite. */
    keep: () => (take && !take.favourite ? edit({ favourite: true }) : undefined),
    close: () => {
      studio.removeEventListener("takeFinished", finished);
      outline?.close();
      preview.close();
    },
  };
}
