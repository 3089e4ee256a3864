// A song's sheet as lines: ChordPro where it is written so (chords in brackets, directives in braces; chordpro.org), and
// everything else as it is written. Pure.

/** What stands in brackets is a chord if it reads like one: "Am7", "F#m7b5/C", "N.C."; "Chorus" does not. */
const CHORD = /^(?:[A-H](?:#|b|♯|♭)?(?:maj|min|dim|aug|sus|add|alt|omit|no|m|M|°|ø|Δ|\+|-|\d|#|b|♯|♭|[(),])*(?:\/[A-H](?:#|b|♯|♭)?)?|N\.?C\.?|[|:%./-]+)$/;
const BRACKETS = /\[([^[\]]{1,24})\]/g;
const DIRECTIVE = /^\s*\{\s*([a-z_]+)\s*(?::\s*(.*?))?\s*\}\s*$/i;
/** Directives whose words are read, and those that begin a part of the song. */
const TITLES = ["title", "t"];
const WORDS = ["comment", "c", "comment_italic", "ci", "comment_box", "cb", "subtitle", "st", "artist", "composer", "key", "capo", "tempo", "time"];
/** @type {Record<string, string>} */
const PARTS = {
  start_of_chorus: "Chorus", soc: "Chorus", chorus: "Chorus", start_of_verse: "Verse", sov: "Verse", start_of_bridge: "Bridge", sob: "Bridge",
};
/** Directives whose value does not speak for itself. */
const NAMED = ["key", "capo", "tempo", "time"];

/**
 * @typedef {{ chord: string | null, words: string }} Piece a chord and what is sung from it on
 * @typedef {{ kind: "plain", text: string } | { kind: "remark", text: string } | { kind: "chords", words: Piece[][] }} Line the pieces of a word stay together
 */

/** The title that a sheet gives itself, or null, and its lines.
 * @param {string} text @returns {{ title: string | null, lines: Line[] }} */
export function songLines(text) {
  /** @type {string | null} */
  let title = null;
  /** @type {Line[]} */
  const lines = [];
  for (const line of text.split("\n")) {
    const found = DIRECTIVE.exec(line);
    if (!found) {
      lines.push(lineOf(line));
      continue;
    }
    const name = found[1].toLowerCase(), value = found[2] ?? "";
    if (TITLES.includes(name)) title ??= value || null;
    else if (PARTS[name]) lines.push({ kind: "remark", text: value || PARTS[name] });
    else if (WORDS.includes(name) && value) lines.push({ kind: "remark", text: NAMED.includes(name) ? `${name}: ${value}` : value });
    // The others are for printers.
  }
  return { title, lines };
}

/** @param {string} line @returns {Line} */
function lineOf(line) {
  /** @type {Piece[]} */
  const pieces = [];
  let at = 0, isSung = false;
  for (const found of line.matchAll(BRACKETS)) {
    const chord = found[1].trim();
    if (!CHORD.test(chord)) continue;
    const start = found.index ?? 0, before = line.slice(at, start);
    if (pieces.length) pieces[pieces.length - 1].words = before;
    else if (before) pieces.push({ chord: null, words: before });
    pieces.push({ chord, words: "" });
    at = start + found[0].length;
    isSung = true;
  }
  if (!isSung) return { kind: "plain", text: line };
  pieces[pieces.length - 1].words = line.slice(at);
  return { kind: "chords", words: wordsOf(pieces) };
}

/** Pieces as words: a line may break behind a blank only, also where a chord changes within a word.
 * @param {Piece[]} pieces @returns {Piece[][]} */
function wordsOf(pieces) {
  /** @type {Piece[][]} */
  const words = [[]];
  for (const { chord, words: sung } of pieces) {
    sung.split(/(?<=\s)(?=\S)/).forEach((part, at) => {
      words[words.length - 1].push({ chord: at ? null : chord, words: part });
      if (/\s$/.test(part)) words.push([]);
    });
  }
  return words.filter((word) => word.length);
}
