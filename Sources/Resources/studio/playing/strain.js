// Whether this computer is short of time: what the page does takes so long that sound has to wait in buffers.

/** Milliseconds that are looked back, and of these in long tasks from which on it is busy. A task is long from 50 ms on (W3C Long
 * Tasks, section 1). */
const SPAN = 10_000;
const BUSY = 2_500;

/** Adds up the long tasks of the last seconds; browsers without such news are never busy. */
export class Strain {
  /** @type {{ at: number, length: number }[]} */
  #tasks = [];

  constructor() {
    if (!globalThis.PerformanceObserver?.supportedEntryTypes?.includes("longtask")) return;
    new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries()) this.take(startTime + duration, duration);
    }).observe({ type: "longtask" });
  }

  /** @param {number} at the task's end @param {number} length both in milliseconds */
  take(at, length) {
    this.#tasks = [...this.#tasks.filter((task) => at - task.at < SPAN), { at, length }];
  }

  isBusy(now = performance.now()) {
    return this.#tasks.reduce((sum, { at, length }) => sum + (now - at < SPAN ? length : 0), 0) > BUSY;
  }
}
