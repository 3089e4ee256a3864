// Advice on the microphone before playing. Pure: facts in, sentences out.

/** The silence threshold in dBFS, and the seconds of silence before the warning. */
const SILENT = -65;
const SILENT_SECONDS = 3;
/** A peak in dBFS that music should reach, the readings before it is judged (50 ms each), and dB a second by which it is forgotten. */
const QUIET = -30;
const ENOUGH = 100;
const FORGET = 2;
/** Sample rates below this, in Hz, are those of a telephone. */
const MUSIC_RATE = 32_000;
/** Seconds for which the clipping warning stays. */
const CLIPPED_SECONDS = 5;

/** @param {number} level */
export const decibels = (level) => (level > 0 ? Math.max(-120, 20 * Math.log10(level)) : -120);

/** Follows the levels of a microphone over time: how long it is silent, when it clipped, whether one side is empty. */
export class Listening {
  silentSince = 0;
  clippedAt = -Infinity;
  loudest = [0, 0];
  heard = 0;
  mono = 0;
  /** The highest recent peak in dBFS, and when it was last judged. */
  peak = -120;
  #peakAt = 0;

  /** `now` in seconds.
   * @param {number} now */
  constructor(now) { this.silentSince = now; }

  /** @param {Levels} levels @param {number} now */
  take({ peak, rms, isMono, clipped }, now) {
    this.peak = Math.max(decibels(Math.max(...peak)), this.peak - FORGET * (now - this.#peakAt));
    this.#peakAt = now;
    if (decibels(Math.max(...peak)) > SILENT) {
      this.silentSince = now;
      this.heard += 1;
      if (isMono) this.mono += 1;
      this.loudest = this.loudest.map((level, side) => Math.max(level * 0.999, rms[side]));
    }
    if (clipped > 0) this.clippedAt = now;
  }

  /** @param {number} now */
  isSilent(now) { return now - this.silentSince > SILENT_SECONDS; }
  /** True if there is sound, but far below what the recording could take. */
  get isQuiet() { return this.heard > ENOUGH && this.peak < QUIET; }
  /** @param {number} now */
  hasClipped(now) { return now - this.clippedAt < CLIPPED_SECONDS; }
  /** True once enough sound was heard, identical on both sides. */
  get isMono() { return this.heard > 20 && this.mono === this.heard; }
  /** "left" or "right" if the other side has always been empty, otherwise null. */
  get onlySide() {
    if (this.heard <= 20 || this.isMono) return null;
    const [left, right] = this.loudest.map(decibels);
    if (left - right > 40) return "left";
    return right - left > 40 ? "right" : null;
  }
}

const BLUETOOTH = /bluetooth|airpods|buds|hands-?free/i;

/**
 * `settings`: the track's settings; `label`: its name; `outputs`: labels of this machine's outputs; `mode`: the chosen
 * channels. Returns [{kind: "problem" | "hint", id, text}], worst first.
 * @param {{ settings: MediaTrackSettings, label?: string, outputs?: string[], mode: string, listening: Listening, now: number }} facts
 */
export function warnings({ settings, label = "", outputs = [], mode, listening, now }) {
  /** @type {Warning[]} */
  const found = [];
  /** @param {Warning["kind"]} kind @param {string} id @param {string} text */
  const add = (kind, id, text) => found.push({ kind, id, text });
  /** @type {["echoCancellation" | "noiseSuppression" | "autoGainControl", string][]} */
  const kinds = [
    ["echoCancellation", "Echo cancellation"], ["noiseSuppression", "Noise suppression"], ["autoGainControl", "Automatic gain"],
  ];
  const processing = kinds.filter(([name]) => settings[name] === true).map(([, words]) => words);
  if (processing.length) {
    add("problem", "processing", `${processing.join(" and ")} ${processing.length > 1 ? "are" : "is"} still on and will `
      + "ruin music. Switch it off in the settings of your system or headset, or use another browser");
  }
  if (settings.sampleRate && settings.sampleRate < MUSIC_RATE) {
    add("problem", "rate", `Your microphone runs at ${settings.sampleRate / 1000} kHz, as a telephone does. A wireless `
      + "headset does that while its microphone is in use: choose another microphone");
  }
  if (listening.hasClipped(now)) add("problem", "clipping", "Too loud: the sound is clipped. Turn the input down a little");
  if (listening.isSilent(now)) {
    add("problem", "silence", "There is no sound. Is the microphone muted, or is it the wrong one? Play a note to check");
  }
  else if (listening.isQuiet) {
    add("problem", "quiet", `Too quiet: your peaks reach ${Math.round(listening.peak)} dB. Turn the input up until loud notes reach −12 dB`);
  }
  if (mode === "stereo" && listening.onlySide) {
    const side = listening.onlySide;
    add("problem", "side", `Only the ${side} channel has sound. Choose “${CHANNEL_WORDS[side]}”, so that you are heard on both sides`);
  } else if (mode === "stereo" && (settings.channelCount === 1 || listening.isMono)) {
    add("hint", "mono", "Both channels are the same: you are heard in mono, which is right for one microphone");
  }
  if (BLUETOOTH.test(label) || outputs.some((output) => BLUETOOTH.test(output))) {
    add("hint", "bluetooth", "Bluetooth delays sound by a tenth of a second or more. Use a cable");
  }
  add("hint", "headphones", "Wear headphones: otherwise your microphone records the others too");
  return found;
}

const CHANNEL_WORDS = { left: "Only the first (left)", right: "Only the second (right)" };
