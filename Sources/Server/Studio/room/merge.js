/** The stretch in which two texts differ: `{start, removed, inserted}`; what is before and behind it is the same. */
function difference(from, to) {
  let start = 0, end = 0;
  const most = Math.min(from.length, to.length);
  while (start < most && from[start] === to[start]) start += 1;
  while (end < most - start && from[from.length - 1 - end] === to[to.length - 1 - end]) end += 1;
  return { start, removed: from.length - start - end, inserted: to.slice(start, to.length - end) };
}

/**
 * What two people made of one text: `mine` and `theirs`, both from `base`. Both changes are kept where they touch
 * different stretches, and both texts where they touch the same one. Also says where a caret in my text goes.
 */
export function merge(base, mine, theirs, caret = 0) {
  const my = difference(base, mine), their = difference(base, theirs);
  const shift = (position) => {
    if (position <= their.start) return position;
    return Math.max(their.start, position - their.removed) + their.inserted.length;
  };
  if (!my.removed && !my.inserted) return { text: theirs, caret: shift(caret) };
  if (!their.removed && !their.inserted) return { text: mine, caret };
  if (my.start + my.removed <= their.start) {
    const moved = their.start - my.removed + my.inserted.length;
    const text = mine.slice(0, moved) + their.inserted + mine.slice(moved + their.removed);
    return { text, caret: caret <= moved ? caret : caret + their.inserted.length - their.removed };
  }
  const end = their.start + their.removed, grown = their.inserted.length - their.removed;
  if (end <= my.start) {
    const start = my.start + grown;
    return { text: theirs.slice(0, start) + my.inserted + theirs.slice(start + my.removed), caret: caret + grown };
  }
  // Both changed the same stretch: nothing that somebody wrote is dropped.
  const start = Math.min(my.start, their.start);
  const text = theirs.slice(0, their.start + their.inserted.length) + my.inserted + theirs.slice(their.start + their.inserted.length);
  return { text, caret: Math.max(start, caret + their.inserted.length) };
}
