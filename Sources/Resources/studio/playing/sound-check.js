// The loudest that will be played, judged, and heard as the others hear it: some seconds of the sent sound, recorded here and
// played back. Nothing leaves the page.

import { button, element, setText } from "../base/dom.js";
import { attempt } from "../base/notices.js";
import { Refusal, sentence } from "../base/refusal.js";
import { decibels } from "../room/warnings.js";
import { route } from "./output.js";

const SECONDS = 5;
const WORDS = "Play your loudest 5 s";
/** The loudest notes belong between these, in dBFS: room above for a better evening, far from the noise below. */
export const GREEN = { from: -18, to: -6 };
/** From here on a peak may have been cut off already. */
const CUT = -1;

/** What the loudest peak, in dBFS, means: {word, text}. Pure.
 * @param {number} peak */
export function loudnessVerdict(peak) {
  const at = `Your loudest: ${Math.round(peak)} dB`;
  if (peak > CUT) return { word: "loud", text: `${at}. Too loud: turn the input down by ${Math.ceil(peak - GREEN.to)} dB or more` };
  if (peak > GREEN.to) return { word: "loud", text: `${at}. A little too loud: turn the input down by ${Math.ceil(peak - GREEN.to)} dB` };
  if (peak >= GREEN.from) return { word: "right", text: `${at}. Just right` };
  return { word: "quiet", text: peak <= -60 ? "Nothing was heard. Is it the right microphone?" : `${at}. Too quiet: turn the input up by ${Math.ceil(GREEN.from - peak)} dB` };
}

/** A button that checks the sound, and what it found; `sources()`: the microphone of this moment. `close()` ends a check.
 * @param {() => { microphone: Microphone | null, isSilent: boolean }} sources */
export function soundCheck(sources) {
  /** @type {(() => void) | null} */
  let ending = null;
  const check = async () => {
    if (ending) return ending();
    const { microphone, isSilent } = sources(), stream = microphone?.stream;
    if (!microphone || !stream || !window.MediaRecorder) throw new Refusal("sound-check", "There is no microphone to listen to. Open one first");
    if (isSilent) throw new Refusal("sound-check", "You are muted, so there is nothing to hear. Unmute yourself first");
    /** @type {Blob[]} */
    const pieces = [];
    const recorder = new MediaRecorder(stream);
    recorder.ondataavailable = ({ data }) => pieces.push(data);
    const done = new Promise((resolve) => { recorder.onstop = resolve; });
    const player = new Audio();
    let peak = 0;
    const listen = () => { peak = Math.max(peak, ...microphone.levels.peak); };
    microphone.addEventListener("levels", listen);
    const aborted = new Promise((resolve) => { ending = () => resolve("aborted"); });
    /** @param {number} seconds */
    const wait = (/** @type {number} */ seconds) => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
    try {
      recorder.start();
      for (let left = SECONDS; left > 0; left -= 1) {
        setText(start, `Play your loudest … ${left}`);
        if (await Promise.race([wait(1), aborted])) return undefined;
      }
      recorder.stop();
      await done;
      microphone.removeEventListener("levels", listen);
      const { word, text } = loudnessVerdict(decibels(peak));
      verdict.dataset.word = word;
      setText(verdict, sentence(text));
      setText(start, "This is how you sound. Stop");
      player.src = URL.createObjectURL(new Blob(pieces, { type: recorder.mimeType }));
      await route(player);
      await player.play();
      await Promise.race([new Promise((resolve) => { player.onended = resolve; }), aborted]);
    } finally {
      microphone.removeEventListener("levels", listen);
      if (recorder.state !== "inactive") recorder.stop();
      player.pause();
      if (player.src) URL.revokeObjectURL(player.src);
      ending = null;
      setText(start, WORDS);
    }
    return undefined;
  };
  const start = button(WORDS, () => attempt(check), { className: "quiet small sound-check-button" });
  const verdict = element("p", { className: "sound-verdict", role: "status" });
  const node = element("div", { className: "row" }, start, verdict);
  return { node, close: () => ending?.() };
}
