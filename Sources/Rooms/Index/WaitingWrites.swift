import DequeModule

/// What waits for the index, in the order in which it came.
///
/// Its length is bounded: where it would grow further, all of it gives way to one write that reads from the disk what the
/// index lacks.
struct WaitingWrites<Write> {
  /// Writes that wait at most. A take has four, and a session two: some two hundred takes.
  static var capacity: Int { 1_024 }

  private var writes: Deque<Write> = []
  private let capacity: Int

  init(capacity: Int = WaitingWrites.capacity) {
    self.capacity = capacity
  }

  var count: Int { writes.count }
  var isEmpty: Bool { writes.isEmpty }
  /// The one that is being carried out, until it is removed.
  var first: Write? { writes.first }

  /// Adds a write at the end.
  /// - Parameter merge: makes one write of many, which come in their order without the first: that may be under way.
  ///   Without it the length has no bound.
  mutating func add(_ write: Write, merge: (([Write]) -> Write)?) {
    if writes.count >= capacity, let merge, let first = writes.first {
      writes = [first, merge(Array(writes.dropFirst()))]
    }
    writes.append(write)
  }

  mutating func removeFirst() {
    _ = writes.popFirst()
  }

  /// Takes all of them out.
  mutating func removeAll() -> [Write] {
    defer { writes = [] }
    return Array(writes)
  }
}
