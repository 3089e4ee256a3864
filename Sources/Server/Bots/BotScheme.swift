import Signaling

/// What the scheme of a bot's address says: the kind of server, and how it is reached.
struct BotScheme: Hashable, Sendable {
  let kind: GuestKind
  let isSecure: Bool
  /// A room of Janus that is asked over HTTP, and not over a WebSocket.
  private(set) var isPolled = false
  /// The port where the address names none; nil for that of http and https.
  private var port: Int?
  /// An address without a port is none.
  private var needsPort = false

  /// The schemes that are one word.
  private static let words = ["rtmp", "rtmps", "rtsp", "srt", "icecast"]

  static let permitted =
    GuestKind.allCases.flatMap { kind in kind.transports.map { "\(kind.rawValue)+\($0)://…" } }
    + words.map { "\($0)://…" }

  /// - Parameters:
  ///   - text: in lower case, without `://`.
  ///   - rest: what follows.
  init?(_ text: String, before rest: Substring) {
    switch text {
    case "rtmp": (kind, isSecure, port) = (.rtmp, false, 1_935)
    case "rtmps": (kind, isSecure, port) = (.rtmp, true, nil)
    case "rtsp": (kind, isSecure, port) = (.rtsp, false, 554)
    case "srt": (kind, isSecure, needsPort) = (.srt, false, true)
    case "icecast": (kind, isSecure, port) = (.icecast, false, 8_000)
    case "http", "https":
      // A plain web address is that of a playlist if it looks so, otherwise WHEP's: that is what such servers print.
      let path = rest.prefix { $0 != "?" }.lowercased()
      (kind, isSecure) = (path.hasSuffix(BotScheme.playlist) ? .hls : .whep, text == "https")
    default:
      let parts = text.split(separator: "+", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, let kind = GuestKind(rawValue: parts[0]), kind.transports.contains(parts[1])
      else { return nil }
      (self.kind, isSecure) = (kind, parts[1] == "https" || parts[1] == "wss")
      isPolled = [.janus, .audiobridge].contains(kind) && parts[1].hasPrefix("http")
    }
  }

  /// The same place as a web address, since that is what is checked; nil if its port is missing.
  func location(_ rest: Substring) -> String? {
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let behindHost = authority.lastIndex(of: "]").map { authority[$0...] } ?? authority
    let hasPort = behindHost.contains(":")
    if needsPort, !hasPort { return nil }
    let added = hasPort ? "" : port.map { ":\($0)" } ?? ""
    return (isSecure ? "https://" : "http://") + authority + added + rest.dropFirst(authority.count)
  }

  private static let playlist = ".m3u8"
  /// Names of files that say nothing about a stream.
  private static let plain: Set<String> = ["index", "playlist", "master", "stream", "live", "chunklist", "main"]

  /// The name of a stream by the parts of its path, without the ending of a file; nil if there is none.
  static func name(_ segments: [String]) -> String? {
    let names = segments.map { segment in
      guard let dot = segment.lastIndex(of: "."), dot > segment.startIndex,
        segment.utf8.distance(from: dot, to: segment.endIndex) <= playlist.utf8.count
      else { return segment }
      return String(segment[..<dot])
    }
    return names.last { !plain.contains($0.lowercased()) } ?? names.last
  }
}
