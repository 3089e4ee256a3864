extension Scenario {
  /// What has to hold in every build: what fails here breaks a promise.
  package static var promised: [Scenario] {
    [
      named("two honest musicians with clocks of their own", .honest) {
        $0[0].card.drift = 120
        $0[1].card.drift = -90
      },
      named("5 % and 20 % loss, asked for again", .twentyPercentLoss) {
        $0[0].path.loss = 0.05
        $0[1].path.loss = 0.2
      },
      named("a path holds packets for 1.2 s", .heldPath) {
        $0[0].path.standstills = [.init(start: 4, length: 1.2, keeps: true)]
      },
      named("a path holds packets for 3.5 s", .heldPath) {
        $0[0].path.standstills = [.init(start: 3.5, length: 3.5, keeps: true)]
      },
      named("a packet of another SSRC from a foreign address", .stray) { $0[0].strays = [.init(at: 5, count: 1)] },
      named("duplicates and reordering", .duplicatesAndReordering) {
        $0[0].path.duplicates = 0.2
        $0[0].path.reordering = 0.2
      },
      named("a microphone that leaves out 20 ms now and then while RTP time runs on", .dropsCounted) {
        $0[0].drops = [3, 5.5, 8].map { .init(at: $0, blocks: 1, timeRunsOn: true) }
      },
      named("sender reports that tell a time 5 ms ahead", .reportsAhead) { $0[0].reports?.lead = 0.005 },
      named("no RTCP, and 60 ms one way", .noReports) {
        $0[0].reports = nil
        $0[0].path.up = 0.06
      },
      named("another SSRC in the middle", .sourceChange) { $0[0].sourceChanges = [5] },
      named("packets that carry the one before them again, and 5 % loss", .redundancy) {
        $0[0].path.loss = 0.05
        $0[0].answersRequests = false
        $0[0].sendsRedundancy = true
      },
      named("one of two leaves in the middle", .leaving) {
        $0[0].leaves = 6
        $0[0].patience = 0.3
      },
      named("no RTCP, and 150 ms one way", .noReportsFarAway) {
        $0[0].reports = nil
        $0[0].path.up = 0.15
      },
      named("sender reports that tell a time 120 ms ahead", .reportsAhead) { $0[0].reports?.lead = 0.12 },
      named("another SSRC every two seconds", .manySourceChanges) { $0[0].sourceChanges = [2, 4, 6, 8, 10] },
      named("sequence numbers jump", .sequenceJump) { $0[0].jumps = [(at: 5, by: 10_000)] },
      named("one of two leaves in the middle, while the last packets are on their way", .leaving) {
        $0[0].leaves = 6
      },
      named("one of two leaves in the middle with 20 % loss", .leavingUnderLoss) {
        $0[0].path.loss = 0.2
        $0[0].leaves = 6
      },
      named("a microphone that leaves out 20 ms now and then and says nothing", .dropsUntold) {
        $0[0].drops = [3, 5.5, 8].map { .init(at: $0, blocks: 1, timeRunsOn: false) }
      },
      named("a microphone that leaves out 20 ms right before the end and says nothing", .dropsUntold) {
        $0[0].drops = [5, 9.9].map { .init(at: $0, blocks: 1, timeRunsOn: false) }
      },
      named("a microphone stands still for 3.5 s while its reports run on", .microphoneStandstill) {
        $0[0].drops = [.init(at: 3.5, blocks: 175, timeRunsOn: false)]
      },
      named("answers that claim to have been held longer than they were", .answersLie) {
        ($0[0].path.up, $0[0].path.down) = (0.06, 0.06)
        $0[0].reports?.heldTooLong = 0.1
      },
      named("WebRTC with 5 % and 20 % loss, asked for again", .twentyPercentLoss) {
        for index in 0...1 { $0[index].entrance = .webRTC }
        $0[0].path.loss = 0.05
        $0[1].path.loss = 0.2
      },
      named("WebRTC beside plain RTP, another SSRC and a stranger's packets", .sourceChange) {
        $0[0].entrance = .webRTC
        $0[0].sourceChanges = [5]
        $0[0].strays = [.init(at: 3, count: 20)]
      },
      named("one of two leaves WebRTC in the middle with 20 % loss", .leavingUnderLoss) {
        $0[0].entrance = .webRTC
        $0[0].path.loss = 0.2
        $0[0].leaves = 6
      },
    ]
  }

  /// Two musicians with 15 ms each way and 4 ms of jitter for 10 s, but for what `change` does.
  private static func named(
    _ name: String, _ kind: ScenarioKind, _ change: (inout [RealMusician]) -> Void
  ) -> Scenario {
    let seed = name.utf8.reduce(UInt64(7)) { ($0 &* 31 &+ UInt64($1)) % 1_000_000_007 }
    var musicians = [("ada", 60.0), ("bob", -40.0)].enumerated().map { number, player in
      var musician = RealMusician(
        name: player.0, seed: seed &+ UInt64(number),
        card: VirtualSoundCard(start: 0.1 + 0.15 * Double(number), drift: player.1))
      musician.path.jitter = 0.004
      return musician
    }
    change(&musicians)
    return Scenario(name: name, seed: seed, kind: kind, musicians: musicians, length: 10)
  }
}
