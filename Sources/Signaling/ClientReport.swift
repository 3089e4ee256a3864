import Machines
import Music

/// A client's measurements, for the time line and the quality track.
package struct ClientReport: Hashable, Sendable {
  /// The client's clock in the middle between its ping and the answer, in nanoseconds since 1970; nil without a measurement.
  package var clientTime: Int64?
  /// Our clock in that answer.
  package var serverTime: MonotonicTime?
  /// The time from the ping to the answer, in nanoseconds.
  package var roundTrip: Int64?
  /// The client's playout delay for each other participant, in nanoseconds.
  package var playoutDelays: [ParticipantID: Int64]
  /// The round trip to each participant who is heard directly, in nanoseconds.
  package var directTrips: [ParticipantID: Int64]
  /// What reaches the client, in the last seconds.
  package var health: HeardQuality?

  package init(
    clientTime: Int64? = nil, serverTime: MonotonicTime? = nil, roundTrip: Int64? = nil,
    playoutDelays: [ParticipantID: Int64] = [:],
    directTrips: [ParticipantID: Int64] = [:], health: HeardQuality? = nil
  ) {
    self.clientTime = clientTime
    self.serverTime = serverTime
    self.roundTrip = roundTrip
    self.playoutDelays = playoutDelays
    self.directTrips = directTrips
    self.health = health
  }
}

extension ClientReport {
  /// How old the answer to a ping may be. The page reports at once.
  private static let freshness = MonotonicTime.Span.seconds(10)

  /// The reading of the client's clock, as of `now`.
  ///
  /// However late the report comes, the answer to the ping was on its way within its round trip. By how much the clocks may
  /// have diverged since then makes that longer. Nil without a reading, and if its answer is an old one or none of this machine's.
  package func reading(at now: MonotonicTime) -> ClockReading? {
    guard let clientTime, let serverTime, let roundTrip, roundTrip >= 0, serverTime <= now,
      now - serverTime < ClientReport.freshness
    else { return nil }
    let age = (now - serverTime).nanoseconds
    let divergence = age * MonotonicTime.greatestDivergence / 1_000_000
    let (uncertain, isTooLong) = roundTrip.addingReportingOverflow(2 * divergence)
    let (time, overflow) = clientTime.addingReportingOverflow(age - uncertain / 2)
    return overflow || isTooLong ? nil : ClockReading(clientTime: time, roundTrip: .nanoseconds(uncertain), at: now)
  }
}

/// A reading of a client's clock beside ours.
package struct ClockReading: Hashable, Sendable {
  /// The client's clock half of `roundTrip` before `at`, in nanoseconds since 1970.
  package var clientTime: Int64
  /// From the question to its answer, and twice what the clocks may have diverged by since; half of it bounds the error.
  package var roundTrip: MonotonicTime.Span
  /// When the reading was told.
  package var at: MonotonicTime
}
