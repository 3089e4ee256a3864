import Music

/// A connection to a session: a member of its room, by whatever dialect.
package struct OpenTokConnection: Hashable, Sendable {
  package var id: OpenTokConnectionID
  package var participant: ParticipantID
  package var createdAt: WallTime
  /// The token's text; the display name of members of other dialects.
  package var data: String
  /// True while the client's link, or the music of a client without one, is there.
  package var isConnected: Bool

  package init(
    id: OpenTokConnectionID, participant: ParticipantID, createdAt: WallTime, data: String, isConnected: Bool = true
  ) {
    (self.id, self.participant, self.createdAt) = (id, participant, createdAt)
    (self.data, self.isConnected) = (data, isConnected)
  }
}

/// A stream of a session: the publication of a member, by whatever dialect.
package struct OpenTokStream: Hashable, Sendable {
  package var id: OpenTokStreamID
  package var connection: OpenTokConnectionID
  package var participant: ParticipantID
  package var createdAt: WallTime
  /// As the client names it; the display name of members of other dialects.
  package var name: String
  package var hasAudio: Bool
  package var hasVideo: Bool
  /// `camera`, `screen` or `custom`.
  package var videoType: String
  package var layoutClasses: [String]

  package init(
    id: OpenTokStreamID, connection: OpenTokConnectionID, participant: ParticipantID, createdAt: WallTime, name: String,
    hasAudio: Bool = true, hasVideo: Bool = false, videoType: String = "camera", layoutClasses: [String] = []
  ) {
    (self.id, self.connection, self.participant, self.createdAt) = (id, connection, participant, createdAt)
    (self.name, self.hasAudio, self.hasVideo) = (name, hasAudio, hasVideo)
    (self.videoType, self.layoutClasses) = (videoType, layoutClasses)
  }
}

/// The present state of a session with somebody in it.
package struct OpenTokSessionState: Hashable, Sendable {
  package var session: OpenTokSessionID
  /// When the first client came.
  package var createdAt: WallTime
  /// In the order in which they came.
  package var connections: [OpenTokConnection]
  package var streams: [OpenTokStream]
  /// True while new streams start muted.
  package var mutesNewStreams: Bool
  /// Those that record, or are paused.
  package var archives: [OpenTokArchiveNotice] = []

  package init(
    session: OpenTokSessionID, createdAt: WallTime, connections: [OpenTokConnection] = [],
    streams: [OpenTokStream] = [], mutesNewStreams: Bool = false
  ) {
    (self.session, self.createdAt, self.connections) = (session, createdAt, connections)
    (self.streams, self.mutesNewStreams) = (streams, mutesNewStreams)
  }
}

/// What happens in a session, for callbacks and for the client wire.
package enum OpenTokEvent: Hashable, Sendable {
  /// The first client has come.
  case sessionCreated
  case sessionDestroyed
  case connectionCreated(OpenTokConnection)
  case connectionDestroyed(OpenTokConnection, OpenTokReason)
  case streamCreated(OpenTokStream)
  case streamDestroyed(OpenTokStream, OpenTokReason)
  /// `hasAudio`, `hasVideo`, name or layout classes have changed.
  case streamChanged(OpenTokStream, from: OpenTokStream)
  case signal(OpenTokSignal)
  /// A moderator, or the application's server, has silenced these streams; they may unmute themselves.
  case muteForced([OpenTokStreamID])
  /// New streams start muted from now on, or no longer.
  case mutesNewStreams(Bool)
  /// An archive has this status from now on.
  case archive(OpenTokArchiveNotice)
  /// What the room says of takes and recordings passes as it is.
  case room(RoomEvent)
}

/// Why a connection or a stream ended, in OpenTok's words.
package enum OpenTokReason: String, Hashable, Sendable, CaseIterable {
  case clientDisconnected, forceDisconnected, networkDisconnected, mediaStopped, forceUnpublished
}

/// One event of one session.
package struct OpenTokNews: Hashable, Sendable {
  package var session: OpenTokSessionID
  package var event: OpenTokEvent
  package var time: WallTime

  package init(_ session: OpenTokSessionID, _ event: OpenTokEvent, at time: WallTime) {
    (self.session, self.event, self.time) = (session, event, time)
  }
}

/// A message of an application to clients.
package struct OpenTokSignal: Hashable, Sendable {
  /// Letters, digits, `-`, `_`, `~`; at most `longestType` bytes.
  package var type: String?
  package var data: String
  /// The sender; nil for the application's server.
  package var from: OpenTokConnectionID?
  /// The receiver; nil for everybody.
  package var to: OpenTokConnectionID?

  package static let longestType = 128
  package static let longestData = 8_192

  /// - Throws: `OpenTokRefusal` 413 for what is too long, 400 for other characters in the type.
  package init(
    type: String?, data: String, from: OpenTokConnectionID? = nil, to: OpenTokConnectionID? = nil
  ) throws(OpenTokRefusal) {
    if let type {
      guard type.utf8.count <= OpenTokSignal.longestType else {
        throw OpenTokRefusal(
          status: 413, "the signal's type has \(type.utf8.count) bytes, \(OpenTokSignal.longestType) at most")
      }
      guard type.utf8.allSatisfy(OpenTokSignal.permits) else {
        throw .badRequest("the signal's type has letters, digits, -, _ and ~ only")
      }
    }
    guard data.utf8.count <= OpenTokSignal.longestData else {
      throw OpenTokRefusal(
        status: 413, "the signal's data have \(data.utf8.count) bytes, \(OpenTokSignal.longestData) at most")
    }
    (self.type, self.data, self.from, self.to) = (type, data, from, to)
  }

  private static func permits(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}
