import Client
import Music
import Realtime
import Signaling

/// Where a bot goes: a protocol, a server and a room there, in one URL.
///
/// ```
/// jamjar+https://studio.example/Cellar?token=…      another Jamjar
/// whep+https://media.example/jam/whep?token=…       any WHEP server; whep+http(s), or plain http(s)
/// janus+wss://media.example:8989/?room=1234&pin=…   a VideoRoom of Janus; janus+ws(s)
/// janus+https://media.example:8089/janus?room=1234  the same by its requests; janus+http(s)
/// audiobridge+wss://media.example:8989/?room=5678   an AudioBridge of Janus; all four as well
/// kurento+wss://media.example:8443/room?room=jam    a room of Kurento Room; kurento+ws(s)
/// xirsys+https://broker.example/band/app/jam?ident=…&secret=…  a room of XirSys; xirsys+http(s)
/// rtmp://media.example/live/desk                    one stream; rtmps, rtsp, srt, icecast, hls+http(s) likewise
/// ```
struct BotAddress: Hashable, Sendable {
  /// As given, with its secrets.
  let text: String
  let kind: GuestKind
  /// A room of Janus that is asked over HTTP, and not over a WebSocket.
  let isPolled: Bool
  /// Scheme, host and the target without the parameters meant for us.
  let url: WebhookURL
  /// Path and query to ask the server for.
  let target: String
  /// The room there; for WHEP, which knows no rooms, the last part of the path.
  let room: String
  let token: String?
  let pin: String?
  let secret: String?
  /// The user whose password is `secret`.
  let user: String?
  /// What a server of SRT is asked for.
  let streamID: String?
  /// The words of the protocol's dialect (`GuestKind.dialects`), where they are given.
  let dialect: String?

  static let permitted = BotScheme.permitted

  /// - Throws: `ValueProblem` that says what is wrong; its value has no secrets.
  init(_ text: String) throws(ValueProblem) {
    func problem(_ permitted: String) -> ValueProblem {
      ValueProblem("url", BotAddress.harmless(text), permitted)
    }
    guard let mark = text.firstRange(of: "://") else { throw problem(BotAddress.permitted.joined(separator: ", ")) }
    let rest = text[mark.upperBound...]
    guard let scheme = BotScheme(text[..<mark.lowerBound].lowercased(), before: rest) else {
      throw problem(BotAddress.permitted.joined(separator: ", "))
    }
    let kind = scheme.kind
    guard let location = scheme.location(rest) else { throw problem("a port: \(kind.rawValue)://media.example:9000") }
    guard let whole = WebhookURL(location) else {
      throw problem("a plain URL of a host, without user, escapes in the host, or fragment")
    }
    var own: [String: String] = [:]
    let (path, kept) = BotAddress.split(whole.text, taking: kind.parameters, into: &own)
    let target = path + (kept.isEmpty ? "" : "?" + kept.joined(separator: "&"))
    guard let url = WebhookURL(whole.origin + target) else {
      throw problem("a plain URL of a host, without user, escapes in the host, or fragment")
    }
    (self.text, self.kind, self.url, isPolled) = (text, kind, url, scheme.isPolled)
    (token, pin, secret) = (own["token"], own["pin"], own["secret"])
    (user, streamID) = (own["user"] ?? own["ident"], own["streamid"])
    dialect = own["dialect"]
    guard dialect.map(kind.dialects.contains) ?? true else {
      throw problem("a dialect: \(kind.dialects.joined(separator: ", "))")
    }
    let segments = path.split(separator: "/").map { String($0).percentDecoded ?? String($0) }
    switch kind.roomPlace {
    case .path:
      guard segments.count == 1, let name = RoomName(segments[0]) else {
        throw problem("one room's name as the path: jamjar+https://studio.example/Cellar")
      }
      room = name.description
      self.target = RESTNames.signal(of: name)
    case .pathEnd:
      room = segments.last { $0 != "whep" } ?? url.host
      self.target = target
    case .channel:
      guard let last = segments.last, DisplayName(last) != nil, own["ident"] != nil, own["secret"] != nil else {
        throw problem(
          "a channel and an account: \(kind.rawValue)+https://broker.example/band/app/jam?ident=NAME&secret=SECRET")
      }
      room = last
      self.target = target
    case .stream:
      guard kind != .rtmp || segments.count >= 2 else {
        throw problem("an application and a stream as the path: rtmp://media.example/live/desk")
      }
      room = streamID ?? BotScheme.name(segments) ?? url.host
      self.target = target
    case .parameter:
      guard let named = own["room"], DisplayName(named) != nil else {
        throw problem("the room as a parameter: \(kind.rawValue)+wss://media.example/?room=1234")
      }
      guard kind != .kurento || RoomName(named) != nil else { throw problem("a room whose name Jamjar knows too") }
      room = named
      self.target = target
    }
  }

  /// Takes the parameters that are ours out of the query.
  private static func split(
    _ text: String, taking names: Set<String>, into own: inout [String: String]
  ) -> (path: String, kept: [String]) {
    guard let mark = text.firstRange(of: "://") else { return ("/", []) }
    let target = text[mark.upperBound...].drop { $0 != "/" }
    let path = String(target.prefix { $0 != "?" })
    var kept: [String] = []
    for pair in target.dropFirst(path.count).dropFirst().split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if names.contains(name), parts.count == 2 {
        own[name] = String(parts[1]).percentDecoded ?? String(parts[1])
      } else {
        kept.append(String(pair))
      }
    }
    return (path, kept)
  }

  private static func withoutQuery(_ text: String) -> String { String(text.prefix { $0 != "?" }) }

  /// `text` without what may be secret in an address that is none: the query, and a user with a password.
  private static func harmless(_ text: String) -> String {
    let base = withoutQuery(text)
    guard let at = base.lastIndex(of: "@") else { return base }
    let scheme = base.firstRange(of: "://").map { String(base[..<$0.upperBound]) } ?? ""
    return scheme + "…" + base[at...]
  }

  /// A fault whose sentence has none of the address' secrets: servers repeat what they were sent.
  func redacted(_ fault: GuestFault) -> GuestFault {
    var text = fault.description
    // What a stream is asked for by its query is between its server and its user.
    let query = kind.isStream ? String(target.drop { $0 != "?" }.dropFirst()) : nil
    for secret in [token, pin, secret, query, streamID].compactMap({ $0 })
    where secret.utf8.count >= BotAddress.shortestSecret {
      text = text.split(separator: secret, omittingEmptySubsequences: false).joined(separator: "…")
    }
    return GuestFault(fault.kind, text)
  }

  /// Shorter ones stand in any sentence, in bytes.
  private static let shortestSecret = 4

  /// The address without its secrets, for lists and logs.
  var shown: String {
    let base = BotAddress.withoutQuery(text)
    return kind.roomPlace == .parameter ? "\(base)?room=\(room.percentEncoded)" : base
  }

  /// The parts of the path: a channel of XirSys.
  var channel: [String] {
    target.prefix { $0 != "?" }.split(separator: "/").map { String($0).percentDecoded ?? String($0) }
  }

  /// Two wishes for the same place are one.
  func isSamePlace(as other: BotAddress) -> Bool { kind == other.kind && url == other.url && room == other.room }

  /// The server, at an address of it that has been checked.
  func endpoint(at address: String, trust: String?) -> ServiceEndpoint {
    ServiceEndpoint(host: url.host, port: url.port, isSecure: url.isSecure, trust: trust, address: address)
  }
}
