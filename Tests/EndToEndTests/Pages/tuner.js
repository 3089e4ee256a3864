// The pure parts of the tuner, as they are served: what they get wrong, a line each. For StudioTunerTests.

const { PitchFinder } = await import("/studio/tuner/pitch.js");
const { noteOf, Steady, verdictOf } = await import("/studio/tuner/notes.js");
const objections = [];
const same = (got, wanted, what) => {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) objections.push(`${what}: ${JSON.stringify(got)}, not ${JSON.stringify(wanted)}`);
};
let seed = 1;
const noise = () => { seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0; return seed / 2 ** 31 - 1; };
const cents = (one, other) => 1200 * Math.log2(one / other);

/** Partials of an instrument: [how many times as fast, how strong]. */
const INSTRUMENTS = {
  flute: () => [[1, 1]],
  violin: (most) => Array.from({ length: most }, (_, at) => [at + 1, 1 / (at + 1)]),
  clarinet: (most) => Array.from({ length: Math.ceil(most / 2) }, (_, at) => [2 * at + 1, 1 / (2 * at + 1)]),
  "a small loudspeaker's bass, without its first partial": (most) => Array.from({ length: Math.max(2, most - 1) }, (_, at) => [at + 2, 1 / (at + 2)]),
};
/** A window of a tone; partials beyond a third of the rate are left out, as a converter does. */
function tone(finder, rate, frequency, partials, level = 0.2, hiss = 0) {
  const heard = partials.filter(([times]) => times * frequency < rate / 3);
  return Float32Array.from({ length: finder.length }, (_, index) =>
    hiss * noise() + level * heard.reduce((sum, [times, strength]) => sum + strength * Math.sin((2 * Math.PI * times * frequency * index) / rate + times), 0));
}

for (const rate of [44_100, 48_000, 96_000]) {
  const finder = new PitchFinder(rate);
  for (const [name, partials] of Object.entries(INSTRUMENTS)) {
    for (let note = 23; note <= 108; note += 1) {
      const frequency = 440 * 2 ** ((note - 69 + 0.17) / 12);
      if (frequency > 4_400 || (name.includes("bass") && note > 60)) continue;
      for (const hiss of [0, 0.002]) {
        const found = finder.find(tone(finder, rate, frequency, partials(12), 0.2, hiss)), off = found && cents(found.frequency, frequency);
        if (off === null || Math.abs(off) > 1) objections.push(`${name}, note ${note}, ${rate} Hz, hiss ${hiss}: ${off} cents off`);
      }
    }
  }
  const nothing = (samples, what) => { const found = finder.find(Float32Array.from({ length: finder.length }, samples)); if (found) objections.push(`${what} has a pitch of ${found.frequency} Hz`); };
  nothing(() => 0, "silence");
  nothing(() => 0.25, "a converter that is not at rest");
  nothing((_, index) => 3e-4 * Math.sin(index / 20), "what nobody hears");
  nothing(() => NaN, "what is no sound");
  for (let again = 0; again < 20; again += 1) nothing(() => 0.3 * noise(), "noise");
}

const { name, octave, cents: off } = noteOf(440, 440);
same([name, octave, Math.round(off)], ["A", 4, 0], "A4");
for (const [frequency, reference, wanted] of [
  [261.626, 440, "C4 0"], [41.203, 440, "E1 0"], [415.305, 440, "A♭4 0"], [440, 415, "B♭4 1"], [440, 466, "A♭4 1"], [442, 440, "A4 8"], [435, 440, "A4 -20"],
  [8.176, 440, "C-1 0"], [4186.01, 440, "C8 0"],
]) {
  const note = noteOf(frequency, reference);
  same(`${note.name}${note.octave} ${Math.round(note.cents)}`, wanted, `${frequency} Hz at A = ${reference} Hz`);
}
same([-50, -4, -3, 0, 3, 4].map(verdictOf), ["low", "low", "tuned", "tuned", "tuned", "high"], "what is in tune");

// One slip of an octave is not shown; the last note stays a moment; the next note is shown once most readings are of it.
const steady = new Steady();
const shown = (frequency, at) => { const value = steady.take(frequency, at); return value === null ? null : Math.round(value); };
same([shown(220, 0), shown(220, 0.07), shown(440, 0.14), shown(220, 0.21), shown(null, 1), shown(null, 2)], [null, 220, 220, 220, 220, null], "a steady reading");
same([330, 330, 330, 247, 247, 247].map((frequency, at) => shown(frequency, 3 + 0.07 * at)).map(String), ["null", "330", "330", "330", "330", "247"], "another note");
return objections;
