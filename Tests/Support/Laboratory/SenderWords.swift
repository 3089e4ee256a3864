import Realtime

/// What a musician's programme says of its clocks.
struct SenderWords {
  private let musician: RealMusician
  private let score: MusicianScore

  init(_ musician: RealMusician, _ score: MusicianScore) {
    (self.musician, self.score) = (musician, score)
  }

  /// The sender report at `now`, in seconds from the scenario's beginning; nil before the first packet. Senders count on
  /// from their last packet, also while the microphone stands still.
  func telling(at now: Double) -> (report: SenderReport, telling: MusicianPlayer.Telling)? {
    guard let reports = musician.reports,
      let number = score.blocks.lastIndex(where: { $0.complete <= now && $0.packet != nil }),
      let packet = score.blocks[number].packet
    else { return nil }
    let block = score.blocks[number]
    let rate = 48_000 * (1 + musician.card.drift(at: now) * 1e-6)
    let elapsed = Int64((now - block.captured + reports.lead) * rate)
    let report = SenderReport(
      ssrc: packet.source, time: musician.wallTime(at: now),
      timestamp: packet.timestamp &+ UInt32(truncatingIfNeeded: elapsed),
      packetCount: UInt32(packet.ordinal + 1), byteCount: UInt32((packet.ordinal + 1) * 320))
    return (report, MusicianPlayer.Telling(source: packet.source, time: now, block: number, wallClock: report.time))
  }

  /// The answer to a reference time of `recorder` that was held for so many seconds (DLRR, RFC 3611 section 4.5).
  static func answer(from source: UInt32, to recorder: UInt32, _ middle: UInt32, held: Double) -> RTCPPacket {
    .extendedReport(
      ExtendedReport(
        ssrc: source,
        blocks: [
          .delaySinceLastReceiverReport([
            .init(ssrc: recorder, lastReceiverReport: middle, delay: UInt32(held * 65_536))
          ])
        ]))
  }
}
