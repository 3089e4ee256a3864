/** Bytes of one sample of signed 24-bit PCM. */
export const BYTES = 3;
const FULL = 0x7fffff;

/** Converts interleaved samples, -1 to 1, to little-endian signed 24-bit PCM; louder samples clip, as in a converter.
 * @param {Float32Array} samples */
export function encode(samples) {
  const bytes = new Uint8Array(samples.length * BYTES);
  for (let index = 0, at = 0; index < samples.length; index += 1, at += BYTES) {
    const value = Math.max(-FULL - 1, Math.min(FULL, Math.round(samples[index] * (FULL + 1))));
    bytes[at] = value & 0xff;
    bytes[at + 1] = (value >> 8) & 0xff;
    bytes[at + 2] = (value >> 16) & 0xff;
  }
  return bytes;
}

/** The header of a WAV file with `size` bytes of such PCM (RIFF, at most 4 GiB).
 * @param {number} size @param {number} sampleRate @param {number} channels */
export function wavHeader(size, sampleRate, channels) {
  const view = new DataView(new ArrayBuffer(44));
  /** @param {number} at @param {string} letters */
  const text = (at, letters) => [...letters].forEach((letter, index) => view.setUint8(at + index, letter.charCodeAt(0)));
  text(0, "RIFF");
  view.setUint32(4, 36 + size, true);
  text(8, "WAVEfmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, sampleRate * channels * BYTES, true);
  view.setUint16(32, channels * BYTES, true);
  view.setUint16(34, 8 * BYTES, true);
  text(36, "data");
  view.setUint32(40, size, true);
  return view.buffer;
}
