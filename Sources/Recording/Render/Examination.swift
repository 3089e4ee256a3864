import Music

/// Renders a journal twice without decoding: as it was rendered while it grew, and with hindsight. The positions of
/// the packets are compared.
final class Examination {
  /// Two positions of one number further apart than this are two packets, in samples: a minute.
  private static let longest = 60 * Int64(SenderClock.rate)

  private struct Key: Hashable {
    var track: Int
    var source: UInt32
    var sequence: UInt16
  }

  private let first: RollingRender
  private let second: RollingRender
  /// Positions of packets played by only one of the two so far.
  private var onlyFirst: [Key: [Int64]] = [:]
  private var onlySecond: [Key: [Int64]] = [:]
  private var greatestMove: Int64 = 0

  /// - Parameter options: options of the first render.
  init(header: JournalHeader, options: RenderOptions) {
    first = RollingRender(header: header, options: options.examining, sink: DiscardingSink())
    second = RollingRender(header: header, options: options.surveying, sink: DiscardingSink())
  }

  /// Takes the next frame of the journal.
  /// - Throws: `RenderProblem`, `OpusFailure`.
  func handle(_ frame: JournalFrame) throws {
    try first.handle(frame)
    try second.handle(frame)
    compare()
  }

  /// Returns the result, once the journal has ended.
  /// - Throws: `OpusFailure`.
  func finish() throws -> Refinement {
    _ = try first.finish()
    _ = try second.finish()
    compare()
    return Refinement(
      packets: onlySecond.values.reduce(0) { $0 + $1.count },
      droppedPackets: onlyFirst.values.reduce(0) { $0 + $1.count },
      greatestMove: max(
        Double(greatestMove) / SenderClock.rate, second.tracks.map(\.greatestDistance).max() ?? 0) * 1_000)
  }

  /// Lines that place streams better than the rolling estimates did; available after `finish()`.
  var lines: [StreamKey: WholeTakeLine] {
    second.tracks.reduce(into: [:]) { lines, track in lines.merge(track.lines) { line, _ in line } }
  }

  private func compare() {
    for track in first.tracks {
      for packet in track.takePlayed() { match(packet, of: track.number, &onlySecond, or: &onlyFirst) }
    }
    for track in second.tracks {
      for packet in track.takePlayed() { match(packet, of: track.number, &onlyFirst, or: &onlySecond) }
    }
  }

  private func match(
    _ packet: PlayedPacket, of track: Int, _ others: inout [Key: [Int64]], or own: inout [Key: [Int64]]
  ) {
    let key = Key(track: track, source: packet.source, sequence: packet.sequence)
    var places = others[key] ?? []
    guard let index = places.firstIndex(where: { abs($0 - packet.place) < Examination.longest }) else {
      own[key, default: []].append(packet.place)
      return
    }
    greatestMove = max(greatestMove, abs(places.remove(at: index) - packet.place))
    others[key] = places.isEmpty ? nil : places
  }
}

/// A decoded packet and the position of its first sample, which an examination compares instead of sound.
struct PlayedPacket: Hashable, Sendable, Codable {
  /// SSRC.
  var source: UInt32
  var sequence: UInt16
  /// Position on the time line, in samples.
  var place: Int64
}
