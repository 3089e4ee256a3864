// Settings that this browser remembers. If storage is switched off, nothing is remembered and nothing breaks.

/** @param {() => Storage} storage */
function over(storage) {
  return {
    /** @param {string} key @param {any} [otherwise] */
    read(key, otherwise = null) {
      try {
        return JSON.parse(storage().getItem(`jamjar-${key}`) ?? "null") ?? otherwise;
      } catch {
        return otherwise;
      }
    },
    /** @param {string} key @param {any} value */
    write(key, value) {
      try {
        if (value === null || value === undefined) storage().removeItem(`jamjar-${key}`);
        else storage().setItem(`jamjar-${key}`, JSON.stringify(value));
      } catch { /* full, or switched off */ }
    },
  };
}

/** Kept by this browser: name, instrument, devices, settings. */
export const memory = over(() => localStorage);

/** Kept by this tab: the seat in a room, so that a reload goes back to it. */
export const tabMemory = over(() => sessionStorage);
