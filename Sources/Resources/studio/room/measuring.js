/** Interval of measuring connections, and of reporting to the recorder, in milliseconds. */
const MEASURING = 2000;
const TELLING = 5000;

/**
 * Measures and reports while a room is open, and looks for new paths when the network changes. Returns what ends that.
 * @param {{ measure(): Promise<unknown>, report(): Promise<unknown>, restart(): unknown }} does
 */
export function keepMeasuring({ measure, report, restart }) {
  navigator.connection?.addEventListener?.("change", restart);
  addEventListener("online", restart);
  // What fails now, for want of a link perhaps, is done again at the next turn.
  const attempt = (/** @type {() => Promise<unknown>} */ work) => () => work().catch(() => {});
  attempt(report)();
  const timers = [setInterval(attempt(measure), MEASURING), setInterval(attempt(report), TELLING)];
  return () => {
    for (const timer of timers) clearInterval(timer);
    navigator.connection?.removeEventListener?.("change", restart);
    removeEventListener("online", restart);
  };
}
