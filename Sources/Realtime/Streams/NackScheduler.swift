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
  /// What may follow the newest packet is asked for, because its sender sends nothing more by itself.
  private var probe: (next: MonotonicTime, left: Int)?
  /// No more holes are opened.
  private var isSealed = false
  /// The earliest `next` of all holes, or earlier; settled by `due`.
  private var earliest: MonotonicTime?
  private var rate: RateLimit

  package init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    rate = RateLimit(perSecond: configuration.requestsPerSecond, burst: configuration.holeLimit)
  }

  /// Numbers that are missing and still hoped for.
  package var openHoles: Int { holes.count }

  /// Something may still come: holes are open, or what may follow the newest packet is being asked for.
  package var isHoping: Bool { !holes.isEmpty || probe != nil }

  /// When `due(at:)` wants to be asked next, nil while nothing is missing.
  package var deadline: MonotonicTime? {
    guard let probe else { return holes.isEmpty ? nil : earliest }
    return holes.isEmpty ? probe.next : min(earliest ?? probe.next, probe.next)
  }

  /// The sender leaves: nothing will show that its last packets were lost, so they are asked for unseen, where packets of
  /// this stream were lost before.
  package mutating func probe(at now: MonotonicTime) {
    guard highest != nil, counts.requested > 0, !isSealed else { return }
    probe = (now, Self.probes)
  }

  /// What comes from now on is not wanted: only the holes that are open are still asked for.
  package mutating func seal() {
    isSealed = true
    probe = nil
  }

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
    if isSealed, overflow || step > 0 { return false }
    if step > 0, probe != nil { probe?.left = Self.probes }
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
    earliest = next
    numbers += probeNumbers(at: now, pause: pause)
    counts.requests &+= numbers.count
    return numbers
  }

  /// How often what may follow the newest packet is asked for: at a loss of 20 % each way, one in 30,000 fails.
  private static let probes = 10
  /// As many numbers as one entry of a NACK takes (RFC 4585 section 6.2.1), less one.
  private static let probedNumbers: Int64 = 16

  private mutating func probeNumbers(at now: MonotonicTime, pause: MonotonicTime.Span) -> [UInt16] {
    guard let due = probe, due.next <= now, let highest else { return [] }
    // The last request has its round trip too.
    probe = due.left > 0 ? (now + pause, due.left - 1) : nil
    guard due.left > 0 else { return [] }
    return (1...Self.probedNumbers).map { UInt16(truncatingIfNeeded: highest &+ $0) }
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

extension NackScheduler {
  /// The times and bounds of asking again; the defaults are measured against browsers.
  package struct Configuration: Hashable, Sendable {
    /// The longest window that is of use: no sender keeps packets longer.
    package static let longestWindow = MonotonicTime.Span.seconds(4)
    /// The most holes of one stream.
    package static let mostHoles = 512

    /// How long a hole waits for reordering to fill it before the first request.
    package let reorderGrace: MonotonicTime.Span
    /// The least time between two requests for one packet; browsers answer in 6 to 11 ms on their 10 ms tick.
    package let repeatInterval: MonotonicTime.Span
    /// How long a hole is hoped for; browsers keep 3 s of audio.
    package let window: MonotonicTime.Span
    /// Open holes at once, 1...512; of more, the oldest are given up.
    package let holeLimit: Int
    /// Requests a second in the long run; 512 at once are always granted.
    package let requestsPerSecond: Int

    /// Values beyond the bounds are brought to the nearest that is allowed.
    package init(
      reorderGrace: MonotonicTime.Span = .milliseconds(10), repeatInterval: MonotonicTime.Span = .milliseconds(40),
      window: MonotonicTime.Span = .seconds(3), holeLimit: Int = mostHoles, requestsPerSecond: Int = 2000
    ) {
      self.reorderGrace = max(reorderGrace, .zero)
      self.repeatInterval = max(repeatInterval, .milliseconds(1))
      self.window = min(max(window, .zero), Self.longestWindow)
      self.holeLimit = min(max(holeLimit, 1), Self.mostHoles)
      self.requestsPerSecond = max(requestsPerSecond, 1)
    }
  }
}
