// Hearing oneself as the others do: some seconds of the sent sound, recorded here and played back. Nothing leaves the page.

import { button, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { Refusal } from "../base/refusal.js";
import { route } from "./output.js";

const SECONDS = 5;
const WORDS = "Record 5 s and play them back";

/** A button that checks the sound; `sources()`: {stream, isSilent} of this moment. `close()` ends a check that runs.
 * @param {() => { stream?: MediaStream | null, isSilent: boolean } | null} sources */
export function soundCheck(sources) {
  /** @type {(() => void) | null} */
  let ending = null;
  const check = async () => {
    if (ending) return ending();
    const { stream, isSilent } = sources() ?? {};
    if (!stream || !window.MediaRecorder) throw new Refusal("sound-check", "There is no microphone to listen to. Open one first");
    if (isSilent) throw new Refusal("sound-check", "You are muted, so there is nothing to hear. Unmute yourself first");
    /** @type {Blob[]} */
    const pieces = [];
    const recorder = new MediaRecorder(stream);
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const done = new Promise((resolve) => { recorder.onstop = resolve; });
    const player = new Audio();
    const aborted = new Promise((resolve) => { ending = () => resolve("aborted"); });
    /** @param {number} seconds */
    const wait = (/** @type {number} */ seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    try {
      recorder.start();
      for (let left = SECONDS; left > 0; left -= 1) {
        setText(node, `Play something … ${left}`);
        if (await Promise.race([wait(1), aborted])) return undefined;
      }
      recorder.stop();
      await done;
      setText(node, "This is how you sound. Stop");
      player.src = URL.createObjectURL(new Blob(pieces, { type: recorder.mimeType }));
      await route(player);
      await player.play();
      await Promise.race([new Promise((resolve) => { player.onended = resolve; }), aborted]);
    } finally {
      if (recorder.state !== "inactive") recorder.stop();
      player.pause();
      if (player.src) URL.revokeObjectURL(player.src);
      ending = null;
      setText(node, WORDS);
    }
    return undefined;
  };
  const node = button(WORDS, () => attempt(check), { className: "quiet small sound-check-button" });
  return { node, close: () => ending?.() };
}
