// The take: start (with a count-in), split, stop and its song, in the band across the room; cues below.

import { read } from "../base/api.js";
import { button, clock, element, setText } from "../base/dom.js";
import { memory } from "../base/memory.js";
import { attempt } from "../base/notices.js";
import { backupLine } from "../backup/line.js";
import { CountIn, TEMPI } from "../playing/count-in.js";
import { openBand } from "../playing/band.js";

/** @param {HTMLElement} place @param {Studio} studio */
export function openRecorder(place, studio) {
  const song = element("input", { id: "song", maxLength: 200, autocomplete: "off", placeholder: "Autumn Leaves" });
  const songs = element("datalist", { id: "songs" });
  song.setAttribute("list", "songs");
  const start = element("button", { id: "take-start", type: "submit", className: "record", textContent: "Start" });
  const split = button("Split", () => attempt(() => does.split()), {
    id: "take-split", className: "quiet", title: "End this take and begin the next without losing a sample",
  });
  const stop = button("Stop", () => attempt(() => studio.request("takeStop")), { id: "take-stop", className: "quiet" });
  const bars = element("select", { id: "count-bars" },
    [["0", "No count-in"], ["1", "1 bar"], ["2", "2 bars"]].map(([value, textContent]) => element("option", { value, textContent, selected: value === memory.read("count-bars", "0") })));
  const tempo = element("input", { id: "count-tempo", type: "number", min: TEMPI.least, max: TEMPI.most, value: memory.read("count-tempo", TEMPI.usual) });
  const tempoLabel = element("label", { htmlFor: "count-tempo", className: "tempo" }, "Beats a minute", tempo);
  const takeForm = element("form", { id: "take-form" },
    element("label", { htmlFor: "song", className: "grow" }, element("span", {}, "Song ", element("small", { textContent: "if it has a name" })), song), songs,
    start, split, stop);
  const countIn = element("div", { className: "row count-in" }, element("label", { htmlFor: "count-bars" }, "Count-in", bars), tempoLabel);
  const band = openBand(studio, takeForm);
  const cue = element("input", { id: "cue", required: true, maxLength: 200, autocomplete: "off", placeholder: "Cue: bridge" });
  const cueForm = element("form", { id: "cue-form", className: "row" },
    element("label", { className: "grow", htmlFor: "cue" }, element("span", { className: "hidden", textContent: "Text of the cue" }), cue),
    element("button", { type: "submit", className: "quiet", id: "cue-set", textContent: "Cue" }));
  const cues = element("ol", { id: "cues", className: "cues", ariaLabel: "Cues of this take" });
  const copy = backupLine();
  const hint = element("p", { className: "hint" });
  place.append(countIn, copy.element, cueForm, cues, hint);
  takeForm.hidden = countIn.hidden = cueForm.hidden = hint.hidden = !studio.mayChange;

  const title = () => song.value.trim();
  const count = new CountIn(studio);
  /** @param {string} text */
  const setCue = (text) => studio.request("cue", { text });
  const does = {
    start: async () => {
      if (studio.take || count.isCounting) return;
      const begin = () => studio.request("takeStart", { song: title() || null });
      if (bars.value === "0" || !tempo.checkValidity()) return begin();
      await count.begin(Number(bars.value), Number(tempo.value), () => attempt(begin));
      draw();
    },
    split: () => (studio.take ? studio.request("takeSplit", { song: title() || null }) : null),
    /** The text in the cue field, or the cue's number if it is empty. */
    cue: async () => {
      if (!studio.take) return;
      const text = cue.value.trim();
      await setCue(text || `Cue ${studio.cues.length + 1}`);
      if (text) cue.value = "";
    },
  };
  takeForm.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(() => does.start());
  });
  // A name belongs to the take that rolls, or to the next one.
  song.addEventListener("change", () => attempt(() => studio.nameTake(title())));
  bars.addEventListener("change", () => { memory.write("count-bars", bars.value); draw(); });
  tempo.addEventListener("change", () => { if (tempo.checkValidity()) memory.write("count-tempo", Number(tempo.value)); });
  cueForm.addEventListener("submit", async (event) => {
    event.preventDefault();
    const text = cue.value.trim();
    if (text) await attempt(async () => { await setCue(text); cue.value = ""; });
  });

  let drawn = 0;
  /** @type {string | null} */
  let named = null;
  const draw = () => {
    const { take, phase } = studio;
    start.disabled = Boolean(take) || phase !== "joined";
    stop.disabled = split.disabled = !take || phase !== "joined";
    tempoLabel.hidden = bars.value === "0";
    // What somebody else has named; what is being typed here stays.
    if (take?.song && named !== take.id + take.song.title && document.activeElement !== song) song.value = take.song.title;
    named = take?.song ? take.id + take.song.title : null;
    if (studio.cues.length !== drawn) {
      drawn = studio.cues.length;
      cues.replaceChildren(...studio.cues.map(({ position, text, author }) => {
        const by = author && studio.nameOf(author);
        return element("li", {}, element("time", { textContent: clock(position) }), text, by ? element("small", { textContent: ` ${by}` }) : null);
      }));
    }
    setText(hint, take ? "Press C to mark this moment, S to split. All keys: ?" : "All keys: ?");
  };
  /** @param {CustomEvent<CountPlan>} event */
  const counted = ({ detail }) => count.hear(detail);
  const listSongs = () => read("/v1/songs?limit=200").then((/** @type {Page<Song>} */ { items }) =>
    songs.replaceChildren(...items.map(({ title }) => element("option", { value: title })))).catch(() => {});
  listSongs();
  studio.addEventListener("state", draw);
  studio.addEventListener("countIn", counted);
  studio.addEventListener("takeFinished", listSongs);
  draw();
  return {
    ...does, band: band.node,
    close: () => {
      band.close();
      copy.close();
      count.close();
      studio.removeEventListener("state", draw);
      studio.removeEventListener("countIn", counted);
      studio.removeEventListener("takeFinished", listSongs);
    },
  };
}
