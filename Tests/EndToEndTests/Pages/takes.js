// What tests of the takes' pages do in the page: wait for what it shows, listen to the deck to the sample. Evaluated by
// Page+Takes.swift; everything here becomes a member of `takes`.

/** Waits until `find()` answers something, looking whenever the page changes. It says what never came before the script's own time
 * is over, which would not say it. */
const until = (find) => new Promise((resolve, reject) => {
  const end = setTimeout(() => {
    observer.disconnect();
    reject(new Error(`this never came: ${find}; the page says: ${document.querySelector("main")?.innerText.slice(0, 500)}`));
  }, 80_000);
  const look = () => {
    const found = find();
    if (!found) return;
    clearTimeout(end);
    observer.disconnect();
    resolve(found);
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  look();
});

const shown = (selector) => until(() => document.querySelector(selector));

/** The button with that text or name. */
const press = async (name) => {
  const fits = (each) => !each.disabled && (each.textContent.trim() === name || each.getAttribute("aria-label") === name);
  (await until(() => [...document.querySelectorAll("button")].find(fits))).click();
};

const key = (key) => document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

/** Writes into a field and leaves it, as people do. */
const write = (field, value) => {
  field.focus();
  field.value = value;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  field.blur();
};

/** Waits for a state of the deck. */
const state = (wanted) => new Promise((resolve) => {
  const look = () => {
    if (jamjarDeck.state !== wanted) return;
    jamjarDeck.removeEventListener("state", look);
    resolve();
  };
  jamjarDeck.addEventListener("state", look);
  look();
});

/**
 * Plays, and records what is heard once gains are where they go: they take 10 ms. Where a busy machine fetched too late, the
 * deck has faded and waited, and it is recorded again: from `from` seconds each time, where the sound has not much more to give.
 */
const listen = async (frames, from = null) => {
  for (let attempt = 1; ; attempt++) {
    if (from !== null) jamjarPlayer.seek(from);
    await jamjarDeck.play();
    await state("playing");
    let waited = false;
    const look = () => { waited ||= jamjarDeck.state === "waiting"; };
    jamjarDeck.addEventListener("state", look);
    await jamjarDeck.record(2_048);
    const tape = await jamjarDeck.record(frames);
    jamjarDeck.removeEventListener("state", look);
    if (!waited) return tape;
    if (attempt === 20) throw new Error("whenever it was listened to, the deck had to wait for sound");
  }
};

/** All samples of a track as they lie on the server: [left, right]. */
const sound = async (take, track) => {
  const bytes = await (await fetch(`/v1/takes/${take}/tracks/${track}/audio`)).arrayBuffer();
  const decoded = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(bytes);
  return [decoded.getChannelData(0), decoded.getChannelData(decoded.numberOfChannels - 1)];
};

/**
 * What `tape` should hold: tracks [[left, right]] with gains [[l, r]], repeating `loop` ({from, to}); the worst error, but
 * for `without` ({from, to}), where something fades.
 */
const error = (tape, tracks, gains, { loop = null, without = null } = {}) => {
  let worst = 0, at = tape.from;
  for (let n = 0; n < tape.left.length; n++) {
    let left = 0, right = 0;
    tracks.forEach(([l, r], index) => {
      left += (l[at] ?? 0) * gains[index][0];
      right += (r[at] ?? 0) * gains[index][1];
    });
    const isMeant = !without || at < without.from || at >= without.to;
    if (isMeant) worst = Math.max(worst, Math.abs(left - tape.left[n]), Math.abs(right - tape.right[n]));
    at += 1;
    if (loop && at === loop.to) at = loop.from;
  }
  return worst;
};

/** How much of each track is in a tape, [left, right], by what both have in common: for the message of a failure. */
const shares = (tape, tracks) => tracks.map((sides) => sides.map((samples, side) => {
  let common = 0, own = 0;
  [tape.left, tape.right][side].forEach((heard, n) => {
    const played = samples[tape.from + n] ?? 0;
    common += heard * played;
    own += played * played;
  });
  return common / own;
}));

/**
 * How much of a tone of `frequency` Hz is in `samples`: its amplitude, the mean of tenths of a second (Goertzel). A take stretches
 * its tracks a little to keep them in place. Over two seconds that is a third of a millisecond where the machine was busy, a third
 * of a turn of 990 Hz, and a tone that turns seems weaker the longer one looks at it. It also spreads to where others are
 * looked for, unless what is looked at fades in and out (Hann).
 */
const tone = (samples, frequency) => {
  const turn = (2 * Math.PI * frequency) / 48_000, twice = 2 * Math.cos(turn), length = Math.min(4_800, samples.length);
  let sum = 0, count = 0;
  for (let start = 0; start + length <= samples.length; start += length, count++) {
    let before = 0, last = 0;
    for (let index = 0; index < length; index++) {
      const faded = samples[start + index] * (0.5 - 0.5 * Math.cos((2 * Math.PI * index) / length));
      [before, last] = [last, faded + twice * last - before];
    }
    sum += (4 * Math.hypot(last - before * Math.cos(turn), before * Math.sin(turn))) / length;
  }
  return sum / count;
};

return { until, shown, press, key, write, state, listen, sound, error, shares, tone };
