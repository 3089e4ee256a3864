import Music

/// An archive of OpenTok: spans of takes of its session's room.
package struct OpenTokArchive: Hashable, Sendable, Codable {
  package enum Status: String, Hashable, Sendable, Codable, CaseIterable {
    /// Recording, or waiting for the first stream.
    case started
    /// Nobody publishes; no time of the file passes.
    case paused
    /// It records no more; its file is being made.
    case stopped
    case available
    /// In the operator's object store, which keeps it.
    case uploaded
    /// The file was removed, as it had been kept long enough.
    case expired
    case deleted
    case failed

    package var isActive: Bool { self == .started || self == .paused }

    /// True if an archive may change from this status to `next`.
    package func mayBecome(_ next: Status) -> Bool {
      switch (self, next) {
      case (.started, .paused), (.paused, .started), (.started, .stopped), (.paused, .stopped): true
      case (.stopped, .available), (.stopped, .uploaded), (.available, .expired): true
      case (.available, .deleted), (.uploaded, .deleted): true
      case (.deleted, _), (.failed, _), (.expired, _): false
      case (_, .failed): true
      default: false
      }
    }
  }

  /// Why it ended, in OpenTok's words.
  package enum Reason: String, Hashable, Sendable, Codable, CaseIterable {
    case none = ""
    case user = "user initiated"
    case sessionEnded = "session ended"
    case tooLong = "maximum duration exceeded"
    case failure = "failure"
    case systemFailure = "system failure"
  }

  package enum OutputMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// One file with the mix.
    case composed
    /// A file for every stream.
    case individual
  }

  package enum StreamMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// All streams.
    case auto
    /// Those that the application adds.
    case manual
  }

  /// A stream of an archive whose application chooses them.
  package struct Choice: Hashable, Sendable, Codable {
    package var stream: String
    package var hasAudio: Bool
    package var hasVideo: Bool
  }

  /// A stretch of a take.
  package struct Span: Hashable, Sendable, Codable {
    package var take: TakeID
    package var from: SamplePosition
    /// Nil while it grows, and for the take's end.
    package var to: SamplePosition?
    /// The only musicians to be heard; nil for all.
    package var only: [ParticipantID]?
  }

  /// A stream that was there, for the manifest of individual streams.
  package struct Stay: Hashable, Sendable, Codable {
    package var stream: String
    package var participant: ParticipantID
    package var name: String
    package var connectionData: String
    package var from: WallTime
    package var to: WallTime?
    package var mutes: [Mute] = []

    package struct Mute: Hashable, Sendable, Codable {
      package var from: WallTime
      package var to: WallTime?
    }
  }

  /// The finished file.
  package struct File: Hashable, Sendable, Codable {
    package var name: String
    /// In bytes.
    package var size: Int64
    /// SHA-256 in base64.
    package var sum: String

    package init(name: String, size: Int64, sum: String) { (self.name, self.size, self.sum) = (name, size, sum) }
  }

  /// A UUID.
  package let id: String
  /// The project's key.
  package let project: String
  package let session: String
  package let room: RoomName
  package let wish: OpenTokArchiveWish
  /// True if the session begins archives by itself.
  package let isAutomatic: Bool
  package let createdAt: WallTime
  package var updatedAt: WallTime
  package internal(set) var status = Status.started
  package internal(set) var reason = Reason.none
  package internal(set) var choices: [Choice] = []
  package internal(set) var spans: [Span] = []
  package internal(set) var stays: [Stay] = []
  /// Recorded time: exact once there is a file, until then what the spans say.
  package internal(set) var length = SamplePosition.zero
  package internal(set) var file: File?
  /// As last set by the application.
  package internal(set) var layout: OpenTokArchiveLayout?

  package init(
    id: String, session: OpenTokSessionID, wish: OpenTokArchiveWish, isAutomatic: Bool = false, at time: WallTime
  ) {
    (self.id, project, self.session, room) = (id, session.key, session.description, session.room)
    (self.wish, self.isAutomatic, createdAt, updatedAt) = (wish, isAutomatic, time, time)
    layout = wish.layout
  }

  package var hasFile: Bool { status == .available || status == .uploaded }

  /// The end of what nothing will look at again, so that many archives need little memory.
  mutating func forgetDetails() { stays = [] }

  /// A new id (RFC 9562 section 5.4).
  package static func newID() -> String {
    func digits(_ value: UInt64, _ count: Int) -> String {
      let text = String(value, radix: 16)
      // in range: 64 bits have 16 digits at most
      return String((String(repeating: "0", count: 16 - text.count) + text).suffix(count))
    }
    let (high, low) = (UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max))
    let version = digits(high & 0x0FFF | 0x4000, 4)
    let variant = digits(low >> 48 & 0x3FFF | 0x8000, 4)
    return "\(digits(high >> 32, 8))-\(digits(high >> 16, 4))-\(version)-\(variant)-\(digits(low, 12))"
  }
}

extension OpenTokArchive {
  /// The archive as the SDKs read it.
  ///
  /// - Parameter url: where the file is, of an archive that has one.
  package func json(url: String?) -> JSONObject {
    let key: JSONValue = Int64(project).map { .integer($0) } ?? .string(project)
    let seconds = (length.samples &+ SamplePosition.rate / 2) / SamplePosition.rate
    var object: JSONObject = [
      "id": .string(id), "status": .string(status.rawValue), "name": .optional(wish.name),
      "reason": .string(reason.rawValue), "sessionId": .string(session), "projectId": key, "partnerId": key,
      "createdAt": .integer(createdAt.milliseconds), "updatedAt": .integer(updatedAt.milliseconds),
      "size": .integer(file?.size ?? 0), "duration": .integer(status.isActive ? 0 : seconds),
      "outputMode": .string(wish.outputMode.rawValue), "streamMode": .string(wish.streamMode.rawValue),
      // There are only sounds in takes.
      "hasAudio": true, "hasVideo": false, "resolution": .optional(wish.resolution), "url": .optional(url),
      "sha256sum": .optional(file?.sum), "password": "", "multiArchiveTag": .optional(wish.tag),
      "maxBitrate": wish.maxBitrate.map { .integer($0) } ?? .null,
    ]
    if wish.streamMode == .manual, status.isActive {
      object["streams"] = .array(
        choices.map {
          ["streamId": .string($0.stream), "hasAudio": .bool($0.hasAudio), "hasVideo": .bool($0.hasVideo)]
        })
    }
    return object
  }
}

extension OpenTokArchive {
  /// Makes it go as if it had never begun: no take could.
  package mutating func giveUp() { status = .deleted }
}
