// The server's events (docs/events.md, section 2) while a view is open. The browser reconnects by itself and requests
// missed events, but it gives up after a refusal; then this module does both. If missed events are gone, `reset` tells
// the view to reload.

/**
 * Calls `handlers[type](data)`, and `reset()` if events may have been missed. A view that looks once `opened` has settled
 * misses nothing and looks once: that is when the stream opens, or, without it, when it is refused or LISTENING has passed,
 * since no stream keeps anybody from what it would tell of. If it opens after that, `reset()` has the view look once more.
 * `end()` closes the stream.
 * @param {{ reset(): void, [type: string]: ((data: any) => unknown) | undefined }} handlers
 * @returns {{ end(): void, opened: Promise<void> }}
 */
export function followEvents({ reset, ...handlers }) {
  const types = Object.keys(handlers);
  /** @type {EventSource} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {string | null} */
  let last = null;
  let refusals = 0;
  let wasOpen = false, looks = false;
  /** @type {() => void} */
  let look = () => {};
  /** @type {Promise<void>} */
  const opened = new Promise((resolve) => {
    look = () => {
      looks = true;
      resolve();
    };
  });
  const patience = setTimeout(look, LISTENING);
  const connect = () => {
    const resume = last === null ? "" : `&lastEventId=${encodeURIComponent(last)}`;
    source = new EventSource(`/v1/events?types=${types.map(encodeURIComponent).join(",")}${resume}`);
    /** @param {string} type @param {(event: MessageEvent) => void} handler */
    const hear = (type, handler) => source.addEventListener(type, (event) => {
      last = event.lastEventId || last;
      handler(event);
    });
    for (const type of types) hear(type, (event) => handlers[type]?.(JSON.parse(event.data)));
    hear("reset", () => reset());
    source.addEventListener("open", () => {
      const isGap = refusals > 0 && !resume;
      refusals = 0;
      // Nothing replays what was before to a view that has looked, nor the time of the refusals to one that never had an event.
      if (isGap || (!wasOpen && looks)) reset();
      wasOpen = true;
      look();
    });
    // The browser gives up after a refusal (401: the key does not hold; 429: too many streams are open).
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(connect, Math.min(REFUSED * 2 ** refusals, LONGEST));
      refusals += 1;
      look();
    });
  };
  connect();
  const end = () => {
    clearTimeout(patience);
    clearTimeout(timer);
    source.close();
    look();
  };
  return { end, opened };
}

/** Milliseconds. */
const LISTENING = 300;

/**
 * Milliseconds until the next attempt after the first refusal, and at most. The pause doubles: a refused key counts as a
 * wrong one, of which an address has ten a minute (docs/operating.md), and several tabs may have it.
 */
const REFUSED = 10_000;
const LONGEST = 160_000;

/** Milliseconds to wait for the rest of a burst of events, which a list treats as one change. */
const GATHER = 150;

/** Calls `work` once for a burst of calls; `cancel()` drops a pending call.
 * @param {() => unknown} work */
export function gathered(work) {
  /** @type {ReturnType<typeof setTimeout> | null} */
  let timer = null;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      work();
    }, GATHER);
  };
  soon.cancel = () => clearTimeout(timer ?? undefined);
  return soon;
}
