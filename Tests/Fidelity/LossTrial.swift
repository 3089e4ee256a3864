import TestSupport

/// How much of an hour never reaches the recorder over a lossy path, and what asking again costs.
struct LossTrial {
  let minutes: Double
  let runs: Int

  /// Seconds that the musician plays on after the take, while its last holes are asked for.
  private static let after = 4.0

  func run() {
    let jitter = VirtualLink.Jitter.uniform(0.01)
    for loss in [0.01, 0.05, 0.1, 0.2, 0.3] {
      tell("random", loss, path: VirtualPath(delay: 0.03, jitter: jitter, loss: loss))
    }
    tell("bursts of 200 ms", 0.05, path: VirtualPath(delay: 0.03, jitter: jitter, burstShare: 0.05, burst: 0.2))
    tell("bursts of 1 s", 0.05, path: VirtualPath(delay: 0.03, jitter: jitter, burstShare: 0.05, burst: 1))
  }

  private func tell(_ kind: String, _ loss: Double, path: VirtualPath) {
    let length = Int(minutes * 60 / 0.02)
    let packets = (0..<(length + Int(LossTrial.after / 0.02))).map { index in
      VirtualNetwork.Packet(
        time: Double(index + 1) * 0.02, content: MediaHead.bytes(index), size: MediaHead.packetLength)
    }
    var missing = Distribution()
    var extra = Distribution()
    var nack = Distribution()
    var requests = Distribution()
    var whole = 0
    var late = 0
    for run in 0..<runs {
      let delivery = VirtualNetwork(there: path, seed: UInt64(run) + 1).carry(packets)
      // Nobody can miss what was sent before the first packet that came.
      let first = delivery.arrivals.first?.packet ?? 0
      let lost = delivery.missing.filter { $0 > first && $0 < length }.count
      // The render waits 4 s, less the way that the next packet needs to show how late it is.
      late += delivery.arrivals.count { $0.packet < length && $0.time - packets[$0.packet].time > 3.9 }
      missing.add(Double(lost) * 60 / minutes)
      if lost == 0 { whole += 1 }
      extra.add(delivery.counts.extra * 100)
      nack.add(Double(delivery.counts.nackBytes) / (Double(packets.count) * 0.02))
      requests.add(Double(delivery.counts.nackPackets) / (Double(packets.count) * 0.02))
    }
    var figure = Figure("loss")
    figure.add("kind", kind)
    figure.add("lossPercent", loss * 100)
    figure.add("minutes", minutes)
    figure.add("runs", runs)
    figure.add("missingPerHour", missing)
    figure.add("wholeRunsPercent", Double(whole) * 100 / Double(runs))
    figure.add("tooLateForRender", late)
    figure.add("extraUpstreamPercent", extra.quantile(0.5))
    figure.add("nackBytesPerSecond", nack.quantile(0.5))
    figure.add("nackPacketsPerSecond", requests.quantile(0.5))
    figure.tell()
  }
}
