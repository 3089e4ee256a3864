import Machines
import Music
import Realtime
import Recording

/// A scenario in virtual time: the journal that a recorder would have written. Nobody asks for lost packets again, and
/// there are no strangers: both are the service's. Hundreds of them take a second where their packets are mute.
package struct VirtualPerformance {
  package let scenario: Scenario
  package let header: JournalHeader
  /// In the order of the journal; the musicians' tracks are numbered from 1.
  package private(set) var frames: [JournalFrame] = []
  private var scores: [MusicianScore] = []
  private var records: [MusicianPlayer.Record] = []
  private var journal: TakeOnDisk.Journal

  /// When the scenario begins on the recorder's clock, in nanoseconds: any number but 0 does.
  private static let begin: Int64 = 7_000_000_123
  /// A take begins so long before its first packet, and is kept open for so long behind its end, in seconds.
  private static let lead = 0.2
  private static let patience = 0.25
  /// Seconds that musicians play on after the take's stop.
  private static let after = 1.0
  /// The most seconds between two of the recorder's reference times; three quarters of it are the least.
  private static let referenceInterval = 0.1
  /// Of reports behind the beginning, in seconds.
  private static let firstReport = 0.05

  package init(_ scenario: Scenario) throws {
    self.scenario = scenario
    var random = SeededRandom(scenario.seed)
    let started = WallTime(milliseconds: 1_795_000_000_000)
    func id<Entity>() -> Identifier<Entity> { Identifier(ULID(at: started, using: &random)) }
    let take = Take(
      id: id(), number: 1, state: .rolling, room: try RoomName(checking: "Laboratory"), session: id(),
      startedAt: started, folder: "Laboratory/2026-11-23-ABCDEF/01-untitled")
    var events: [(time: Double, frame: JournalFrame)] = []
    var packets: [String: Set<UInt64>] = [:]
    var reports: [String: Set<NTPTime>] = [:]
    var first = Double.infinity
    for (index, musician) in scenario.musicians.enumerated() {
      let end = scenario.length + VirtualPerformance.after
      let score = try MusicianScore(musician, until: musician.leaves ?? end, isMute: true)
      var sending = Sending(musician, score, until: end, track: index + 1)
      sending.play()
      let closing = musician.leaves.map { $0 + musician.patience + VirtualPerformance.patience } ?? .infinity
      let last = min(scenario.length + VirtualPerformance.patience, closing)
      let heard = sending.events.filter { $0.time < last }
      packets[musician.name] = Set(heard.compactMap(\.key))
      reports[musician.name] = Set(heard.compactMap(\.wallClock))
      first = min(first, heard.map(\.time).min() ?? .infinity)
      let track = JournalTrack(
        trackID: id(), participant: Participant(id: id(), name: try DisplayName(checking: musician.name)), part: nil,
        origin: "rtp",
        stream: JournalStream(
          opusPayloadType: MusicianScore.payloadType,
          redPayloadType: musician.sendsRedundancy ? MusicianScore.redPayloadType : nil,
          absoluteCaptureTimeExtension: musician.stampsEvery.map { _ in MusicianScore.captureTimeExtension }))
      events += heard.map { ($0.time, $0.frame) }
      let opened = heard.map(\.time).min() ?? 0
      events.append((opened, .trackOpened(track: index + 1, track, at: VirtualPerformance.time(opened))))
      if closing < scenario.length {
        events.append((closing, .trackClosed(track: index + 1, at: VirtualPerformance.time(closing))))
      }
      scores.append(score)
      records.append(sending.record)
    }
    let zero = VirtualPerformance.time(max(0, first - VirtualPerformance.lead))
    header = JournalHeader(take: take, zero: zero, software: "jamjar test")
    let end = VirtualPerformance.time(scenario.length)
    journal = TakeOnDisk.Journal(
      packets: packets, reports: reports, zero: zero.nanoseconds, end: end.nanoseconds)
    // A track is opened before its first packet.
    frames = events.enumerated()
      .sorted {
        ($0.element.time, $0.element.frame.rank, $0.offset) < ($1.element.time, $1.element.frame.rank, $1.offset)
      }
      .map(\.element.frame)
    frames.append(.end(at: end, .stopped))
  }

  /// The recorder stands still between two instants, in seconds from the scenario's beginning. What came meanwhile waited
  /// in its sockets, which it then reads one after the other.
  package mutating func stopRecorder(from start: Double, to end: Double) {
    let (start, end) = (VirtualPerformance.time(start), VirtualPerformance.time(end))
    let waiting = frames.filter { $0.time >= start && $0.time < end }
    let later = frames.drop { $0.time < end }
    frames = frames.prefix { $0.time < start } + [.standstill(at: end, length: end - start, isSuspension: false)]
    // The last one's packets come when everybody else's are there.
    for track in Set(waiting.map(\.track)).sorted(by: { ($0 ?? 0) > ($1 ?? 0) }) {
      frames += waiting.filter { $0.track == track }
    }
    frames += later
  }

  /// What a render of the journal holds of a musician, against what was played.
  ///
  /// - Parameters:
  ///   - index: the musician's.
  ///   - places: where the first captured sample of each packet lies in the track, by SSRC and sequence number.
  ///   - length: the take's, in samples.
  package func finding(
    _ index: Int, places: [UInt64: Double], gaps: [Gap], report: AlignmentReport?, length: Int64
  ) -> TrackFinding {
    let musician = scenario.musicians[index]
    let track = Certificate.Track(
      participant: .init(name: musician.name), file: nil,
      gaps: gaps.map { .init(start: $0.start.samples, length: $0.length.samples, cause: "\($0.cause)") },
      alignment: report.map(Certificate.Alignment.init))
    return TrackAnalysis(
      musician: musician, score: scores[index], record: records[index], journal: journal,
      begin: VirtualPerformance.begin
    ).finding(track, PacketSearch(places: places), length: length)
  }

  private static func time(_ seconds: Double) -> MonotonicTime {
    MonotonicTime(nanoseconds: begin + Int64(seconds * 1e9))
  }

  /// One musician, and the path to the recorder.
  private struct Sending {
    struct Event {
      /// At the recorder, in seconds from the scenario's beginning.
      var time: Double
      var frame: JournalFrame
      /// Of a packet.
      var key: UInt64?
      /// Of a report.
      var wallClock: NTPTime?
    }

    private let musician: RealMusician
    private let score: MusicianScore
    private let end: Double
    private let track: Int
    private var random: SeededRandom
    private(set) var events: [Event] = []
    private(set) var record: MusicianPlayer.Record

    init(_ musician: RealMusician, _ score: MusicianScore, until end: Double, track: Int) {
      (self.musician, self.score, self.end, self.track) = (musician, score, end, track)
      random = SeededRandom(musician.seed &+ 99)
      record = MusicianPlayer.Record(deliveries: Array(repeating: [], count: score.blocks.count))
    }

    mutating func play() {
      for (number, block) in score.blocks.enumerated() {
        guard let packet = block.packet else { continue }
        // The same dice as in real time: the same packets are late or lost.
        var dice = SeededRandom(musician.seed &+ UInt64(number) &* 31 &+ 5)
        for arrival in musician.path.arrivals(of: block.complete, isUp: true, &dice) {
          let time = VirtualPerformance.time(arrival)
          record.deliveries[number].append(time.nanoseconds)
          events.append(
            Event(time: arrival, frame: .rtp(track: track, arrival: time, packet: packet.bytes), key: packet.key))
        }
      }
      guard let reports = musician.reports else { return }
      let references = heardReferences()
      var now = musician.card.start + VirtualPerformance.firstReport + random.unit() * min(1, reports.interval)
      while now < end {
        report(reports, at: now, after: references.last { $0.heard <= now })
        now += reports.interval * (0.9 + 0.2 * random.unit())
      }
    }

    private typealias Reference = (middle: UInt32, heard: Double)

    /// The recorder's reference times that reach the musician.
    private mutating func heardReferences() -> [Reference] {
      var references: [Reference] = []
      var sent = musician.card.start
      // Dice of their own, so that those of the path fall as they always did.
      var pauses = SeededRandom(musician.seed &+ 555)
      while sent < end {
        defer { sent += VirtualPerformance.referenceInterval * (0.75 + 0.25 * pauses.unit()) }
        let middle = NTPClock().time(at: VirtualPerformance.time(sent)).middle
        references += musician.path.arrivals(of: sent, isUp: false, &random).map { (middle, $0) }
      }
      return references
    }

    private mutating func report(_ reports: RealMusician.Reports, at now: Double, after reference: Reference?) {
      guard let telling = SenderWords(musician, score).telling(at: now) else { return }
      var packets: [RTCPPacket] = [.senderReport(telling.report)]
      if reports.answers, let reference {
        packets.append(
          SenderWords.answer(
            from: telling.report.ssrc, to: 1, reference.middle, held: now - reference.heard + reports.heldTooLong))
      }
      let left = now + random.unit() * reports.lateness
      for arrival in musician.path.arrivals(of: left, isUp: true, &random) {
        let time = VirtualPerformance.time(arrival)
        var heard = telling.telling
        heard.delivered = time.nanoseconds
        record.told.append(heard)
        events.append(
          Event(
            time: arrival, frame: .rtcp(track: track, arrival: time, packet: RTCPCompound.write(packets)),
            wallClock: heard.wallClock))
      }
    }
  }
}

extension JournalFrame {
  fileprivate var rank: Int {
    if case .trackOpened = self { 0 } else { 1 }
  }
}

extension Certificate.Alignment {
  fileprivate init(_ report: AlignmentReport) {
    self.init(
      errorBound: report.errorBound,
      stretches: report.stretches.map {
        .init(start: $0.start.samples, end: $0.end.samples, errorBound: $0.errorBound)
      },
      expectedPackets: report.expectedPackets, recoveredPackets: report.recoveredPackets,
      lostPackets: report.lostPackets, basis: report.basis,
      unseenDrops: report.unseenDrops?.map { .init(start: $0.start.samples, end: $0.end.samples) })
  }
}
