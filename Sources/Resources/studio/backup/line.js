import { button, clock, element, setText } from "../base/dom.js";
import { sentence } from "../base/refusal.js";
import { backups } from "./backups.js";

/** @param {number} share */
const percent = (share) => `${Math.floor(100 * share)} %`;

/** The state of a copy, in words for the musician.
 * @param {CopyState} copy */
function words({ seconds, share, state, isOpen, problem, title }) {
  switch (state) {
    case "recording":
    case "sending":
      if (problem) return `Lossless copy of ${title}: waiting (${problem})`;
      return isOpen ? `Lossless copy here: ${clock(seconds)}, ${percent(share)} uploaded` : `Lossless copy of ${title}: ${percent(share)} uploaded. Keep this page open, or come back later`;
    case "receiving":
    case "waiting":
    case "aligning": return `Lossless copy of ${title}: on the server, being aligned`;
    case "ready": return `Lossless copy of ${title}: done, it is part of the take`;
    case "refused": return `Lossless copy of ${title} was not taken: ${problem}`;
    case "failed": return `Lossless copy of ${title} is on the server, but could not be aligned: ${problem}`;
    default: return "";
  }
}

/** Lines about the lossless copies that this browser holds or has sent during this visit. */
export function backupLine() {
  const list = element("ul", { className: "copies facts", id: "copies" });
  const rows = new Map();
  const draw = () => {
    for (const [key, row] of rows) {
      if (backups.copies.some((copy) => copy.key === key && copy.state !== "lost")) continue;
      row.remove();
      rows.delete(key);
    }
    for (const copy of backups.copies) {
      if (copy.state === "lost") continue;
      if (!rows.has(copy.key)) {
        const row = element("li", {}, element("span"));
        rows.set(copy.key, row);
        list.append(row);
      }
      const row = rows.get(copy.key);
      row.dataset.state = copy.state;
      setText(row.firstElementChild, sentence(words(copy)));
      if (["refused", "failed"].includes(copy.state) && row.children.length === 1 && copy.seconds > 0) {
        row.append(" ", button("Save it as WAV", () => backups.save(copy.key), { className: "quiet small" }), " ",
          button("Delete it", () => backups.drop(copy.key), { className: "quiet small" }));
      }
    }
  };
  backups.addEventListener("change", draw);
  draw();
  return { element: list, close: () => backups.removeEventListener("change", draw) };
}
