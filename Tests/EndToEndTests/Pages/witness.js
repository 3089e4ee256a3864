// Watches a microphone beside Jamjar: the ground truth of when each sample of a fake device's file was captured.
//
// A MediaStreamTrackProcessor on a clone of the microphone's track delivers the device's own blocks: with a file of the
// device's rate (44,100 Hz) their samples are those of the file, bit for bit, and AudioData.timestamp is the capture
// time on the page's clock. Measured: the read follows the timestamp by 0.3 ms, position and timestamp lie on a line
// within 0.1 ms (the clock's grain), and performance.timeOrigin maps two processes' clocks onto the machine's to less
// than 1 ms. On a busy machine the fake device misses a beat now and then and goes on later; hence all blocks are kept.
globalThis.witness = (stream) => {
  const track = stream.getAudioTracks()[0].clone();
  // Room for blocks while the page is busy: what the default of ten cannot hold would be left out without a word, and
  // every later block would seem to be played later than it was.
  const reader = new MediaStreamTrackProcessor({ track, maxBufferSize: 1000 }).readable.getReader();
  const seen = { rate: 0, first: null, times: [], frames: [] };
  (async () => {
    for (;;) {
      const { value: block, done } = await reader.read();
      if (done) break;
      if (!seen.first) {
        seen.rate = block.sampleRate;
        const samples = new Float32Array(block.numberOfFrames);
        block.copyTo(samples, { planeIndex: 0, format: "f32-planar" });
        // The device begins with its file, or with a block of silence before it.
        if (samples.some((sample) => sample !== 0)) seen.first = [...samples].map((sample) => Math.round(sample * 32768));
      }
      if (seen.first) {
        seen.times.push(performance.timeOrigin + block.timestamp / 1000);
        seen.frames.push(block.numberOfFrames);
      }
      block.close();
    }
  })();
  // What was seen so far: milliseconds of civil time, frames of each block, and the first block's left channel.
  return () => seen;
};
