import Machines

/// Puts packets back into order: waits for a late one as long as the window, then declares it lost.
///
/// Memory is bounded by `capacity`: a packet further ahead makes the oldest numbers be declared lost at once.
package struct ReorderBuffer<Element> {
  /// What comes out, in strictly ascending order.
  package enum Release {
    case element(Int64, Element)
    /// These numbers did not come within the window.
    case lost(ClosedRange<Int64>)
  }

  /// What became of an element.
  package enum Acceptance: Hashable, Sendable {
    case accepted
    /// The same number waits already.
    case duplicate
    /// Its turn is over: it was released or declared lost.
    case late
  }

  struct Waiting {
    let element: Element
    let arrival: MonotonicTime
  }

  /// How long a hole holds back what came after it.
  package let window: MonotonicTime.Span
  /// Numbers between the oldest hole and the newest packet, at most.
  package let capacity: Int
  /// Elements that came when their turn was over.
  package private(set) var late = 0
  package private(set) var duplicates = 0

  /// A ring: number `n` waits in slot `n mod size`.
  private var slots: [Waiting?]
  private var waiting = 0
  /// The number whose turn it is, nil before the first.
  private var turn: Int64?
  /// The earliest arrival among those that wait: when the hole at `turn` was noticed.
  private var earliest: MonotonicTime?
  private var ready: [Release] = []
  private var readyIndex = 0

  /// A buffer for `capacity` numbers, 1...8192.
  package init(window: MonotonicTime.Span, capacity: Int = 512) {
    self.window = max(window, .zero)
    self.capacity = min(max(capacity, 1), 8192)
    var size = 1
    while size < self.capacity { size &*= 2 }
    slots = Array(repeating: nil, count: size)
  }

  /// Elements that wait for a hole before them.
  package var count: Int { waiting }

  /// When `advance(to:)` will declare the oldest hole lost, nil where nothing waits.
  package var deadline: MonotonicTime? { earliest.map { $0 + window } }

  /// Says which number comes first, so that those before the first packet are awaited, or declared lost, too.
  package mutating func begin(at number: Int64) {
    if turn == nil { turn = number }
  }

  /// Takes an element that arrived at `now`.
  @discardableResult
  package mutating func put(_ number: Int64, _ element: Element, at now: MonotonicTime) -> Acceptance {
    let first = turn ?? number
    if turn == nil { turn = number }
    if number < first {
      late &+= 1
      return .late
    }
    if number == first {
      ready.append(.element(number, element))
      turn = number &+ 1
      if waiting > 0 { releaseRun() }
      return .accepted
    }
    let (distance, overflow) = number.subtractingReportingOverflow(first)
    if overflow || distance >= Int64(capacity) { makeRoom(for: number) }
    // Making room may have come all the way up to the number itself.
    if turn == number {
      ready.append(.element(number, element))
      turn = number &+ 1
      return .accepted
    }
    let slot = slot(number)
    guard slots[slot] == nil else {
      duplicates &+= 1
      return .duplicate
    }
    slots[slot] = Waiting(element: element, arrival: now)
    waiting &+= 1
    earliest = min(earliest ?? now, now)
    return .accepted
  }

  /// Lets time pass: holes as old as the window are declared lost, and what waited for them is released.
  ///
  /// Put what arrived at `now` first: at the very deadline it is still in time.
  package mutating func advance(to now: MonotonicTime) {
    while let deadline, deadline <= now { skipHole() }
  }

  /// Declares every hole lost and releases all that waits: the end of a take.
  package mutating func flush() {
    while waiting > 0 { skipHole() }
  }

  /// The next release, nil when drained.
  package mutating func next() -> Release? {
    guard readyIndex < ready.count else {
      ready.removeAll(keepingCapacity: true)
      readyIndex = 0
      return nil
    }
    let release = ready[readyIndex]
    readyIndex &+= 1
    return release
  }

  /// Declares the hole at `turn` lost and releases the run behind it.
  private mutating func skipHole() {
    guard let first = turn, waiting > 0 else { return }
    var number = first
    while slots[slot(number)] == nil { number &+= 1 }
    ready.append(.lost(first...(number &- 1)))
    turn = number
    releaseRun()
  }

  /// Releases from `turn` on while there is no hole, and settles when the next hole was noticed.
  private mutating func releaseRun() {
    guard var number = turn else { return }
    while waiting > 0, let held = slots[slot(number)] {
      ready.append(.element(number, held.element))
      slots[slot(number)] = nil
      waiting &-= 1
      number &+= 1
    }
    turn = number
    settleEarliest()
  }

  private mutating func settleEarliest() {
    earliest = nil
    guard waiting > 0, let first = turn else { return }
    var left = waiting
    var number = first
    while left > 0 {
      if let held = slots[slot(number)] {
        earliest = min(earliest ?? held.arrival, held.arrival)
        left &-= 1
      }
      number &+= 1
    }
  }

  /// Declares the oldest numbers lost, and no more of them than it takes for `number` to lie within the capacity.
  private mutating func makeRoom(for number: Int64) {
    let oldest = number.subtractingReportingOverflow(Int64(capacity &- 1))
    guard !oldest.overflow else { return }
    while let first = turn, first < oldest.partialValue {
      var end = first
      while waiting > 0, end < oldest.partialValue, slots[slot(end)] == nil { end &+= 1 }
      if waiting == 0 { end = oldest.partialValue }
      ready.append(.lost(first...(end &- 1)))
      turn = end
      releaseRun()
    }
  }

  private func slot(_ number: Int64) -> Int { Int(truncatingIfNeeded: number) & (slots.count &- 1) }
}

extension ReorderBuffer: Sendable where Element: Sendable {}
extension ReorderBuffer.Release: Sendable where Element: Sendable {}
extension ReorderBuffer.Release: Equatable where Element: Equatable {}
extension ReorderBuffer.Waiting: Sendable where Element: Sendable {}
