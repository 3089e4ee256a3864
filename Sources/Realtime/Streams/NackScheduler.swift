import Machines

/// Decides which missing packets of one stream to request, and when (RFC 4585 §6.2.1).
///
/// A hole is requested after a short grace period for reordering, then once per round trip. It is given up when no
/// sender would still keep the packet. The numbers of holes and requests are bounded for any input.
package struct NackScheduler: Sendable {
  private struct Hole {
    let number: Int64
    let detected: MonotonicTime
    var next: MonotonicTime
    var requests = 0
  }

  /// Outcomes of the holes.
  package struct Counts: Hashable, Sendable {
    /// Holes requested at least once.
    package var requested = 0
    /// Total requests, including repetitions.
    package var requests = 0
    /// Holes filled after a request.
    package var recovered = 0
    /// Holes filled within the grace period: reordering rather than loss.
    package var reordered = 0
    /// Holes never filled in time.
    package var givenUp = 0
  }

  package let configuration: Configuration
  /// The measured round trip; the minimum interval between requests for one packet.
  package var roundTrip: MonotonicTime.Span = .zero
  package private(set) var counts = Counts()
  /// Open holes, sorted by number.
  private var holes: [Hole] = []
  private var highest: Int64?
  /// Requests for possible packets after the newest, because the sender sends nothing more by itself.
  private var probe: (next: MonotonicTime, left: Int)?
  /// True if no more holes are opened.
  private var isSealed = false
  /// The earliest `next` of all holes, or an earlier time; updated by `due`.
  private var earliest: MonotonicTime?
  private var rate: RateLimit

  package init(_ configuration: Configuration = Configuration()) {
    self.configuration = configuration
    rate = RateLimit(perSecond: configuration.requestsPerSecond, burst: configuration.holeLimit)
  }

  /// Number of missing packets that may still arrive.
  package var openHoles: Int { holes.count }

  /// True if packets may still arrive: holes are open, or packets after the newest are being requested.
  package var isHoping: Bool { !holes.isEmpty || probe != nil }

  /// When to call `due(at:)` next; nil while nothing is missing.
  package var deadline: MonotonicTime? {
    guard let probe else { return holes.isEmpty ? nil : earliest }
    return holes.isEmpty ? probe.next : min(earliest ?? probe.next, probe.next)
  }

  /// Requests packets after the newest if earlier ones of this stream were lost: the sender is leaving, and nothing
  /// else would reveal the loss of its last packets.
  package mutating func probe(at now: MonotonicTime) {
    guard highest != nil, counts.requested > 0, !isSealed else { return }
    probe = (now, Self.probes)
  }

  /// Stops accepting new packets: only open holes are still requested.
  package mutating func seal() {
    isSealed = true
    probe = nil
  }

  /// Records a packet; returns true if it fills a hole that was requested.
  ///
  /// A jump forward by more than `SequenceExtender.forwardLimit` or backward by more than `.backwardLimit` is a
  /// restart of the sender: open holes are given up, and the numbers in between are not requested.
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

  /// Returns the numbers to request now, oldest first, and gives up those that are too old.
  ///
  /// At most `configuration.holeLimit` numbers, which the caller divides among datagrams; afterwards `deadline` is in
  /// the future.
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

  /// Number of requests for packets after the newest: at a loss of 20 % each way, one in 30,000 fails.
  private static let probes = 10
  /// The capacity of one NACK entry (RFC 4585 section 6.2.1), minus one.
  private static let probedNumbers: Int64 = 16

  private mutating func probeNumbers(at now: MonotonicTime, pause: MonotonicTime.Span) -> [UInt16] {
    guard let due = probe, due.next <= now, let highest else { return [] }
    // The last request also waits for one round trip.
    probe = due.left > 0 ? (now + pause, due.left - 1) : nil
    guard due.left > 0 else { return [] }
    return (1...Self.probedNumbers).map { UInt16(truncatingIfNeeded: highest &+ $0) }
  }

  private mutating func open(_ missing: Range<Int64>, at now: MonotonicTime) {
    // Of a long gap, only the newest packets may still be in the sender's history.
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
  /// Times and limits of requests; the defaults are measured against browsers.
  package struct Configuration: Hashable, Sendable {
    /// The longest useful window: no sender keeps packets longer.
    package static let longestWindow = MonotonicTime.Span.seconds(4)
    /// Maximum number of holes per stream.
    package static let mostHoles = 512

    /// Grace period before the first request, during which reordering may fill the hole.
    package let reorderGrace: MonotonicTime.Span
    /// Minimum interval between two requests for one packet; browsers answer in 6 to 11 ms on their 10 ms tick.
    package let repeatInterval: MonotonicTime.Span
    /// Time after which a hole is given up; browsers keep 3 s of audio.
    package let window: MonotonicTime.Span
    /// Maximum number of open holes, 1...512; beyond it, the oldest are given up.
    package let holeLimit: Int
    /// Long-term limit of requests per second; bursts of 512 are always permitted.
    package let requestsPerSecond: Int

    /// Creates a configuration; values out of range are clamped.
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
