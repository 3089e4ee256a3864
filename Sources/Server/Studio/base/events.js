// The server's events (docs/events.md, section 2) for as long as a view is open. The browser comes back by itself and
// asks for what it missed; where that is gone, `reset` says to look anew.

/** Calls `handlers[type](data)`, `handlers.reset()` among them; answers a function that ends it. */
export function followEvents(types, handlers) {
  const source = new EventSource(`/v1/events?types=${types.map(encodeURIComponent).join(",")}`);
  for (const [type, handler] of Object.entries(handlers)) {
    source.addEventListener(type, (event) => handler(JSON.parse(event.data)));
  }
  return () => source.close();
}

/** A burst of events is one change to whoever shows a list: milliseconds to wait for the rest of it. */
const GATHER = 150;

/** Calls `work` once for all calls of a moment; `cancel()` forgets those that wait. */
export function gathered(work) {
  let timer = null;
  const soon = () => {
    timer ??= setTimeout(() => {
      timer = null;
      work();
    }, GATHER);
  };
  soon.cancel = () => clearTimeout(timer);
  return soon;
}
