/// A kind of server where a bot can be a guest; the raw value begins its addresses.
package enum GuestKind: String, Hashable, Sendable, CaseIterable {
  case jamjar, whep, janus, audiobridge, kurento, xirsys
  // Sources that are one stream.
  case rtmp, rtsp, srt, hls, icecast

  private static let prefix = "bot-"

  /// Where an address names the room.
  package enum RoomPlace: Hashable, Sendable {
    /// The path is one room's name.
    case path
    /// The end of the path; such a server knows no rooms.
    case pathEnd
    /// The path is a channel, whose last part is the room; an account goes with it.
    case channel
    /// The path is an application and a stream, of which one is the source.
    case stream
    /// A parameter of the query.
    case parameter
  }

  package var roomPlace: RoomPlace {
    switch self {
    case .jamjar: .path
    case .whep: .pathEnd
    case .xirsys: .channel
    case .rtmp, .rtsp, .srt, .hls, .icecast: .stream
    case .janus, .audiobridge, .kurento: .parameter
    }
  }

  /// The parameters of the query that are for the bot.
  package var parameters: Set<String> {
    switch self {
    case .jamjar, .whep: ["token"]
    case .janus, .audiobridge: ["room", "pin", "token", "secret"]
    case .kurento: ["room", "token"]
    case .xirsys: ["ident", "secret", "dialect"]
    case .rtsp, .icecast: ["user", "secret"]
    case .srt: ["streamid", "secret"]
    // All of it is the server's.
    case .rtmp, .hls: []
    }
  }

  /// The words of the parameter `dialect`; none where the protocol has one alone.
  package var dialects: [String] { self == .xirsys ? XirSysVocabulary.allCases.map(\.rawValue) : [] }

  /// True for a source that is one stream of sound, without a room or negotiation.
  package var isStream: Bool { roomPlace == .stream }

  /// What follows the `+` of an address' scheme; none where the kind alone is the scheme.
  package var transports: [String] {
    switch self {
    case .jamjar, .whep, .xirsys, .hls, .icecast: ["http", "https"]
    case .janus, .audiobridge: ["ws", "wss", "http", "https"]
    case .kurento: ["ws", "wss"]
    case .rtmp, .rtsp, .srt: []
    }
  }

  /// True where nothing says that somebody was brought by a bot, and each guest is one musician with a name of their own.
  package var hidesGuests: Bool { self == .kurento || self == .xirsys }

  /// The origin of a bot's tracks in the journal.
  package var origin: String { GuestKind.prefix + rawValue }

  /// The kind of a track's origin, with or without the codec behind it; nil for one that no bot brought.
  package init?(origin: String) {
    guard origin.hasPrefix(GuestKind.prefix) else { return nil }
    let word = origin.dropFirst(GuestKind.prefix.count).prefix { $0 != "/" }
    self.init(rawValue: String(word))
  }

  /// What a take of this kind cannot know, for its certificate.
  package var caveats: String {
    switch self {
    case .jamjar: "forwarded by another Jamjar as it arrived there; arrival times include the way between the two"
    case .whep, .janus, .kurento:
      "forwarded by another server; capture times, if any, and losses before it are not known here"
    case .xirsys:
      "played to the bot as to another musician of a call: the app's voice filters are in the recording, and whether a "
        + "server was in between is not known here"
    case .audiobridge: "a mix made by another server, behind its jitter buffer: one track for everybody"
    case .rtmp:
      "one stream as another server passes it on, behind its buffer; no capture times, and losses before it are not "
        + "known here; coded again unless it came as Opus"
    case .rtsp, .srt, .icecast:
      "one stream as another server passes it on, behind its buffer; no capture times, and losses before it are not "
        + "known here; coded again by ffmpeg"
    case .hls:
      "one stream in segments, many seconds after it was played; no capture times, and losses before it are not known "
        + "here; coded again by ffmpeg"
    }
  }
}
