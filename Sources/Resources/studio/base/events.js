// The server's events (docs/events.md, section 2) while a view is open. The browser reconnects by itself and requests
// missed events, but it gives up after a refusal; then this module does both. If missed events are gone, `reset` tells
// the view to reload.

/**
 * Calls `handlers[type](data)`, `reset()` if missed events are gone, and `open()` when the stream opens for the first time:
 * no event tells what happened before, while the view was loaded, so the view looks once more. Returns a function that
 * closes the stream.
 * @param {{ reset(): void, open(): void, [type: string]: ((data: any) => unknown) | undefined }} handlers
 */
export function followEvents({ reset, open, ...handlers }) {
  const types = Object.keys(handlers);
  /** @type {EventSource} */
  let source;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {string | null} */
  let last = null;
  let refusals = 0;
  let wasOpen = false;
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
      if (!wasOpen) open();
      wasOpen = true;
      // Nothing replays the time of the refusals to a view that never had an event.
      if (isGap) reset();
    });
    // The browser gives up after a refusal (401: the key does not hold; 429: too many streams are open).
    source.addEventListener("error", () => {
      if (source.readyState !== EventSource.CLOSED) return;
      timer = setTimeout(connect, Math.min(REFUSED * 2 ** refusals, LONGEST));
      refusals += 1;
    });
  };
  connect();
  return () => {
    clearTimeout(timer);
    source.close();
  };
}

/**
 * For a view that looks once it listens, and so misses nothing: `opened` settles when `open` is called, or without it after
 * LISTENING, since a stream that is refused or slow keeps nobody from what it would tell of.
 */
export function opening() {
  let open = () => {};
  /** @type {Promise<void>} */
  const opened = new Promise((resolve) => {
    open = resolve;
    setTimeout(resolve, LISTENING);
  });
  return { open, opened };
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
