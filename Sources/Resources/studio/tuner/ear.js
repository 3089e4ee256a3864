// What the tuner hears: the microphone, before anything that mutes it. Nothing of it leaves the page.

/** The sound of a microphone in windows, for as long as it is open. A muted musician can tune: this takes a track of its own
 * from the device (Media Capture and Streams, section 4.3.1: a clone is enabled by itself). */
export class Ear {
  #track;
  #source;
  #splitter;
  #analyser;
  #samples;

  /** @param {Microphone} microphone @param {AudioContext} context its own @param {number} length samples of a window */
  constructor(microphone, context, length) {
    this.#track = microphone.track.clone();
    this.#track.enabled = true;
    this.#analyser = new AnalyserNode(context, { fftSize: length });
    this.#samples = new Float32Array(length);
    this.#source = context.createMediaStreamSource(new MediaStream([this.#track]));
    // The other input of an interface may be somebody else's.
    const side = ["left", "right"].indexOf(microphone.mode);
    this.#splitter = side < 0 ? null : new ChannelSplitterNode(context, { numberOfOutputs: 2 });
    if (this.#splitter) this.#source.connect(this.#splitter).connect(this.#analyser, side);
    else this.#source.connect(this.#analyser);
  }

  /** The latest window, of all channels together. */
  listen() {
    this.#analyser.getFloatTimeDomainData(this.#samples);
    return this.#samples;
  }

  close() {
    this.#track.stop();
    this.#source.disconnect();
    this.#splitter?.disconnect();
  }
}
