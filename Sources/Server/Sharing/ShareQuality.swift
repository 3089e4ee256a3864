import Foundation
import Music
import NIOPosix
import Recording
import Signaling

/// Where the music of a shared take suffered, and why. Visitors get no figures: a round trip tells how far away somebody
/// lives.
struct ShareQuality {
  /// The data folder.
  let recordings: String

  /// Largest file that is read, in bytes; a day of sixteen musicians has less.
  private static let largest = 128 << 20

  /// The stretches of each measured track; empty if nobody measured the take.
  /// - Parameter areNamed: true if the link opens the tracks, which then have their identifiers.
  func describe(_ take: Take, _ tracks: [Track], areNamed: Bool) async throws -> JSONValue {
    let measured = try await summaries(of: take)
    let items = tracks.compactMap { track -> JSONValue? in
      guard let summary = measured.first(where: { $0.track == track.id }) else { return nil }
      return [
        "id": .optional(areNamed ? track.id.description : nil),
        "name": .string(track.participant.name.description), "part": .optional(track.part),
        "stretches": .array(summary.stretches.map(ShareQuality.stretch)),
      ]
    }
    return ["tracks": .array(items)]
  }

  private func summaries(of take: Take) async throws -> [QualitySummary] {
    let file: RecordedFile
    do {
      file = try await RecordedFile.open(QualityFile.name, in: take.folder, of: recordings)
    } catch RecordedFile.Failure.missing {
      return []
    }
    guard file.size <= Int64(ShareQuality.largest) else { return [] }
    let bytes = try await file.read(at: 0, count: Int(file.size))
    // Hours have a megabyte, whose decoding holds up nobody else's requests there.
    return try await NIOThreadPool.singleton.runIfActive {
      try JSONDecoder.withInfinity().decode(QualityFile.self, from: Data(bytes)).tracks.map {
        QualitySummary(of: $0.rows, track: $0.track)
      }
    }
  }

  private static func stretch(_ stretch: QualitySummary.Stretch) -> JSONValue {
    [
      "start": .measure(stretch.start.seconds), "end": .measure(stretch.end.seconds),
      "level": .integer(Int64(stretch.level.rawValue)), "cause": .string(stretch.cause.rawValue),
    ]
  }
}
