import Machines
import Realtime
import Signaling
import Synchronization

/// Delays of packets stamped with their sending time; both times come from this machine's clock.
final class DelayLog: Sendable {
  private let delays = Mutex<[Int64]>([])

  func note(_ packet: ReceivedPacket, _ extensions: NegotiatedSession.ExtensionIDs?) {
    guard let id = extensions?.absoluteCaptureTime, let stamp = packet.packet.absoluteCaptureTime(id) else { return }
    let delay = packet.arrival.nanoseconds - stamp.captured.nanoseconds
    delays.withLock { $0.append(delay) }
  }

  /// Counts and percentiles as one line of JSON, delays in milliseconds.
  ///
  /// - Parameter listenersHeard: packets received by listeners; nil if there are no listeners.
  func summary(sent: Int, listenersHeard: Int? = nil) -> String {
    let sorted = delays.withLock { $0.sorted() }
    func percentile(_ share: Double) -> JSONValue {
      guard !sorted.isEmpty else { return .null }
      let index = min(sorted.count - 1, Int(Double(sorted.count) * share))
      return .measure(Double(sorted[index] / 1_000) / 1_000)
    }
    var object: JSONObject = [
      "sent": .integer(Int64(sent)), "heard": .integer(Int64(sorted.count)), "delayP50": percentile(0.5),
      "delayP99": percentile(0.99), "delayMax": percentile(1),
    ]
    if let listenersHeard { object["listenersHeard"] = .integer(Int64(listenersHeard)) }
    return JSONValue.object(object).text
  }
}
