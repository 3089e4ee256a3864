/** Keeps the screen on while somebody is in a room: a phone that falls asleep stops playing, and recording with it. */
export function keepAwake(studio) {
  let lock = null, asked = false;
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
      // Low on battery, or not allowed: then the musician sees to it.
    }
    asked = false;
    // The room may have been left meanwhile.
    if (lock) look();
  };
  studio.addEventListener("state", look);
  document.addEventListener("visibilitychange", look);
}
