import Glibc
import Music

/// The folder of one backing track: `_backings/<room>/<id>`, with its sound at 48 kHz and a note of what it is.
package enum BackingFile {
  /// No folder of a room begins with `_`.
  package static let root = "_backings"
  /// The sound as exports mix it.
  package static let soundName = "sound.flac"
  /// The same for pages, a tenth of its size.
  package static let lightName = "sound.opus"
  /// What was sent, until it is decoded.
  package static let uploadName = "upload.part"
  package static let noteName = "backing.json"

  /// The folder of a room's backing tracks, relative to the data folder.
  package static func path(of room: RoomName) -> String {
    "\(root)/\(FileName.distinct(room.description, fallback: "room"))"
  }

  package static func path(of backing: BackingID, in room: RoomName) -> String { "\(path(of: room))/\(backing)" }

  /// What is known of a backing track; written last, so that a folder without it is unfinished.
  package struct Note: Sidecar {
    package static let currentVersion = 1

    package var version = Note.currentVersion
    package var backing: Backing
    /// Bytes of its files together.
    package var bytes: Int64

    package init(backing: Backing, bytes: Int64) {
      self.backing = backing
      self.bytes = bytes
    }

    package func check() throws(ValueProblem) {
      guard backing.length > .zero else {
        throw ValueProblem("length of a backing track", "\(backing.length.samples) samples", "1 or more")
      }
      guard NumberRule.bytes.contains(bytes) else {
        throw ValueProblem("size of a backing track", "\(bytes) bytes", "0 to 2^60")
      }
    }
  }
}

/// Appends what arrives of a file to `upload.part`. Used from one thread at a time.
package final class BackingUpload: Sendable {
  private let descriptor: Descriptor
  private let path: String

  /// - Throws: `FileProblem` if there is one in the folder already.
  package init(in folder: TakeFolder) throws(FileProblem) {
    path = folder.label(BackingFile.uploadName)
    descriptor = try folder.create(BackingFile.uploadName)
  }

  /// - Throws: `FileProblem`, such as `isDiskFull`.
  package func append(_ bytes: [UInt8]) throws(FileProblem) {
    let length = try descriptor.length(path: path)
    var problem: FileProblem?
    bytes.withUnsafeBytes { bytes in
      do throws(FileProblem) { try descriptor.write(bytes, at: length, path: path) } catch { problem = error }
    }
    if let problem { throw problem }
  }
}
