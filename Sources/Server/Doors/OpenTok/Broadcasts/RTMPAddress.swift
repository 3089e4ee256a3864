/// The address of an RTMP server of others: `rtmp://host[:port]/app` or `rtmps://…`.
struct RTMPAddress: Hashable, Sendable {
  /// As if it were one of the web: what may be a host, and how it is reached, is the same.
  let url: WebhookURL
  /// The path on the server, with its query.
  let app: String
  /// As given.
  let text: String

  private static let port = 1_935
  private static let securePort = 443

  /// Nil if the text is no such address.
  init?(_ text: String) {
    let isSecure = text.hasPrefix("rtmps://")
    guard isSecure || text.hasPrefix("rtmp://") else { return nil }
    let rest = text.dropFirst(isSecure ? 8 : 7)
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    let app = rest.dropFirst(authority.count).drop { $0 == "/" }
    // The colons of an IPv6 address stand within brackets.
    let hasPort = authority.last != "]" && authority.contains(":")
    let port = hasPort ? "" : ":\(isSecure ? RTMPAddress.securePort : RTMPAddress.port)"
    guard !app.isEmpty, let url = WebhookURL("\(isSecure ? "https" : "http")://\(authority)\(port)/\(app)") else {
      return nil
    }
    (self.url, self.app, self.text) = (url, String(app), text)
  }

  var isSecure: Bool { url.isSecure }
}
