// Connection quality, from WebRTC's own counters (W3C webrtc-stats). The counters only grow, so the difference between
// two readings is what matters.

/** Reads the counters of one peer connection at intervals. */
export class Quality {
  #last = null;

  /**
   * Returns `roundTrip`, `jitter` and `buffer` (from a packet's arrival until its sound leaves the device) in
   * milliseconds, `loss` as a share of the packets since the last reading, `packets` since then, and `rate` in packets a
   * second. Each is null while unknown.
   */
  async read(connection, now = performance.now()) {
    const seen = { at: now };
    for (const report of (await connection.getStats()).values()) {
      switch (report.type) {
        case "inbound-rtp":
          Object.assign(seen, {
            packets: report.packetsReceived, lost: report.packetsLost, jitter: report.jitter,
            buffered: [report.jitterBufferDelay, report.jitterBufferEmittedCount],
          });
          break;
        case "outbound-rtp": seen.packets = report.packetsSent; break;
        // The server's reception report about our stream (RFC 3550 section 6.4).
        case "remote-inbound-rtp":
          Object.assign(seen, { share: report.fractionLost, jitter: report.jitter, trip: report.roundTripTime });
          break;
        // Not every browser supports this; without it the device's own delay is not counted.
        case "media-playout": seen.device = [report.totalPlayoutDelay, report.totalSamplesCount]; break;
        case "candidate-pair": if (report.nominated) seen.path = report.currentRoundTripTime; break;
      }
    }
    const last = this.#last ?? { at: now };
    this.#last = seen;
    const since = (name) => (seen[name] ?? 0) - (last[name] ?? 0);
    const average = (name) => {
      const [delay, count] = [0, 1].map((part) => (seen[name]?.[part] ?? 0) - (last[name]?.[part] ?? 0));
      return count > 0 && delay >= 0 ? 1000 * delay / count : null;
    };
    const buffer = average("buffered"), packets = since("packets"), lost = since("lost");
    const milliseconds = (seconds) => (seconds === undefined ? null : 1000 * seconds);
    return {
      roundTrip: milliseconds(seen.trip ?? seen.path), jitter: milliseconds(seen.jitter),
      buffer: buffer === null ? null : buffer + (average("device") ?? 0),
      loss: seen.share ?? (packets + lost > 0 ? Math.max(0, lost / (packets + lost)) : null),
      packets, rate: now > last.at ? 1000 * packets / (now - last.at) : null,
    };
  }
}

/** "good", "fair", "poor" or null: how the connection feels to a musician. */
export function verdict({ roundTrip, loss, jitter, buffer }) {
  if (roundTrip === null && loss === null && buffer === null) return null;
  if (loss > 0.03 || roundTrip > 120 || jitter > 30 || buffer > 150) return "poor";
  if (loss > 0.005 || roundTrip > 50 || jitter > 12 || buffer > 80) return "fair";
  return "good";
}
