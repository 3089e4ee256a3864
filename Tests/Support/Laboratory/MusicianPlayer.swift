import Machines
import Realtime

/// Plays a score in real time: what leaves the musician goes over their path and wire to the recorder, and what the
/// recorder asks and reports comes back over both. Used from one thread.
final class MusicianPlayer {
  /// What really happened, by which the recorder is judged.
  struct Record: Sendable {
    /// When copies of a block's packet were handed to the recorder, in nanoseconds of `LaboratoryClock`.
    var deliveries: [[Int64]]
    /// The reports that reached the recorder.
    var told: [Telling] = []
    /// The most by which this machine was late with anything, in nanoseconds.
    var greatestLateness: Int64 = 0
    var requests = 0
    var reports = 0
  }

  /// A sender report that reached the recorder.
  struct Telling: Sendable {
    var source: UInt32
    /// The time of which it tells, in seconds from the scenario's beginning.
    var time: Double
    /// The last block whose packet was sent before.
    var block: Int
    /// The wall clock's time that it tells, by which it is known in the journal.
    var wallClock: NTPTime
    /// When it reached the recorder, in nanoseconds of `LaboratoryClock`.
    var delivered: Int64 = 0
  }

  private enum Event {
    /// Bytes at the recorder's end of the path, of that block's packet or with that report where they are one.
    case delivery([UInt8], block: Int?, telling: Telling?)
    /// Bytes at the musician's end.
    case heard([UInt8])
    case report
    case stray(Int)
  }

  /// What was sent is kept so long, in seconds, as browsers do.
  private static let memory = 3.0
  /// A packet is not sent again sooner, in seconds.
  private static let repeatInterval = 0.02

  private let musician: RealMusician
  private let score: MusicianScore
  private let begin: Int64
  private let end: Double
  private let wire: any MusicianWire
  private let stranger: LoopbackSocket
  private var random: SeededRandom
  private var checkDice: SeededRandom
  private var events = EventQueue<Event>()
  private var nextBlock = 0
  private var blocks: [UInt64: Int] = [:]
  private var lastSent: [Int: Double] = [:]
  /// The recorder's last reference time: its SSRC, its middle bits, when it was heard.
  private var reference: (source: UInt32, middle: UInt32, heard: Double)?
  private let words: SenderWords
  private(set) var record: Record

  /// - Parameters:
  ///   - begin: the scenario's, in nanoseconds of `LaboratoryClock`.
  ///   - end: when the musician's programme is closed, in seconds from then.
  init(
    _ musician: RealMusician, _ score: MusicianScore, over wire: any MusicianWire, begin: Int64, end: Double
  ) throws {
    (self.musician, self.score, self.wire, self.begin, self.end) = (musician, score, wire, begin, end)
    stranger = try wire.stranger()
    random = SeededRandom(musician.seed &+ 99)
    checkDice = SeededRandom(musician.seed &+ 98)
    words = SenderWords(musician, score)
    record = Record(deliveries: Array(repeating: [], count: score.blocks.count))
    if let reports = musician.reports {
      add(.report, at: musician.card.start + 0.05 + random.unit() * min(1, reports.interval))
    }
    for stray in musician.strays {
      for number in 0..<stray.count { add(.stray(number), at: stray.at + Double(number) * 0.02) }
    }
  }

  var descriptor: Int32 { wire.descriptor }

  /// When something is to be done, in nanoseconds of `LaboratoryClock`.
  var next: Int64? {
    let block = nextBlock < score.blocks.count ? time(score.blocks[nextBlock].complete) : nil
    guard let event = events.next else { return block }
    return min(event, block ?? event)
  }

  /// Reads what came, and does all that is due.
  func work() {
    while let bytes = wire.hear() {
      let now = seconds(LaboratoryClock.now)
      for arrival in musician.path.arrivals(of: now, isUp: false, &random) { add(.heard(bytes), at: arrival) }
    }
    while nextBlock < score.blocks.count, time(score.blocks[nextBlock].complete) <= LaboratoryClock.now {
      note(lateness: LaboratoryClock.now - time(score.blocks[nextBlock].complete))
      if let packet = score.blocks[nextBlock].packet {
        blocks[MusicianPlayer.key(packet.source, packet.sequence)] = nextBlock
        // The dice of a packet's first sending are its own: the same packets are lost in every run.
        var dice = SeededRandom(musician.seed &+ UInt64(nextBlock) &* 31 &+ 5)
        send(packet.bytes, block: nextBlock, at: score.blocks[nextBlock].complete, &dice)
      }
      nextBlock += 1
    }
    while let (due, event) = events.pop(at: LaboratoryClock.now) {
      note(lateness: LaboratoryClock.now - due)
      handle(event, at: seconds(due))
    }
  }

  private func handle(_ event: Event, at time: Double) {
    switch event {
    case .delivery(let bytes, let block, let telling):
      guard wire.deliver(bytes) else { return }
      if let block { record.deliveries[block].append(LaboratoryClock.now) }
      if var telling {
        telling.delivered = LaboratoryClock.now
        record.told.append(telling)
      }
    case .heard(let bytes):
      guard let answer = wire.answer(toCheck: bytes) else { return hear(bytes, at: time) }
      for arrival in musician.path.arrivals(of: time, isUp: true, &checkDice) {
        add(.delivery(answer, block: nil, telling: nil), at: arrival)
      }
    case .report:
      report(at: time)
      if let reports = musician.reports, time + reports.interval < end {
        add(.report, at: time + reports.interval * (0.9 + 0.2 * random.unit()))
      }
    case .stray(let number):
      let writer = RTPWriter(
        payloadType: MusicianScore.payloadType, sequenceNumber: UInt16(number), timestamp: UInt32(number * 960),
        ssrc: UInt32(truncatingIfNeeded: musician.seed) ^ 0x5A5A_5A5A)
      // 20 ms of silence: 15 bytes in all.
      stranger.send(writer.packet(payload: [0xFC, 0xFF, 0xFE] as [UInt8]))
    }
  }

  private func send(
    _ bytes: [UInt8], block: Int?, telling: Telling? = nil, at time: Double, _ dice: inout SeededRandom
  ) {
    guard let sealed = wire.seal(bytes, isReport: block == nil) else { return }
    for arrival in musician.path.arrivals(of: time, isUp: true, &dice) {
      add(.delivery(sealed, block: block, telling: telling), at: arrival)
    }
  }

  // MARK: RTCP

  private func hear(_ bytes: [UInt8], at now: Double) {
    guard let packets = try? RTCPCompound.parse(bytes) else { return }
    for packet in packets {
      switch packet {
      case .nack(let nack): answer(nack, at: now)
      case .extendedReport(let report):
        for case .receiverReferenceTime(let time) in report.blocks {
          reference = (report.ssrc, time.middle, now)
        }
      default: break
      }
    }
  }

  private func answer(_ nack: GenericNack, at now: Double) {
    record.requests += nack.sequenceNumbers.count
    guard musician.answersRequests else { return }
    for number in nack.sequenceNumbers {
      guard let block = blocks[MusicianPlayer.key(nack.media, number)], let packet = score.blocks[block].packet,
        now - score.blocks[block].complete < MusicianPlayer.memory,
        now - (lastSent[block] ?? -1) >= MusicianPlayer.repeatInterval
      else { continue }
      lastSent[block] = now
      send(packet.bytes, block: block, at: now, &random)
    }
  }

  private func report(at now: Double) {
    guard let reports = musician.reports, let (report, telling) = words.telling(at: now) else { return }
    record.reports += 1
    var packets: [RTCPPacket] = [.senderReport(report)]
    if reports.answers, let reference {
      packets.append(
        SenderWords.answer(
          from: report.ssrc, to: reference.source, reference.middle,
          held: now - reference.heard + reports.heldTooLong))
      self.reference = nil
    }
    send(
      RTCPCompound.write(packets), block: nil, telling: telling, at: now + random.unit() * reports.lateness, &random)
  }

  // MARK: Times

  private static func key(_ source: UInt32, _ sequence: UInt16) -> UInt64 { UInt64(source) << 16 | UInt64(sequence) }

  private func time(_ seconds: Double) -> Int64 { begin + Int64(seconds * 1e9) }
  private func seconds(_ time: Int64) -> Double { Double(time - begin) / 1e9 }
  private func add(_ event: Event, at seconds: Double) { events.add(at: time(seconds), event) }
  private func note(lateness: Int64) { record.greatestLateness = max(record.greatestLateness, lateness) }
}
