import Machines

/// Decides which missing packets of one stream to ask for, and when (RFC 4585 §6.2.1).
///
/// A hole is asked for after a short grace for reordering, again every round trip, and given up when no sender keeps
/// its packets any longer. Numbers of holes and of requests are bounded, whatever arrives.
package struct NackScheduler: Sendable {
  private struct Hole {
    let number: Int64
    let detected: MonotonicTime
    var next: MonotonicTime
    var requests = 0
  }

  /// What became of the holes.
  package struct Counts: Hashable, Sendable {
    /// Holes asked for at least once.
    package var requested = 0
    /// Requests in all, repeats included.
    package var requests = 0
    /// Holes filled after they were asked for.
    package var recovered = 0
    /// Holes that filled themselves within the grace: reordering, not loss.
    package var reordered = 0
    /// Holes that nobody filled in time.
    package var givenUp = 0
  }

  package let configuration: Configuration
  /// The measured round trip; requests for one packet are never closer than this.
  package var roundTrip: MonotonicTime.Span = .zero
  package private(set) var counts = Counts()
  /// Open holes, ascending by number.
  private var holes: [Hole] = []
  private var highest: Int64?
  /// The earliest `next` of all holes, or earlier; settled by `due`.
  private var earliest: MonotonicTime?
  private var rate: RateLimit

  package init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    rate = RateLimit(perSecond: configuration.requestsPerSecond, burst: configuration.holeLimit)
  }

  /// Numbers that are missing and still hoped for.
  package var openHoles: Int { holes.count }

  /// When `due(at:)` wants to be asked next, nil while nothing is missing.
  package var deadline: MonotonicTime? { holes.isEmpty ? nil : earliest }

  /// Takes note of a packet; true where it fills a hole that had been asked for.
  ///
  /// A jump forward by more than `SequenceExtender.forwardLimit` or backward by more than `.backwardLimit` is a sender
  /// that began anew: the open holes are given up and nothing in between is asked for.
  @discardableResult
  package mutating func received(_ number: Int64, at now: MonotonicTime) -> Bool {
    guard let highest else {
      self.highest = number
      return false
    }
    let (step, overflow) = number.subtractingReportingOverflow(highest)
    if step == 1, !overflow {
      self.highest = number
      return false
    }
    if overflow || step > SequenceExtender.forwardLimit || step < -SequenceExtender.backwardLimit {
      self.highest = number
      giveUpAll()
      return false
    }
    if step > 0 {
      self.highest = number
      open((highest &+ 1)..<number, at: now)
      return false
    }
    return fill(number)
  }

  /// The numbers to ask for now, oldest first; gives up what is too old.
  ///
  /// Up to `configuration.holeLimit` numbers, which the caller divides over datagrams; `deadline` is in the future
  /// afterwards.
  package mutating func due(at now: MonotonicTime) -> [UInt16] {
    guard let deadline, deadline <= now else { return [] }
    let pause = max(roundTrip, configuration.repeatInterval)
    var numbers: [UInt16] = []
    var kept = 0
    var next: MonotonicTime?
    for index in holes.indices {
      var hole = holes[index]
      let expiry = hole.detected + configuration.window
      if now >= expiry {
        counts.givenUp &+= 1
        continue
      }
      if hole.next <= now {
        if rate.admit(at: now) {
          numbers.append(UInt16(truncatingIfNeeded: hole.number))
          if hole.requests == 0 { counts.requested &+= 1 }
          hole.requests &+= 1
          hole.next = min(now + pause, expiry)
        } else if let opens = rate.opens {
          hole.next = min(max(opens, now + configuration.reorderGrace), expiry)
        }
      }
      next = min(next ?? hole.next, hole.next)
      holes[kept] = hole
      kept &+= 1
    }
    holes.removeLast(holes.count &- kept)
    counts.requests &+= numbers.count
    earliest = next
    return numbers
  }

  private mutating func open(_ missing: Range<Int64>, at now: MonotonicTime) {
    // Of a long gap only the newest numbers have a chance that their sender still keeps them.
    let limit = configuration.holeLimit
    let taken = missing.suffix(limit)
    counts.givenUp &+= missing.count &- taken.count
    let surplus = holes.count &+ taken.count &- limit
    if surplus > 0 {
      holes.removeFirst(surplus)
      counts.givenUp &+= surplus
    }
    let next = now + configuration.reorderGrace
    for number in taken { holes.append(Hole(number: number, detected: now, next: next)) }
    earliest = holes.count == taken.count ? next : min(earliest ?? next, next)
  }

  private mutating func fill(_ number: Int64) -> Bool {
    var low = 0
    var high = holes.count
    while low < high {
      let middle = (low &+ high) / 2
      if holes[middle].number < number { low = middle &+ 1 } else { high = middle }
    }
    guard low < holes.count, holes[low].number == number else { return false }
    let hole = holes.remove(at: low)
    if hole.requests > 0 {
      counts.recovered &+= 1
      return true
    }
    counts.reordered &+= 1
    return false
  }

  private mutating func giveUpAll() {
    counts.givenUp &+= holes.count
    holes.removeAll(keepingCapacity: true)
  }
}
