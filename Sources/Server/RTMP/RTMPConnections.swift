import Machines
import Music
import Recording
import Rooms
import Signaling
import Synchronization

/// The open RTMP connections, for statistics.
final class RTMPConnections: Sendable {
  /// One connection: what its socket carries, and where to ask for the rest.
  final class Meter: Sendable {
    /// What the room's side of a connection knows of it.
    struct Facts: Sendable {
      var room: RoomName?
      var participants: [ParticipantID] = []
      var codecs: [String] = []
      var publishes = false
      var plays = false
      /// Packets that players gave up.
      var dropped = 0
    }

    private struct State {
      var received = TrafficMeter()
      var sent = TrafficMeter()
      var droppedBefore = 0
    }

    /// Sorts by the beginning.
    let id = "\(ParticipantID(at: MonotonicClock.wall))-rtmp"
    let since = MonotonicClock.wall
    private let address: String?
    private let waiting: OutgoingBytes
    private let facts: @Sendable () -> Facts
    private let state = Mutex(State())

    init(address: String?, waiting: OutgoingBytes, facts: @escaping @Sendable () -> Facts) {
      self.address = address
      self.waiting = waiting
      self.facts = facts
    }

    func received(_ count: Int) { state.withLock { $0.received.add(count, at: MonotonicClock.now) } }
    func sent(_ count: Int) { state.withLock { $0.sent.add(count, at: MonotonicClock.now) } }

    var statistics: ConnectionStatistics {
      let facts = facts()
      let state = state.withLock { $0 }
      return ConnectionStatistics(
        id: id, room: facts.room, participants: facts.participants, dialect: .rtmp,
        direction: facts.publishes ? facts.plays ? .both : .incoming : .outgoing, transport: "tcp", state: "connected",
        since: since, address: address, codecs: facts.codecs, received: state.received, sent: state.sent,
        buffered: waiting.count, dropped: Int64(facts.dropped))
    }

    /// Adds what is new to the totals.
    func report(to totals: TrafficTotals) {
      let dropped = facts().dropped
      let news = state.withLock { state in
        defer { state.droppedBefore = max(state.droppedBefore, dropped) }
        return (state.received.takeNews(), state.sent.takeNews(), max(0, dropped - state.droppedBefore))
      }
      totals.add(received: news.0, sent: news.1, dropped: Int64(news.2), by: .rtmp)
    }
  }

  private let totals: TrafficTotals
  private let meters = Mutex<[String: Meter]>([:])

  init(totals: TrafficTotals) {
    self.totals = totals
  }

  func add(_ meter: Meter) { meters.withLock { $0[meter.id] = meter } }

  func remove(_ meter: Meter) {
    meter.report(to: totals)
    _ = meters.withLock { $0.removeValue(forKey: meter.id) }
  }

  /// In no order.
  var statistics: [ConnectionStatistics] {
    meters.withLock { Array($0.values) }.map { meter in
      meter.report(to: totals)
      return meter.statistics
    }
  }
}
