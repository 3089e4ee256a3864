import { Refusal } from "../base/refusal.js";

/** @type {Record<string, string>} */
const PROBLEMS = {
  insecure: "Browsers allow a microphone only on secure pages: open this page over https:// or on localhost",
  NotAllowedError: "The browser may not use your microphone. Allow it in the address bar, then try again",
  NotFoundError: "No microphone was found. Plug one in and try again, or choose “I only listen”",
  NotReadableError: "Your microphone is used by another program. Close that program, then try again",
  OverconstrainedError: "The microphone that you chose last time is missing. Choose another one",
};

/** Constraints for music: no processing, both channels.
 * @type {MediaTrackConstraints & { latency: object }} */
const WISHES = {
  echoCancellation: false, noiseSuppression: false, autoGainControl: false, channelCount: { ideal: 2 }, latency: { ideal: 0 },
};

/** The choices of channels to send.
 * @type {Record<string, string>} */
export const CHANNELS = {
  stereo: "Both, in stereo", left: "Only the first (left)", right: "Only the second (right)", mono: "Both, mixed to mono",
};

/** The sound inputs of this machine; they have labels once the microphone is allowed. */
export async function inputs() {
  const devices = await navigator.mediaDevices?.enumerateDevices() ?? [];
  return devices.filter((device) => device.kind === "audioinput" && device.deviceId);
}

/**
 * An open microphone or a substitute. Emits "levels" (`{peak: [l, r], rms: [l, r], isMono, clipped}`, 0 to 1) and
 * "ended".
 *
 * Its clock is the device's own: the audio context runs at the device's rate, so that the local backup is not resampled.
 */
export class Microphone extends /** @type {EmitterOf<{ levels: undefined, ended: undefined }>} */ (EventTarget) {
  /** The track that is sent to the others. */
  stream;
  /** The track as the device gives it. */
  track;
  levels = { peak: [0, 0], rms: [0, 0], isMono: true, clipped: 0 };
  /** How many readings have had samples at full scale. */
  clippings = 0;
  /** @type {AudioContext | null} */
  #context = null;
  /** @type {AudioWorkletNode | null} */
  #node = null;
  /** @type {((settled?: unknown) => void)[]} */
  #covering = [];
  #owns;
  /** The chosen channels: a key of CHANNELS. */
  mode;

  /**
   * options: {device, channels: a key of CHANNELS, isMuted, wav: an address to play in its place, stream: a MediaStream}
   * @param {MicrophoneOptions} options
   */
  static async open(options = {}) {
    const stream = options.stream ?? await (options.wav ? openRecording(options.wav) : openDevice(options.device));
    const microphone = new Microphone(stream, options, !options.stream);
    try {
      await microphone.#start();
    } catch (/** @type {any} */ error) {
      microphone.close();
      throw error;
    }
    return microphone;
  }

  get settings() { return this.track.getSettings(); }
  get context() { return this.#context; }

  /** Number of channels worth keeping: 1 if both would be the same. */
  get channels() { return this.mode === "stereo" && this.settings.channelCount !== 1 ? 2 : 1; }

  /**
   * Mutes the device's own track, the source of everything: network, backup and meter agree, whichever channels were
   * chosen. A disabled track gives exact silence, and its time goes on (Media Capture and Streams, section 4.2).
   */
  set isMuted(isMuted) { this.track.enabled = !isMuted; }
  get isMuted() { return !this.track.enabled; }

  /** Sends all sound to a MessagePort; null stops it.
   * @param {MessagePort | null} port */
  keep(port) {
    this.#node?.port.postMessage({ keep: port, channels: this.channels }, port ? [port] : []);
  }

  /**
   * Keeps silence in place of the sound, or no longer, while the others go on hearing it; settles once the audio thread
   * does so.
   * @param {boolean} isCovered
   */
  cover(isCovered) {
    const node = this.#node;
    if (!node) return Promise.resolve();
    return new Promise((resolve) => {
      this.#covering.push(resolve);
      node.port.postMessage({ cover: isCovered });
    });
  }

  /** The time of a frame of the capture on the wall clock, in milliseconds since 1970.
   * @param {number} frame */
  wallTime(frame) {
    const context = this.#context;
    if (!context) return Date.now();
    const { contextTime = 0, performanceTime } = context.getOutputTimestamp?.() ?? {};
    const now = performanceTime ? { at: contextTime, wall: performance.timeOrigin + performanceTime }
      : { at: context.currentTime, wall: Date.now() };
    return now.wall + 1000 * (frame / context.sampleRate - now.at);
  }

  close() {
    this.keep(null);
    // A closed context answers nothing any more.
    for (const settle of this.#covering.splice(0)) settle();
    if (this.#owns) for (const track of [this.track, ...this.stream?.getTracks() ?? []]) track?.stop();
    this.#context?.close();
    this.#context = null;
  }

  /** @param {MediaStream} stream @param {MicrophoneOptions} options @param {boolean} owns */
  constructor(stream, { channels = "stereo", isMuted = false }, owns) {
    super();
    [this.track] = stream.getAudioTracks();
    // Before any listener is attached: a muted musician's sound goes nowhere.
    this.isMuted = isMuted;
    this.#owns = owns;
    this.mode = channels;
    this.stream = stream;
    this.track.contentHint = "music";
    this.track.addEventListener("ended", () => this.dispatchEvent(new Event("ended")));
  }

  async #start() {
    const { sampleRate } = this.track.getSettings();
    /** @type {AudioContext} */
    let context;
    try {
      context = new AudioContext({ sampleRate, latencyHint: "interactive" });
    } catch {
      // The browser resamples if it has no context for this rate.
      context = new AudioContext({ latencyHint: "interactive" });
    }
    this.#context = context;
    await context.audioWorklet.addModule(new URL("capture-worklet.js", import.meta.url));
    const source = this.#route(context, context.createMediaStreamSource(this.stream));
    const node = this.#node = new AudioWorkletNode(context, "jamjar-capture", {
      numberOfOutputs: 0, channelCount: 2, channelCountMode: "explicit", channelInterpretation: "speakers",
    });
    source.connect(node);
    node.port.onmessage = ({ data }) => {
      if ("covered" in data) this.#covering.shift()?.();
      else this.#measured(data.levels);
    };
    // Some browsers hold sound back until the first click.
    if (context.state === "suspended") context.resume().catch(() => {});
  }

  /** The track of the chosen channels; anything but stereo passes through Web Audio, which costs some milliseconds.
   * @param {AudioContext} context @param {AudioNode} source */
  #route(context, source) {
    const { mode } = this;
    if (mode === "stereo") return source;
    const out = new GainNode(context, { channelCount: 1, channelCountMode: "explicit" });
    if (mode === "mono") {
      source.connect(out);
    } else {
      const splitter = new ChannelSplitterNode(context, { numberOfOutputs: 2 });
      source.connect(splitter).connect(out, mode === "right" ? 1 : 0);
    }
    const destination = new MediaStreamAudioDestinationNode(context, { channelCount: 1, channelCountMode: "explicit" });
    out.connect(destination);
    this.stream = destination.stream;
    for (const track of this.stream.getAudioTracks()) track.contentHint = "music";
    return out;
  }

  /** @param {{ frames: number, peak: number[], square: number[], cross: number, clipped: number }} measure */
  #measured({ frames, peak, square, cross, clipped }) {
    const rms = square.map((sum) => Math.sqrt(sum / frames));
    this.levels = { peak, rms, isMono: cross <= 1e-6 * (square[0] + square[1]), clipped };
    if (clipped > 0) this.clippings += 1;
    this.dispatchEvent(new Event("levels"));
  }
}

/** @param {string} [device] */
async function openDevice(device) {
  if (!navigator.mediaDevices?.getUserMedia) throw new Refusal("microphone", PROBLEMS.insecure);
  /** @param {MediaTrackConstraints} wishes */
  const ask = (wishes) => navigator.mediaDevices.getUserMedia({ audio: wishes });
  try {
    return await ask(device ? { ...WISHES, deviceId: { exact: device } } : WISHES);
  } catch (/** @type {any} */ error) {
    const problem = PROBLEMS[error.name] ?? `Your microphone could not be opened: ${error.message}`;
    throw new Refusal(`microphone-${error.name}`, problem);
  }
}

/** Plays a sound file from an address by Web Audio, in place of a microphone.
 * @param {string} address */
async function openRecording(address) {
  const context = new AudioContext({ sampleRate: 48000 });
  const source = context.createBufferSource();
  source.buffer = await context.decodeAudioData(await (await fetch(address)).arrayBuffer());
  const destination = new MediaStreamAudioDestinationNode(context, { channelCount: 2 });
  source.connect(destination);
  source.start();
  return destination.stream;
}
