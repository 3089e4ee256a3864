import Recording
import TestSupport

/// Three musicians with clocks of their own over a bad network for an hour: how far apart do their tracks lie?
struct AlignmentTrial {
  let minutes: Double
  let seeds: Int

  private static let packet = 0.02
  private static let settled = 30.0
  /// The musicians are connected so long before the take begins, in seconds; the journal begins with the take.
  private static let warmup = 20.0
  /// The end of a take, in seconds.
  private static let lastStretch = 60.0
  /// What the sender's NTP clock is ahead of the take's zero, in seconds.
  private static let clockOffset = 3.9e9
  private static let delay = 0.03
  private static let loss = 0.2

  private struct Outcome {
    var early = Distribution()
    var late = Distribution()
    var end = Distribution()
    var whole = Distribution()
    var absolute = Distribution()
    var drift = Distribution()
    /// Of the whole track, and of its last stretch.
    var bound = Distribution()
    var lastBound = Distribution()
    var outside = 0
    var steps = 0
  }

  /// One thing that reaches the recorder, of musician `player`.
  private struct Event {
    enum Kind {
      case packet(Int)
      case captureTime(Double, of: Int)
      case report(time: Double, before: Int)
      case roundTrip(Double)
      case answer(sent: Double, senderTime: Double?)
      case check(Double)
    }
    var time: Double
    var player: Int
    var kind: Kind
  }

  /// What the recorder learns of the way, besides arrivals and sender reports.
  private enum Knowledge: String, CaseIterable {
    /// Only round trips as the service smooths them: what a journal says without RTCP.
    case smoothed = "smoothed round trips"
    /// Each answer to a report of ours, as it is in the journaled RTCP.
    case answers = "answers to reports"
    /// The same, and capture times: both ways apart.
    case captureTimes = "answers and capture times"
    /// Capture times as Chromium's are with a fake device.
    case lateCaptureTimes = "answers and late capture times"
    /// The same with checks of the path.
    case checkedAnswers = "answers and checks"
    case checkedCaptureTimes = "answers, capture times and checks"
    case checkedLateCaptureTimes = "answers, late capture times and checks"

    /// By how much capture times are late, in seconds; nil without any.
    var lateness: Double? {
      switch self {
      case .captureTimes, .checkedCaptureTimes: 0
      case .lateCaptureTimes, .checkedLateCaptureTimes: 0.009
      default: nil
      }
    }

    var isChecked: Bool {
      switch self {
      case .checkedAnswers, .checkedCaptureTimes, .checkedLateCaptureTimes: true
      default: false
      }
    }
  }

  func run() {
    for (name, jitter) in [("uniform", VirtualLink.Jitter.uniform(0.01)), ("exponential", .exponential(0.01))] {
      for interval in [1.0, 5] {
        // Browsers send reports every second or every few; the journal of ours has all there is to know.
        for knowledge in Knowledge.allCases where interval == 1 || knowledge.lateness != nil {
          var outcome = Outcome()
          for seed in 0..<seeds {
            play(seed: UInt64(seed), jitter: jitter, interval: interval, knowledge: knowledge, into: &outcome)
          }
          var figure = Figure("alignment")
          figure.add("jitter", name)
          figure.add("knows", knowledge.rawValue)
          figure.add("reportIntervalSeconds", interval)
          figure.add("minutes", minutes)
          figure.add("seeds", seeds)
          figure.add("pairFirst30s", outcome.early)
          figure.add("pairAfter30s", outcome.late)
          figure.add("pairAtEnd", outcome.end)
          figure.add("pairOverall", outcome.whole)
          figure.add("absolute", outcome.absolute)
          figure.add("driftErrorPpm", outcome.drift)
          figure.add("statedBound", outcome.bound)
          figure.add("statedBoundAtEnd", outcome.lastBound)
          figure.add("outsideBound", outcome.outside)
          figure.add("falseSteps", outcome.steps)
          figure.tell()
        }
      }
    }
  }

  private func play(
    seed: UInt64, jitter: VirtualLink.Jitter, interval: Double, knowledge: Knowledge, into outcome: inout Outcome
  ) {
    let cards = [(100.0, 0.0), (0, 1), (-100, 0)].enumerated().map { index, clock in
      VirtualSoundCard(start: 0.1 + 0.007 * Double(index), drift: clock.0, wander: clock.1)
    }
    var events: [Event] = []
    for (player, card) in cards.enumerated() {
      let path = VirtualPath(delay: AlignmentTrial.delay, jitter: jitter, loss: AlignmentTrial.loss)
      let number = seed * 3 + UInt64(player) + 1
      events += received(
        by: VirtualNetwork(there: path, reportInterval: interval, seed: number), from: card, player: player,
        knowledge: knowledge)
      guard knowledge.isChecked else { continue }
      events += checks(of: path, seed: number).map { Event(time: $0.time, player: player, kind: .check($0.trip)) }
    }
    events.sort { $0.time < $1.time }
    var replays = cards.map {
      PlacementReplay(card: $0, zero: AlignmentTrial.warmup, packet: AlignmentTrial.packet)
    }
    for event in events {
      for player in replays.indices { replays[player].advance(to: event.time) }
      switch event.kind {
      case .packet(let index): replays[event.player].receive(index, at: event.time)
      case .captureTime(let time, let index):
        replays[event.player].receive(captureTime: time, of: index, at: event.time)
      case .report(let time, let index):
        replays[event.player].receive(
          report: time, media: Double(index) * AlignmentTrial.packet, at: event.time)
      case .check(let value): replays[event.player].receive(checkTrip: value, at: event.time)
      case .roundTrip(let value): replays[event.player].receive(roundTrip: value, at: event.time)
      case .answer(let sent, let senderTime):
        replays[event.player].receive(answerTo: sent, senderTime: senderTime, at: event.time)
      }
    }
    judge(replays, cards, into: &outcome)
  }

  /// The answered checks of a connection that begins with the take: twenty in two seconds, then one each second.
  private func checks(of path: VirtualPath, seed: UInt64) -> [(time: Double, trip: Double)] {
    var (random, time) = (SeededRandom(seed ^ 0xC4EC), 0.0)
    var link = VirtualLink(delay: path.delay, jitter: path.jitter, seed: seed ^ 0x5EED)
    var checks: [(time: Double, trip: Double)] = []
    while time < minutes * 60 {
      let trip = link.roundTrip()
      if random.unit() >= path.loss, random.unit() >= path.loss { checks.append((time + trip, trip)) }
      time += time < 2 ? 0.1 : 1
    }
    return checks
  }

  /// What the recorder gets of an hour of packets, in no order.
  private func received(
    by network: VirtualNetwork, from card: VirtualSoundCard, player: Int, knowledge: Knowledge
  ) -> [Event] {
    let (packets, reports) = AlignmentTrial.stream(of: card, seconds: minutes * 60 + AlignmentTrial.warmup)
    let delivery = network.carry(packets)
    var events: [Event] = []
    events.reserveCapacity(delivery.arrivals.count + delivery.exchanges.count)
    for arrival in delivery.arrivals {
      if let report = reports[arrival.packet] {
        events.append(
          Event(
            time: arrival.time, player: player,
            kind: .report(time: packets[arrival.packet].time + AlignmentTrial.clockOffset, before: report)))
      } else {
        // Reports stand between the packets: one before each 50th.
        let index = arrival.packet - arrival.packet / 51
        events.append(Event(time: arrival.time, player: player, kind: .packet(index)))
        // Chromium sends a capture time once a second.
        guard let lateness = knowledge.lateness, index % 50 == 7 else { continue }
        let captured = card.captured(atMedia: Double(index) * AlignmentTrial.packet) + lateness
        events.append(
          Event(
            time: arrival.time, player: player, kind: .captureTime(captured + AlignmentTrial.clockOffset, of: index)))
      }
    }
    // The service journals once a second what the round trip is by then; the rest is in the RTCP.
    var next = AlignmentTrial.warmup
    for (index, exchange) in delivery.exchanges.enumerated() {
      let following = index + 1 < delivery.exchanges.count ? delivery.exchanges[index + 1].returned : .infinity
      while next < min(following, minutes * 60 + AlignmentTrial.warmup) {
        if next >= exchange.returned {
          events.append(Event(time: next, player: player, kind: .roundTrip(delivery.smoothed[index])))
        }
        next += 1
      }
      guard knowledge != .smoothed else { continue }
      let senderTime = knowledge.lateness.map { _ in exchange.reached + AlignmentTrial.clockOffset }
      events.append(
        Event(
          time: exchange.returned, player: player,
          kind: .answer(sent: exchange.sent - AlignmentTrial.warmup, senderTime: senderTime)))
    }
    return events.compactMap { event in
      var event = event
      event.time -= AlignmentTrial.warmup
      return event.time >= 0 ? event : nil
    }
  }

  /// Packets of 20 ms with heads alone, and after every 50 a report; the dictionary says before which packet.
  private static func stream(
    of card: VirtualSoundCard, seconds: Double
  ) -> (packets: [VirtualNetwork.Packet], reports: [Int: Int]) {
    var packets: [VirtualNetwork.Packet] = []
    var reports: [Int: Int] = [:]
    for index in 0..<Int(seconds / packet) {
      let sent = card.captured(atMedia: Double(index + 1) * packet)
      packets.append(.init(time: sent, content: MediaHead.bytes(index), size: MediaHead.packetLength))
      if index % 50 == 49 {
        reports[packets.count] = index + 1
        packets.append(.init(time: sent, content: [], size: 28, isReport: true))
      }
    }
    return (packets, reports)
  }

  private func judge(_ replays: [PlacementReplay], _ cards: [VirtualSoundCard], into outcome: inout Outcome) {
    for (replay, card) in zip(replays, cards) {
      outcome.steps += replay.steps
      let bounds = replay.bounds
      outcome.bound.add((bounds.map(\.bound).max() ?? .infinity) * 1_000)
      if let last = bounds.last { outcome.lastBound.add(last.bound * 1_000) }
      outcome.drift.add(abs(replay.clock.drift - card.drift(at: minutes * 60 + AlignmentTrial.warmup)))
      for reading in replay.readings {
        outcome.absolute.add(abs(reading.error))
        // What the certificate says of the very place may not be less than the error.
        let bound = bounds.first { $0.end > reading.start }?.bound ?? 0
        if abs(reading.error) > bound * 1_000 { outcome.outside += 1 }
      }
    }
    for left in replays.indices {
      for right in replays.indices where right > left {
        for (one, other) in zip(replays[left].readings.dropFirst(), replays[right].readings.dropFirst())
        where abs(one.time - other.time) < 0.03 {
          let difference = abs(one.error - other.error)
          outcome.whole.add(difference)
          if one.time > minutes * 60 - AlignmentTrial.lastStretch { outcome.end.add(difference) }
          if one.time < AlignmentTrial.settled { outcome.early.add(difference) } else { outcome.late.add(difference) }
        }
      }
    }
  }
}
