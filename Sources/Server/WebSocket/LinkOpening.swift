import NIOHTTP1
import Signaling

/// The contents of a link's upgrade request.
struct LinkOpening: Sendable {
  let path: SignalPath
  let traits: KurentoClientTraits
  /// The `token` of the query, for clients that cannot send it elsewhere.
  let token: String?

  init?(_ head: HTTPRequestHead) {
    guard let path = SignalPath(uri: head.uri) else { return nil }
    self.path = path
    traits = KurentoClientTraits(
      hasOrigin: head.headers.contains(name: "Origin"), hasUserAgent: head.headers.contains(name: "User-Agent"))
    token = LinkOpening.token(inQueryOf: head.uri)
  }

  static func token(inQueryOf uri: String) -> String? {
    guard let query = uri.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
    for pair in query.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      if parts.first == "token", parts.count == 2 { return String(parts[1]).percentDecoded }
    }
    return nil
  }
}
