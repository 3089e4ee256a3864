/// A kind of server where a bot can be a guest; the raw value begins its addresses.
package enum GuestKind: String, Hashable, Sendable, CaseIterable {
  case jamjar, whep, janus, audiobridge, kurento, xirsys
  // Sources that are one stream.
  case rtmp, rtsp, srt, hls, icecast

  private static let prefix = "bot-"

  /// True for a source that is one stream of sound, without a room or negotiation.
  package var isStream: Bool {
    switch self {
    case .rtmp, .rtsp, .srt, .hls, .icecast: true
    case .jamjar, .whep, .janus, .audiobridge, .kurento, .xirsys: false
    }
  }

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
