// What the clients of other services' protocols share: each plays tones in place of a microphone, measures what it hears,
// and tells what happens.
globalThis.Musician = class {
  constructor(context = new AudioContext({ sampleRate: 48000 })) {
    this.context = context;
    this.heard = new Map();
    this.events = new EventTarget();
  }

  tell(name, detail) { this.events.dispatchEvent(new CustomEvent(name, { detail })); }

  once(name) {
    return new Promise((resolve) => this.events.addEventListener(name, ({ detail }) => resolve(detail), { once: true }));
  }

  // A stream of a tone in the left channel and one in the right.
  tone(left, right = left) {
    const merger = new ChannelMergerNode(this.context, { numberOfInputs: 2 });
    [left, right].forEach((frequency, channel) => {
      const tone = new OscillatorNode(this.context, { frequency });
      tone.connect(new GainNode(this.context, { gain: 0.3 })).connect(merger, 0, channel);
      tone.start();
    });
    const destination = new MediaStreamAudioDestinationNode(this.context, { channelCount: 2 });
    merger.connect(destination);
    return destination.stream;
  }

  // Hears a stream from now on, under a name.
  listen(name, stream) {
    // Chromium only decodes what an element plays.
    const element = new Audio();
    element.srcObject = stream;
    element.muted = true;
    element.play();
    const analyser = new AnalyserNode(this.context, { fftSize: 8192, smoothingTimeConstant: 0 });
    new MediaStreamAudioSourceNode(this.context, { mediaStream: stream }).connect(analyser);
    this.heard.set(name, { element, analyser });
  }

  // The level of a tone in what is heard under that name, in dB; the strongest of the bins around it.
  level(name, frequency) {
    const analyser = this.heard.get(name)?.analyser;
    if (!analyser) return -Infinity;
    const bins = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(bins);
    const bin = Math.round((frequency * analyser.fftSize) / this.context.sampleRate);
    return Math.max(...bins.slice(bin - 2, bin + 3));
  }

  // Waits for at most a minute; then `words` say what there was instead.
  until(condition, words = () => String(condition)) {
    const begin = performance.now();
    return new Promise((resolve, reject) => {
      const look = () => {
        try {
          if (condition()) resolve();
          else if (performance.now() - begin > 60_000) reject(new Error(`not in a minute: ${words()}`));
          else setTimeout(look, 20);
        } catch (error) { reject(error); }
      };
      look();
    });
  }

  // Waits until all of these tones are heard under that name, louder than `least` dB, and none of the others.
  listensFor(name, tones, others = [], least = -35) {
    return this.until(
      () => tones.every((tone) => this.level(name, tone) > least) && others.every((tone) => this.level(name, tone) < -65),
      () => [...tones, ...others].map((tone) => `${tone} Hz of ${name} at ${Math.round(this.level(name, tone))} dB`).join(", "));
  }
};
