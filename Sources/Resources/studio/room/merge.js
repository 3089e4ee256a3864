/** Most cells of the letter-by-letter comparison table; a larger stretch counts as one change. */
const CELLS = 4_000_000;

/** The edits that turn `from` into `to`: [{start, end, text}], places in `from`, in order, no two touching.
 * @param {string} from @param {string} to */
export function changes(from, to) {
  let head = 0, tail = 0;
  const most = Math.min(from.length, to.length);
  while (head < most && from[head] === to[head]) head += 1;
  while (tail < most - head && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1;
  const a = from.slice(head, from.length - tail), b = to.slice(head, to.length - tail);
  if (!a && !b) return [];
  if (!a || !b || a.length * b.length > CELLS) return [{ start: head, end: head + a.length, text: b }];
  /** @type {{ start: number, end: number, text: string }[]} */
  const found = [];
  /** @param {number} start @param {number} end @param {string} text */
  const note = (start, end, text) => {
    const last = found.at(-1);
    if (last?.end === head + start) Object.assign(last, { end: head + end, text: last.text + text });
    else found.push({ start: head + start, end: head + end, text });
  };
  // The longest common subsequence (Wagner and Fischer 1974): lengths from the end, then one walk from the beginning.
  const width = b.length + 1, lengths = new Uint32Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = a[i] === b[j] ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < a.length || j < b.length;) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      i += 1;
      j += 1;
    } else if (j === b.length || (i < a.length && lengths[(i + 1) * width + j] >= lengths[i * width + j + 1])) {
      note(i, i + 1, "");
      i += 1;
    } else {
      note(i, i, b[j]);
      j += 1;
    }
  }
  return found;
}

/**
 * Merges two edits of one text, `mine` and `theirs`, both made from `base`. All insertions appear once and all deletions
 * apply; where both wrote at one place, mine comes first. Also returns the new place of a caret in my text.
 * @param {string} base @param {string} mine @param {string} theirs @param {number} [caret]
 */
export function merge(base, mine, theirs, caret = 0) {
  const my = changes(base, mine), their = changes(base, theirs);
  if (!my.length && !their.length) return { text: mine, caret };
  let text = "", at = 0, mineAt = 0, m = 0, t = 0;
  /** @type {number | null} */
  let moved = null;
  // Copies the part of the base that both kept, up to a place.
  /** @param {number} to */
  const keep = (to) => {
    if (to <= at) return;
    const length = to - at;
    if (moved === null && caret <= mineAt + length) moved = text.length + Math.max(0, caret - mineAt);
    text += base.slice(at, to);
    mineAt += length;
    at = to;
  };
  while (m < my.length || t < their.length) {
    const isMine = t === their.length || (m < my.length && my[m].start <= their[t].start);
    const change = isMine ? my[m] : their[t];
    keep(change.start);
    if (isMine) {
      m += 1;
      if (moved === null && caret <= mineAt + change.text.length) moved = text.length + Math.max(0, caret - mineAt);
      mineAt += change.text.length;
      text += change.text;
    } else {
      t += 1;
      // The same letters at the same place from both sides are one edit.
      const same = my[m - 1];
      if (!(same && same.start === change.start && same.end === change.end && same.text === change.text)) text += change.text;
    }
    // A deletion by either side applies, whatever the other side did beside it; mine counts in my text's own length.
    if (change.end > at) {
      if (!isMine) mineAt += Math.max(0, change.end - Math.max(at, ...my.slice(0, m).map((one) => one.end)));
      at = change.end;
    }
  }
  keep(base.length);
  return { text, caret: Math.min(moved ?? text.length, text.length) };
}
