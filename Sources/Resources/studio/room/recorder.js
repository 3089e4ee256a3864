// The take: start, split, stop, its song, and cues.

import { read } from "../base/api.js";
import { button, clock, element, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { backupLine } from "../backup/line.js";

export function openRecorder(place, studio) {
  const song = element("input", { id: "song", maxLength: 200, autocomplete: "off", placeholder: "Autumn Leaves" });
  const songs = element("datalist", { id: "songs" });
  song.setAttribute("list", "songs");
  const start = element("button", { id: "take-start", type: "submit", className: "record", textContent: "Start" });
  const split = button("Split", () => attempt(() => studio.request("takeSplit", { song: song.value.trim() || null })), {
    id: "take-split", className: "quiet", title: "End this take and begin the next without losing a sample",
  });
  const stop = button("Stop", () => attempt(() => studio.request("takeStop")), { id: "take-stop", className: "quiet" });
  const takeForm = element("form", { id: "take-form" },
    element("label", { htmlFor: "song" }, element("span", {}, "Song ", element("small", { textContent: "if it has a name" })), song), songs,
    element("div", { className: "row" }, start, split, stop));
  const cue = element("input", { id: "cue", required: true, maxLength: 200, autocomplete: "off", placeholder: "Cue: bridge" });
  const cueForm = element("form", { id: "cue-form", className: "row" },
    element("label", { className: "grow", htmlFor: "cue" }, element("span", { className: "hidden", textContent: "Text of the cue" }), cue),
    element("button", { type: "submit", className: "quiet", id: "cue-set", textContent: "Cue" }));
  const cues = element("ol", { id: "cues", className: "cues", ariaLabel: "Cues of this take" });
  const disk = element("p", { id: "disk", className: "facts" });
  const copy = backupLine();
  const hint = element("p", { className: "hint" });
  place.append(takeForm, disk, copy.element, cueForm, cues, hint);
  takeForm.hidden = cueForm.hidden = !studio.mayChange;

  takeForm.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => studio.request("takeStart", { song: song.value.trim() || null }));
  });
  cueForm.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (await attempt(() => studio.request("cue", { text: cue.value.trim() }))) cue.value = "";
  });

  let drawn = 0;
  const draw = () => {
    const { take, phase } = studio;
    start.disabled = Boolean(take) || phase !== "joined";
    stop.disabled = split.disabled = !take || phase !== "joined";
    if (studio.cues.length !== drawn) {
      drawn = studio.cues.length;
      cues.replaceChildren(...studio.cues.map(({ position, text }) => element("li", {}, element("time", { textContent: clock(position) }), text)));
    }
    setText(hint, !studio.mayChange ? "You are listening: only musicians start and stop takes." : take ? "Press C to mark this moment, S to split. All keys: ?"
      : studio.policy?.recording === "call" ? "A take begins by itself with the first sound." : "Press R to record. All keys: ?");
    tick();
  };
  const tick = () => {
    const { take, safety } = studio, behind = safety.behind(performance.now() / 1000);
    setText(disk, !take ? "" : behind === null ? "The take begins …"
      : safety.isSafe(performance.now() / 1000) ? `On disk up to ${clock(safety.position)}.`
      : `On disk up to ${clock(safety.position)}; the last ${Math.round(behind)} seconds are not confirmed yet.`);
  };
  const listSongs = () => read("/v1/songs?limit=200").then(({ items }) =>
    songs.replaceChildren(...items.map(({ title }) => element("option", { value: title })))).catch(() => {});
  listSongs();
  studio.addEventListener("state", draw);
  studio.addEventListener("journaled", tick);
  studio.addEventListener("takeFinished", listSongs);
  draw();
  return {
    close: () => {
      copy.close();
      studio.removeEventListener("state", draw);
      studio.removeEventListener("journaled", tick);
      studio.removeEventListener("takeFinished", listSongs);
    },
  };
}
