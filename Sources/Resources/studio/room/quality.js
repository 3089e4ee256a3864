// Connection quality, from WebRTC's own counters (W3C webrtc-stats). The counters only grow, so the difference between
// two readings is what matters. They serve for delays and for what the page tells the service, which judges connections.

/**
 * @typedef {object} Reading counters, each undefined where the browser has none; delays in seconds
 * @property {number} at milliseconds
 * @property {number} [packets]
 * @property {number} [lost]
 * @property {number} [share]
 * @property {number} [jitter]
 * @property {number} [trip]
 * @property {number} [path]
 * @property {number[]} [buffered]
 * @property {number[]} [device]
 */

/** Reads the counters of one peer connection at intervals. */
export class Quality {
  /** @type {Reading | null} */
  #last = null;

  /**
   * Returns `roundTrip`, `jitter` and `buffer` (from a packet's arrival until its sound leaves the device) in
   * milliseconds, `loss` as a share of the packets since the last reading, `packets` and `lost` since then, and `rate` in packets a
   * second. Each is null while unknown.
   * @param {RTCPeerConnection} connection @param {number} [now]
   */
  async read(connection, now = performance.now()) {
    /** @type {Reading} */
    const seen = { at: now };
    const reports = [...(await connection.getStats()).values()];
    // Of a direct connection, which goes both ways (mesh/direct.js), what we hear counts.
    const hears = reports.some(({ type }) => type === "inbound-rtp");
    for (const report of reports) {
      switch (report.type) {
        case "inbound-rtp":
          Object.assign(seen, {
            packets: report.packetsReceived, lost: report.packetsLost, jitter: report.jitter,
            buffered: [report.jitterBufferDelay, report.jitterBufferEmittedCount],
          });
          break;
        case "outbound-rtp": if (!hears) seen.packets = report.packetsSent; break;
        // The server's reception report about our stream (RFC 3550 section 6.4).
        case "remote-inbound-rtp":
          seen.trip = report.roundTripTime;
          if (!hears) Object.assign(seen, { share: report.fractionLost, jitter: report.jitter });
          break;
        // Not every browser supports this; without it the device's own delay is not counted.
        case "media-playout": seen.device = [report.totalPlayoutDelay, report.totalSamplesCount]; break;
        case "candidate-pair": if (report.nominated) seen.path = report.currentRoundTripTime; break;
      }
    }
    /** @type {Reading} */
    const last = this.#last ?? { at: now };
    this.#last = seen;
    /** @param {"packets" | "lost"} name */
    const since = (name) => (seen[name] ?? 0) - (last[name] ?? 0);
    /** @param {"buffered" | "device"} name */
    const average = (name) => {
      const [delay, count] = [0, 1].map((part) => (seen[name]?.[part] ?? 0) - (last[name]?.[part] ?? 0));
      return count > 0 && delay >= 0 ? 1000 * delay / count : null;
    };
    const buffer = average("buffered"), packets = since("packets"), lost = since("lost");
    /** @param {number | undefined} seconds */
    const milliseconds = (seconds) => (seconds === undefined ? null : 1000 * seconds);
    return {
      roundTrip: milliseconds(seen.trip ?? seen.path), jitter: milliseconds(seen.jitter),
      buffer: buffer === null ? null : buffer + (average("device") ?? 0),
      loss: seen.share ?? (packets + lost > 0 ? Math.max(0, lost / (packets + lost)) : null),
      packets, lost: Math.max(0, lost), rate: now > last.at ? 1000 * packets / (now - last.at) : null,
    };
  }
}
