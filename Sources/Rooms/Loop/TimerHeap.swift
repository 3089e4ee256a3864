import Machines

/// A binary heap of deadlines; superseded entries stay until they come up, and are then recognised as stale.
struct TimerHeap {
  struct Entry {
    var deadline: MonotonicTime
    var source: MediaLoop.SourceID
  }

  private var entries: [Entry] = []

  var earliest: MonotonicTime? { entries.first?.deadline }

  mutating func insert(_ entry: Entry) {
    entries.append(entry)
    var child = entries.count - 1
    while child > 0 {
      let parent = (child - 1) / 2
      guard entries[child].deadline < entries[parent].deadline else { break }
      entries.swapAt(child, parent)
      child = parent
    }
  }

  /// Removes and returns the earliest entry if it is due at `now`.
  mutating func popDue(at now: MonotonicTime) -> Entry? {
    guard let first = entries.first, first.deadline <= now else { return nil }
    let last = entries.removeLast()
    guard !entries.isEmpty else { return first }
    entries[0] = last
    var parent = 0
    while true {
      var smallest = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
        if entries[child].deadline < entries[smallest].deadline { smallest = child }
      }
      guard smallest != parent else { return first }
      entries.swapAt(parent, smallest)
      parent = smallest
    }
  }
}
