/** A burst of events is one change to whoever shows a list: milliseconds to wait for the rest of it. */
const GATHER = 150;

/**
 * Listens to the service's event stream (docs/events.md); `changed(type)` is called for each kind of event at most once
 * for a burst, with "reset" where events were missed. The browser comes back by itself. Answers a function that ends it.
 */
export function feed(types, changed) {
  const source = new EventSource(`/v1/events?types=${types.join(",")}`);
  const waiting = new Set();
  let timer = null;
  const note = ({ type }) => {
    waiting.add(type);
    timer ??= setTimeout(() => {
      timer = null;
      const found = [...waiting];
      waiting.clear();
      for (const group of new Set(found.map((name) => name.split(".")[0]))) {
        changed(found.find((name) => name.split(".")[0] === group));
      }
    }, GATHER);
  };
  for (const type of KINDS) if (types.includes(type.split(".")[0])) source.addEventListener(type, note);
  source.addEventListener("reset", note);
  return () => {
    clearTimeout(timer);
    source.close();
  };
}

const KINDS = [
  "room.joined", "room.left", "room.recordingStarted", "room.recordingStopped", "session.started", "session.ended",
  "take.started", "take.stopped", "take.split", "take.discarded", "take.ready", "take.incomplete", "take.failed",
  "take.edited", "take.deleted", "take.restored",
];
