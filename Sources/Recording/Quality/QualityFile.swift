import Foundation
import Music

/// A take's quality track, as a file beside its sound: one row every three seconds for each musician, as text, because
/// apps read it.
package struct QualityFile: Hashable, Sendable, Codable {
  package static let name = "quality.json"
  package static let currentVersion = 1

  package struct TrackRows: Hashable, Sendable, Codable {
    package var track: TrackID
    package var rows: [QualityRow]

    package init(track: TrackID, rows: [QualityRow]) {
      (self.track, self.rows) = (track, rows)
    }
  }

  package var version = QualityFile.currentVersion
  package var take: TakeID
  /// Usual length of a row in seconds.
  package var interval = QualityReading.interval
  package var tracks: [TrackRows]

  package init(take: TakeID, tracks: [TrackRows] = []) {
    (self.take, self.tracks) = (take, tracks)
  }

  /// On one line; equal rows give equal bytes.
  package func encoded() throws -> [UInt8] {
    let encoder = JSONEncoder.withInfinity()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self)) + [UInt8(ascii: "\n")]
  }

  /// Writes the file durably.
  /// - Returns: its entry of the manifest.
  /// - Throws: `FileProblem`, `EncodingError`.
  func write(in folder: TakeFolder) throws -> Manifest.File {
    let bytes = try encoded()
    try folder.write(bytes, as: QualityFile.name)
    let digest = try FileDigest(of: QualityFile.name, in: folder)
    return Manifest.File(name: QualityFile.name, role: .quality, size: Int64(bytes.count), digest: digest)
  }
}
