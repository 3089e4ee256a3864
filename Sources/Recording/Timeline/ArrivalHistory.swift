/// The last seconds of packets in the order of their sending, to find the one at which a clock stepped.
struct ArrivalHistory: Sendable {
  /// One packet that came in order.
  struct Entry: Hashable, Sendable {
    var sequence: Int64
    /// Arrival, in seconds from the take's zero.
    var arrival: Double
    var point: EnvelopePoint
  }

  /// How far back, in seconds of the sender's clock: a step is found within two, and the render is four behind. While the
  /// sender stands still nothing is forgotten, so that what held before can be compared with what holds after it.
  private static let span = 6.0
  /// Packets of 2.5 ms for `span` seconds.
  private static let capacity = 2_400

  private(set) var entries: [Entry] = []
  private var start = 0

  mutating func add(_ entry: Entry) {
    entries.append(entry)
    while start < entries.count, entry.point.media - entries[start].point.media > ArrivalHistory.span { start += 1 }
    start = max(start, entries.count - ArrivalHistory.capacity)
    // Moving the rest to the front once per few hundred packets costs nothing per packet.
    if start > 512, start * 2 > entries.count {
      entries.removeFirst(start)
      start = 0
    }
  }

  mutating func insert(standstill seconds: Double, at media: Double) {
    for index in entries.indices { entries[index].point.insert(standstill: seconds, at: media) }
  }

  /// The entries of the last seconds, oldest first.
  var recent: ArraySlice<Entry> { entries[start...] }
}
