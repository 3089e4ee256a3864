extension Scenario {
  /// Everybody begins within this time, in seconds.
  private static let entrance = 0.8

  /// The scenario of that seed: its kind goes round with the seed, all else is thrown by dice.
  package init(seed: UInt64) {
    let kinds = ScenarioKind.allCases
    self.init(kinds[Int(seed % UInt64(kinds.count))], seed: seed)
  }

  /// A scenario of that kind.
  package init(_ kind: ScenarioKind, seed: UInt64, name: String? = nil) {
    var random = SeededRandom(seed &* 7_919 &+ 3)
    func between(_ low: Double, _ high: Double) -> Double { low + (high - low) * random.unit() }
    var length = between(11, 15)
    var musicians = (1...2).map { number in
      var musician = RealMusician(
        name: "musician \(number)", seed: seed &* 1_000 &+ UInt64(number),
        card: VirtualSoundCard(start: between(0, Scenario.entrance), drift: between(-150, 150)))
      musician.path.up = between(0.003, 0.04)
      musician.path.down = musician.path.up
      musician.path.jitter = between(0, 0.01)
      return musician
    }
    var first = musicians[0]
    switch kind {
    case .honest: first.card.wander = between(-30, 30)
    case .fivePercentLoss: for index in 0...1 { musicians[index].path.loss = 0.05 }
    case .twentyPercentLoss: for index in 0...1 { musicians[index].path.loss = 0.2 }
    case .lossForGood:
      first.path.loss = between(0.01, 0.15)
      first.answersRequests = false
    case .heldPath:
      length += 4
      first.path.standstills = [.init(start: between(3, 5), length: between(0.3, 6), keeps: true)]
    case .outage: first.path.standstills = [.init(start: between(3, 6), length: between(0.1, 3), keeps: false)]
    case .stray:
      first.strays = [.init(at: between(2, 8), count: 1 + Int(between(0, 20)))]
      if random.unit() < 0.5 { first.strays[0].count = 1 }
    case .duplicatesAndReordering:
      first.path.duplicates = between(0.02, 0.3)
      first.path.reordering = between(0.02, 0.3)
    case .dropsCounted, .dropsUntold, .captureTimesAndDrops:
      let interval = between(1, 4)
      var time = between(2, 3)
      while time < length {
        first.drops.append(.init(at: time, blocks: 1 + Int(between(0, 2)), timeRunsOn: kind == .dropsCounted))
        time += interval
      }
      if kind == .captureTimesAndDrops { first.stampsEvery = 1 + Int(between(0, 50)) }
    case .microphoneStandstill:
      length += 4
      first.drops = [.init(at: between(3, 5), blocks: Int(between(50, 300)), timeRunsOn: random.unit() < 0.5)]
    case .noReports: first.reports = nil
    case .noReportsFarAway:
      first.reports = nil
      first.path.up = between(0.08, 0.2)
    case .asymmetry: first.path.up += between(0.02, 0.12)
    case .reportsAhead: first.reports?.lead = between(0.03, 0.15) * (random.unit() < 0.5 ? 1 : -1)
    case .captureTimes:
      first.stampsEvery = 1 + Int(between(0, 50))
      first.reports?.lead = between(0.03, 0.15) * (random.unit() < 0.5 ? 1 : -1)
    case .lateReports: first.reports?.lateness = between(0.05, 0.3)
    case .answersLie:
      first.path.up = between(0.03, 0.08)
      first.path.down = first.path.up
      first.reports?.heldTooLong = first.path.up * between(0.5, 1.9)
    case .wanderingPath:
      first.path.wander = between(0.02, 0.06)
      first.path.wanderPeriod = between(5, 20)
    case .sourceChange: first.sourceChanges = [between(4, 8)]
    case .manySourceChanges: first.sourceChanges = [2, 4, 6, 8, 10].map { $0 + between(0, 1) }
    case .sequenceJump: first.jumps = [(at: between(4, 8), by: UInt16(between(100, 40_000)))]
    case .redundancy:
      first.sendsRedundancy = true
      first.answersRequests = false
      first.path.loss = between(0.01, 0.1)
    case .leaving: first.leaves = between(5, 9)
    case .leavingUnderLoss:
      first.leaves = between(5, 9)
      first.path.loss = 0.2
    case .endsSilently: first.path.standstills = [.init(start: length - between(0.05, 0.9), length: 60, keeps: false)]
    }
    if kind != .fivePercentLoss && kind != .twentyPercentLoss { musicians[0] = first }
    for index in 0...1 where Scenario.entersByWebRTC(musicians[index]) { musicians[index].entrance = .webRTC }
    self.init(name: name ?? kind.rawValue, seed: seed, kind: kind, musicians: musicians, length: length)
  }

  /// Every other musician; the dice are others, so that a seed's scenario is the same at both doors.
  private static func entersByWebRTC(_ musician: RealMusician) -> Bool {
    var random = SeededRandom(musician.seed &+ 23)
    // A receiver of SRTP takes a jump by more than half of the numbers for one backwards (RFC 3711 section 3.3.1).
    return random.unit() < 0.5 && musician.jumps.allSatisfy { $0.by < 1 << 15 }
  }
}
