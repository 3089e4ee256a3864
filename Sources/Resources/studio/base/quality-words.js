// The service's readings of a connection in words (docs/quality.md). The service alone judges: pages only say it.

const LEVELS = ["unknown", "very good", "good", "fair", "poor", "unusable"];
/** @type {Record<string, string>} */
const CAUSES = {
  absence: "nothing arrived", loss: "packets lost on the way", concealment: "sound missing for good", roundTrip: "long way",
  jitter: "uneven arrival", reception: "holes in what the musician heard",
};

/** From this level on, the music suffers. */
export const SUFFERING = 3;

/** "very good" to "unusable".
 * @param {number} level */
export const levelWord = (level) => LEVELS[level] ?? LEVELS[0];

/** "poor: packets lost on the way"
 * @param {{ level: number, cause?: string | null }} reading */
export const verdictWords = ({ level, cause }) => levelWord(level) + (cause ? `: ${CAUSES[cause] ?? cause}` : "");

/** "round trip 41 ms, loss 0.2 %, jitter 3 ms", what is known of it.
 * @param {QualityReading} reading */
export function readingFigures({ roundTrip, jitter, expected, missed, loss = expected > 0 ? missed / expected : null }) {
  /** @param {number | null | undefined} value */
  const milliseconds = (value) => (typeof value === "number" ? `${Math.round(value)} ms` : null);
  return [
    ["round trip", milliseconds(roundTrip)], ["loss", typeof loss === "number" ? `${(100 * loss).toFixed(1)} %` : null],
    ["jitter", milliseconds(jitter)],
  ].filter(([, value]) => value !== null).map((pair) => pair.join(" ")).join(", ");
}
