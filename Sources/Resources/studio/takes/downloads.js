// Downloads of a take's files.

import { element, targetOf } from "../base/dom.js";
import { figure, trackName } from "./take-words.js";

/** A menu that opens below its button and closes on Escape or a click outside it.
 * @param {string} label @param {HTMLElement[]} items @param {Properties<"details">} [properties] */
function menu(label, items, properties = {}) {
  const node = element("details", { className: "menu", ...properties },
    element("summary", { className: "button quiet", textContent: label }),
    element("ul", {}, ...items.map((item) => element("li", {}, item))));
  node.addEventListener("toggle", () => {
    if (!node.open) return;
    /** @param {Event} event */
    const away = (event) => {
      const target = targetOf(event), isInside = node.contains(target) && !target?.closest("li");
      if (event instanceof KeyboardEvent ? event.key !== "Escape" : isInside) return;
      node.open = false;
      if (event.type === "keydown") node.querySelector("summary")?.focus();
      document.removeEventListener("click", away);
      document.removeEventListener("keydown", away);
    };
    document.addEventListener("click", away);
    document.addEventListener("keydown", away);
  });
  return node;
}

/** @param {string} text @param {string} href @param {string} [hint] */
const link = (text, href, hint) => element("a", { href, download: "" }, element("span", { textContent: text }),
  hint ? element("small", { textContent: hint }) : null);

/** The menu of all files that need no export.
 * @param {TakeStore} store */
export function downloadMenu(store) {
  const { tracks } = store;
  return menu("Download", [
    link("Mix", store.address("mix"), "FLAC, 24 bit"),
    ...tracks.map((track) => link(trackName(track), store.address("tracks", track.id, "audio"), "FLAC, 24 bit")),
    ...tracks.flatMap((track) => (track.lossless ? [
      link(`${trackName(track)}, lossless`, `${store.address("tracks", track.id, "audio")}?source=lossless`,
        `${figure(track.lossless.covered)} s lossless`)] : [])),
    link("Everything", store.address("archive"), "ZIP, for any DAW"),
    link("Manifest", store.address("manifest"), "JSON, with hashes"),
  ]);
}
