/// What will happen when, the earliest first; of equal times what was added first (a binary heap).
struct VirtualSchedule<Event> {
  private struct Entry {
    var time: Double
    var ordinal: Int
    var event: Event

    func precedes(_ other: Entry) -> Bool {
      time < other.time || (time == other.time && ordinal < other.ordinal)
    }
  }

  private var entries: [Entry] = []
  private var ordinal = 0

  /// The time of what comes next, nil where nothing does.
  var earliest: Double? { entries.first?.time }

  mutating func add(_ event: Event, at time: Double) {
    ordinal += 1
    entries.append(Entry(time: time, ordinal: ordinal, event: event))
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].precedes(entries[parent]) else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  mutating func removeFirst() -> Event? {
    guard let first = entries.first else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first.event }
    entries[0] = last
    var parent = 0
    while true {
      let left = parent * 2 + 1
      guard left < entries.count else { break }
      let right = left + 1
      let child = right < entries.count && entries[right].precedes(entries[left]) ? right : left
      guard entries[child].precedes(entries[parent]) else { break }
      entries.swapAt(child, parent)
      parent = child
    }
    return first.event
  }
}
