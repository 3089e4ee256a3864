// Stores the lossless capture of the microphone in this browser's own file system (OPFS) and uploads it. Both run off the
// page's thread: a busy, hidden or closing page loses nothing that has reached this worker.
//
// In: {arm: {port, sampleRate, channels, origin}}: sound arrives on `port`, its frame 0 at `origin` (wall clock, ms);
// {disarm}; {begin: {take, participant, room, title}}; {end: take}; {resume} looks for copies left by earlier tabs;
// {save: key}; {drop: key}.
// Out: {copies: [{key, take, title, seconds, share, state, problem}]}; {saved: {key, blob, name}}.

import { Copy, leftovers } from "./copy.js";
import { Ring } from "./ring.js";
import { Upload } from "./upload.js";

/** Seconds of sound kept from before a take's start, because the message about the start arrives late. */
const BEFORE = 5;
/** Seconds of sound kept from after its end, for the same reason. */
const AFTER = 2;
/** Milliseconds between two reports to the page. */
const REPORT = 400;

/** @type {Ring | null} */
let ring = null;
/** @type {{ sampleRate: number, channels: number, origin: number } | null} */
let source = null;
/** @type {MessagePort | null} */
let port = null;
/** @type {ReturnType<typeof setTimeout> | null} */
let timer = null;
/** By key.
 * @type {Map<string, { copy: Copy, upload: Upload }>} */
const known = new Map();
/** Copies being recorded; `until` is the frame at which one ends, or null.
 * @type {Map<string, { copy: Copy, until: number | null }>} */
const rolling = new Map();

/** Serializes commands: a take may end while the file of its copy is still being created. */
let turn = Promise.resolve();
onmessage = ({ data }) => { turn = turn.then(() => handle(data)); };

/** @param {any} data */
async function handle(data) {
  try {
    if (data.arm) arm(data.arm);
    if (data.begin) await begin(data.begin);
    if ("end" in data) end(data.end);
    if ("disarm" in data) disarm();
    if ("resume" in data) await resume();
    if (data.save) await save(data.save);
    if (data.drop) await known.get(data.drop)?.upload.drop();
  } catch (/** @type {any} */ error) {
    postMessage({ problem: `The local backup does not work: ${error.message}` });
  }
  report();
}

/** @param {{ port: MessagePort, sampleRate: number, channels: number, origin: number }} given */
function arm(given) {
  disarm();
  source = { sampleRate: given.sampleRate, channels: given.channels, origin: given.origin };
  ring = new Ring(BEFORE * source.sampleRate, source.channels);
  port = given.port;
  port.onmessage = ({ data }) => take(data);
}

function disarm() {
  port?.close();
  port = ring = source = null;
  for (const { copy } of rolling.values()) copy.finish();
  rolling.clear();
}

/** @param {{ frame: number, samples: Float32Array }} block */
function take({ frame, samples }) {
  for (const [key, entry] of rolling) {
    const { copy } = entry;
    if (!copy.write(samples)) postMessage({ problem: copy.problem });
    if (entry.until !== null && frame >= entry.until) {
      copy.finish();
      rolling.delete(key);
    }
  }
  ring?.put(frame, samples);
  report();
}

/** @param {{ take: string, participant: string, room: string, title: string }} facts */
async function begin({ take, participant, room, title }) {
  if (!source || [...rolling.values()].some((entry) => entry.copy.take === take)) return;
  const mine = source, copy = await Copy.make({
    take, participant, room, title, sampleRate: mine.sampleRate, channels: mine.channels,
  });
  // Sound went on while the file was created: the ring has it.
  if (mine !== source || !ring) return copy.remove();
  const before = ring.contents();
  copy.startedAt = new Date(mine.origin + (1000 * before.frame) / mine.sampleRate).toISOString();
  copy.write(before.samples);
  rolling.set(copy.key, { copy, until: null });
  follow(copy);
  return undefined;
}

/** @param {string} take */
function end(take) {
  for (const entry of rolling.values()) {
    if (entry.copy.take === take && entry.until === null && ring && source) entry.until = ring.end + AFTER * source.sampleRate;
  }
}

async function resume() {
  for await (const copy of leftovers()) {
    if (known.has(copy.key)) copy.close();
    else follow(copy);
  }
}

/** @param {Copy} copy */
function follow(copy) {
  const upload = new Upload(copy, () => rolling.size > 0 || source !== null, report);
  known.set(copy.key, { copy, upload });
  upload.run().catch((error) => postMessage({ problem: `The local backup cannot be uploaded: ${error.message}` }));
}

/** @param {string} key */
async function save(key) {
  const copy = known.get(key)?.copy;
  if (copy) postMessage({ saved: { blob: copy.wav(), name: `${copy.title}.wav` } });
}

function report() {
  timer ??= setTimeout(() => {
    timer = null;
    postMessage({ copies: [...known.values()].map(({ copy, upload }) => ({
      key: copy.key, take: copy.take, room: copy.room, title: copy.title, seconds: copy.seconds, isOpen: !copy.isFinished,
      share: copy.size ? upload.sent / copy.size : 0, state: upload.state, problem: upload.problem,
    })) });
  }, REPORT);
}
