import Machines
import Realtime

/// A musician's arrivals before the live mix began.
///
/// A mix that knows them places the musician's first block as if it had been running all the time. Without them it has
/// to assume a cautious delay, which it may lower only as slowly as nobody hears it.
package struct LiveHistory: Sendable {
  /// After a longer pause, arrivals say nothing any more.
  private static let patience = MonotonicTime.Span.seconds(2)

  private(set) var origin: LiveSource.Origin?
  private(set) var jitter = JitterDelay(JitterDelay.Limits(LiveMixer.Configuration()))
  private var stream: LiveSource.Stream?
  private var last: (timestamp: Int64, arrival: MonotonicTime)?

  package init() {}

  /// Adds a packet as the mix would have received it.
  package mutating func add(_ received: ReceivedPacket) {
    guard !received.isDuplicate, !received.isRepair, !received.packet.payload.isEmpty else { return }
    if let origin, let timestamp = position(of: received) {
      add(timestamp, at: received.arrival, from: origin)
    } else {
      let origin = LiveSource.Origin(arrival: received.arrival, timestamp: received.extendedTimestamp)
      self = LiveHistory()
      (self.origin, stream) = (origin, LiveSource.Stream(of: received))
      add(LiveSource.Origin.lead, at: received.arrival, from: origin)
    }
  }

  /// The packet's timestamp from the origin; nil if it does not continue what was seen.
  func position(of received: ReceivedPacket) -> Int64? {
    guard let origin, let last, stream == LiveSource.Stream(of: received),
      received.arrival - last.arrival < LiveHistory.patience
    else { return nil }
    let (timestamp, overflow) = received.extendedTimestamp.subtractingReportingOverflow(origin.timestamp)
    guard !overflow, timestamp.magnitude < 1 << 48, (timestamp - last.timestamp).magnitude < LiveSource.farthest
    else { return nil }
    return timestamp
  }

  private mutating func add(_ timestamp: Int64, at arrival: MonotonicTime, from origin: LiveSource.Origin) {
    let time = origin.seconds(arrival)
    jitter.add(transit: time - Double(timestamp) / SenderClock.rate, at: time)
    last = (timestamp, arrival)
  }
}
