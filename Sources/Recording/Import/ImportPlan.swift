import Machines
import Music

/// A take to be made of existing recordings: which part of which file lies where on its time line.
package struct ImportPlan: Hashable, Sendable {
  /// A sound file outside the data folder.
  package struct Source: Hashable, Sendable {
    /// Its folder and its name there.
    package var folder: String
    package var name: String
    package var channels: Int
    /// In Hz.
    package var rate: Int
    /// In frames of the file.
    package var length: Int64
    package var time: BroadcastTime?
    /// When its first packet arrived, by a server's clock.
    package var arrival: WallTime?
    /// What it is if libsndfile does not read it.
    package var encoded: EncodedSound?
    /// The musician by the file's own words.
    package var description: String?
    /// What is missing in it, for users.
    package var notes: [String] = []
    /// The last modification, for files that do not say when they were recorded.
    package var modified: WallTime

    package init(
      folder: String, name: String, channels: Int, rate: Int, length: Int64, time: BroadcastTime?, modified: WallTime
    ) {
      (self.folder, self.name, self.channels, self.rate) = (folder, name, channels, rate)
      (self.length, self.time, self.modified) = (length, time, modified)
    }

    /// A file of packets.
    init(folder: String, name: String, sound: EncodedSound, modified: WallTime) {
      self.init(
        folder: folder, name: name, channels: sound.channels, rate: Int(SamplePosition.rate), length: sound.length,
        time: nil, modified: modified)
      encoded = sound
    }
  }

  /// A part of a file on the time line.
  package struct Piece: Hashable, Sendable {
    /// The place of its file in `sources`.
    package var source: Int
    /// The channel to use, from 0; nil for all, of which there are at most two.
    package var channel: Int?
    /// Sample of the take at which it begins.
    package var position: Int64
    /// Frames of the file that are left out at its beginning.
    package var skip: Int64 = 0
    /// In samples of the take.
    package var length: Int64

    /// Damaged files have any length.
    var end: Int64 {
      let (end, isBeyond) = position.addingReportingOverflow(length)
      return isBeyond ? .max : end
    }
  }

  /// A track to be.
  package struct Lane: Hashable, Sendable {
    /// The musician's name.
    package var name: DisplayName
    package var pieces: [Piece]
    /// What its place on the time line is taken from, for users.
    package var basis: String
  }

  /// What the plan was made of, for users: a folder, a project, or the first file.
  package var origin: String
  /// The file of the project, if it was made of one.
  package var project: String?
  package var sources: [Source]
  package var lanes: [Lane]
  package var startedAt: WallTime
  /// Facts for users: files that were left out, times that did not fit.
  package var notes: [String] = []

  /// The sources of different files: an archive has several in one.
  package var files: [Source] {
    var known: Set<[String]> = []
    return sources.filter { known.insert([$0.folder, $0.name]).inserted }
  }

  /// In samples.
  package var length: Int64 { lanes.flatMap(\.pieces).map(\.end).max() ?? 0 }

  /// Samples of the take for `frames` of a file.
  static func samples(_ frames: Int64, rate: Int) -> Int64 {
    guard rate != Int(SamplePosition.rate) else { return frames }
    return Int64(saturating: (Double(frames) * Double(SamplePosition.rate) / Double(max(1, rate))).rounded(.up))
  }
}

/// Why recordings cannot be imported; `description` says what would be right.
package struct ImportProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String
  /// True if the file says that it is not as it was made: nothing of it is to be used.
  let isDamage: Bool

  init(_ description: String, isDamage: Bool = false) {
    (self.description, self.isDamage) = (description, isDamage)
  }
}
