/** Keeps the screen on while in a room: a phone that falls asleep stops sending, and its recording stops too.
 * @param {Studio} studio */
export function keepAwake(studio) {
  /** @type {WakeLock | null} */
  let lock = null;
  let asked = false;
  const look = async () => {
    const wanted = ["joined", "reconnecting"].includes(studio.phase) && document.visibilityState === "visible";
    if (!wanted) {
      lock?.release().catch(() => {});
      lock = null;
    }
    if (!wanted || lock || asked || !navigator.wakeLock) return;
    asked = true;
    try {
      lock = await navigator.wakeLock.request("screen");
      lock.addEventListener("release", () => { lock = null; });
    } catch {
      // Low battery or no permission: the musician has to keep the screen on.
    }
    asked = false;
    // The room may have been left meanwhile.
    if (lock) look();
  };
  studio.addEventListener("state", look);
  document.addEventListener("visibilitychange", look);
}
