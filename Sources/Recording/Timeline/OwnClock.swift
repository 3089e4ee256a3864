import Machines

/// What a client's own clock says of its way to us: the studio reads our clock every few seconds, and tells what its own was.
///
/// A reading is an interval as long as its round trip, and rests on no claim about how long something was held. A sender
/// report tells when it left by the same clock, so that its way is known in one direction. Capture times are left out of
/// it: Chromium's were 8 to 9 ms late, with a fake device, against its packets and reports.
struct OwnClock: Sendable, Codable {
  private struct Reading: Sendable, Codable {
    /// The client's clock, in seconds.
    var senderTime: Double
    /// The same instant on our clock, in seconds from the take's zero.
    var captured: Double
    /// In seconds; half of it bounds the error.
    var roundTrip: Double
  }

  private struct Report: Sendable, Codable {
    var senderTime: Double
    var arrival: Double
  }

  /// Number of readings kept; the studio sends one every five seconds.
  private static let capacity = 32
  /// Lifetime of a report, in seconds: as long as a level, so that another path is followed.
  private static let span = 32.0
  /// Number of reports kept.
  private static let greatestReports = 64
  /// Maximum divergence of the client's clock from ours per second.
  private static let wander = Double(MonotonicTime.greatestDivergence) * 1e-6
  /// Maximum difference between two readings of one clock, in seconds.
  private static let grain = 0.001

  private var readings: [Reading] = []
  private var reports: [Report] = []

  /// Adds a reading: the client's clock was at `senderTime` half a round trip before `arrival`, all in seconds.
  mutating func add(senderTime: Double, arrival: Double, roundTrip: Double) {
    guard roundTrip >= 0, roundTrip < 10 else { return }
    readings.append(Reading(senderTime: senderTime, captured: arrival - roundTrip / 2, roundTrip: roundTrip))
    if readings.count > OwnClock.capacity { readings.removeFirst() }
  }

  /// Adds a sender report that left at `senderTime` of the client's clock.
  mutating func note(report senderTime: Double, arrival: Double) {
    reports.append(Report(senderTime: senderTime, arrival: arrival))
    reports.removeAll { $0.arrival < arrival - OwnClock.span }
    if reports.count > OwnClock.greatestReports { reports.removeFirst() }
  }

  /// The longest time that the quickest of the last reports can have been under way, in seconds. Nil without readings or
  /// reports, and if a report would have left after its arrival: then it is another clock.
  var longestWay: Double? {
    var longest: Double?
    for report in reports {
      // The reading that knows most of it: with a short round trip, and not long before or after.
      let ways = readings.map { reading in
        let distance = report.senderTime - reading.senderTime
        return (
          way: report.arrival - reading.captured - distance,
          error: reading.roundTrip / 2 + abs(distance) * OwnClock.wander + OwnClock.grain
        )
      }
      guard let best = ways.min(by: { $0.error < $1.error }) else { return nil }
      if best.way < -best.error { return nil }
      longest = min(longest ?? .infinity, best.way + best.error)
    }
    return longest
  }
}
