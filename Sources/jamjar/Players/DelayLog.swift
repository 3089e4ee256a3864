import Machines
import Realtime
import Signaling
import Synchronization

/// What synthetic musicians hear of each other: delays of packets that carry their sending time, and how many of those
/// that had to arrive did. Both times come from this machine's clock.
final class DelayLog: Sendable {
  /// A musician, as one listener hears it.
  private struct Leg: Hashable {
    var ear: Int
    var source: UInt32
  }

  /// A leg's packets, from the first that was heard on: what was sent before, nobody was there to hear.
  private struct Progress {
    var first: Int64
    var last: Int64
    /// When the last was sent, in nanoseconds.
    var lastSent: Int64
    var heard = 0
  }

  private struct State {
    /// Each packet's sending time and delay, in nanoseconds.
    var delays: [(sent: Int64, delay: Int64)] = []
    var legs: [Leg: Progress] = [:]
  }

  /// Seconds before the end in which a listener may be gone before the packet comes.
  private static let farewell = 0.5

  private let state = Mutex(State())

  /// - Parameter ear: the listener's number.
  func note(_ packet: ReceivedPacket, _ extensions: NegotiatedSession.ExtensionIDs?, by ear: Int) {
    guard let id = extensions?.absoluteCaptureTime, let stamp = packet.packet.absoluteCaptureTime(id) else { return }
    let sent = stamp.captured.nanoseconds
    let (number, leg) = (packet.extendedSequence, Leg(ear: ear, source: packet.packet.header.ssrc))
    state.withLock { state in
      state.delays.append((sent, packet.arrival.nanoseconds - sent))
      var progress = state.legs[leg] ?? Progress(first: number, last: number, lastSent: sent)
      progress.heard += 1
      if number > progress.last { (progress.last, progress.lastSent) = (number, sent) }
      state.legs[leg] = progress
    }
  }

  /// Counts and percentiles as one line of JSON, delays in milliseconds; `delayP99Second` is that of the worst second.
  /// `due` is what had to arrive: of each leg all from the first packet that was heard to half a second before the end.
  ///
  /// - Parameters:
  ///   - sent: packets of all musicians.
  ///   - packetLength: in seconds.
  ///   - listenersHeard: packets received by listeners; nil if there are no listeners.
  func summary(sent: Int, packetLength: Double, listenersHeard: Int? = nil) -> String {
    let (packets, legs) = state.withLock { ($0.delays, $0.legs) }
    let delays = packets.map(\.delay).sorted()
    let seconds = Dictionary(grouping: packets) { $0.sent / 1_000_000_000 }.values.map { $0.map(\.delay).sorted() }
    func value(_ delay: Int64?) -> JSONValue { delay.map { .measure(Double($0 / 1_000) / 1_000) } ?? .null }
    func percentile(_ share: Double) -> JSONValue { value(DelayLog.percentile(share, of: delays)) }
    // All play to one end: the latest that was heard of anybody.
    let end = legs.values.map(\.lastSent).max() ?? 0
    var (due, arrived) = (0, 0)
    for leg in legs.values {
      let span = Int(leg.last &- leg.first) + 1
      let silence = max(0, Double(end &- leg.lastSent) / 1e9 - DelayLog.farewell)
      due += span + Int(silence / packetLength)
      arrived += min(leg.heard, span)
    }
    var object: JSONObject = [
      "sent": .integer(Int64(sent)), "heard": .integer(Int64(delays.count)), "due": .integer(Int64(due)),
      "arrived": .integer(Int64(arrived)), "legs": .integer(Int64(legs.count)), "delayP50": percentile(0.5),
      "delayP99": percentile(0.99), "delayMax": percentile(1),
      "delayP99Second": value(seconds.compactMap { DelayLog.percentile(0.99, of: $0) }.max()),
    ]
    if let listenersHeard { object["listenersHeard"] = .integer(Int64(listenersHeard)) }
    return JSONValue.object(object).text
  }

  private static func percentile(_ share: Double, of sorted: [Int64]) -> Int64? {
    sorted.isEmpty ? nil : sorted[min(sorted.count - 1, Int(Double(sorted.count) * share))]
  }
}
