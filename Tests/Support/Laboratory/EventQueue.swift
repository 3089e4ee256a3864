/// What is to happen, in the order of its times; what is due at the same time keeps the order in which it was added.
struct EventQueue<Event> {
  /// The latest first.
  private var entries: [(time: Int64, event: Event)] = []

  var isEmpty: Bool { entries.isEmpty }
  /// When the next is due, in nanoseconds of `LaboratoryClock`.
  var next: Int64? { entries.last?.time }

  mutating func add(at time: Int64, _ event: Event) {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].time > time { low = middle + 1 } else { high = middle }
    }
    entries.insert((time, event), at: low)
  }

  /// The next that is due at `now`.
  mutating func pop(at now: Int64) -> (time: Int64, event: Event)? {
    guard let last = entries.last, last.time <= now else { return nil }
    return entries.removeLast()
  }
}
