/// The identifier of an `Entity`; the type prevents using a take's identifier as a track's.
package struct Identifier<Entity>: Hashable, Comparable, Sendable, LosslessStringConvertible {
  package let ulid: ULID

  package init(_ ulid: ULID) {
    self.ulid = ulid
  }

  /// Creates a new identifier that sorts by `time`.
  package init(at time: WallTime) {
    ulid = ULID(at: time)
  }

  package init?(_ text: String) {
    guard let ulid = ULID(text) else { return nil }
    self.ulid = ulid
  }

  package var description: String { ulid.description }

  package static func < (left: Identifier, right: Identifier) -> Bool { left.ulid < right.ulid }
}

extension Identifier: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let ulid = ULID(text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "\"\(text)\" is not a ULID: 26 characters of 0-9 A-Z without I L O U")
    }
    self.init(ulid)
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

package typealias SessionID = Identifier<Session>
package typealias SongID = Identifier<Song>
package typealias TakeID = Identifier<Take>
package typealias TrackID = Identifier<Track>
package typealias ParticipantID = Identifier<Participant>
package typealias CueID = Identifier<Cue>
package typealias BackupID = Identifier<Backup>
