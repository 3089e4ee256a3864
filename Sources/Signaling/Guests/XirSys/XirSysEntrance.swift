import Machines

/// How a client of XirSys comes into a room: a token and the address of the sockets, by REST.
///
/// Dialect A asks by version 2, with the account in the form, dialect B by version 3, with Basic authentication.
package struct XirSysEntrance: Hashable, Sendable {
  /// A request to the broker.
  package struct Call: Hashable, Sendable {
    package var method: String
    /// Path and query.
    package var target: String
    /// Of `application/x-www-form-urlencoded`; nil for none.
    package var form: String?
    package var authorization: String?
  }

  /// How long a token has to hold, in seconds: the socket follows at once.
  private static let life = 60
  /// XirSys' own name where a channel has fewer than three parts.
  private static let standard = "default"

  private let channel: [String]
  private let user: String
  private let ident: String
  private let secret: String
  private let framing: XirSysVocabulary.Framing

  /// - Parameter channel: the parts of the channel; the last one is the room.
  package init(
    channel: [String], user: String, ident: String, secret: String, framing: XirSysVocabulary.Framing
  ) {
    (self.channel, self.user, self.framing) = (channel, user, framing)
    (self.ident, self.secret) = (ident, secret)
  }

  // MARK: Requests

  package var sockets: Call {
    switch framing {
    case .legacy: Call(method: "POST", target: "/wsList", form: form)
    case .channel:
      Call(method: "GET", target: "/_host/\(path)?type=signal&k=\(user.percentEncoded)", authorization: basic)
    }
  }

  package var token: Call {
    switch framing {
    case .legacy: Call(method: "POST", target: "/getToken", form: form)
    case .channel:
      Call(
        method: "PUT", target: "/_token/\(path)?k=\(user.percentEncoded)&expire=\(XirSysEntrance.life)",
        authorization: basic)
    }
  }

  private var path: String { channel.map(\.percentEncoded).joined(separator: "/") }

  private var basic: String { "Basic " + Base64.standard.encode(Array("\(ident):\(secret)".utf8)) }

  private var form: String {
    var parts = Array(repeating: XirSysEntrance.standard, count: max(3 - channel.count, 0))
    parts.append(contentsOf: channel.suffix(3))
    let fields = [
      ("ident", ident), ("secret", secret), ("domain", parts[0]), ("application", parts[1]), ("room", parts[2]),
      ("username", user), ("secure", "1"),
    ]
    return fields.map { "\($0)=\($1.percentEncoded)" }.joined(separator: "&")
  }

  // MARK: Answers

  /// The base of the sockets, `wss://host`.
  /// - Throws: `GuestFault` if the answer has none.
  package func sockets(in answer: String, status: Int) throws(GuestFault) -> String {
    let payload = try payload(answer, status)
    let base = framing == .legacy ? payload.object?["value"]?.string : payload.string
    guard let base else { throw GuestFault(.nonsense, "the server names no address of its sockets") }
    return base
  }

  /// - Throws: `GuestFault` if the answer has none.
  package func token(in answer: String, status: Int) throws(GuestFault) -> String {
    let payload = try payload(answer, status)
    let token = framing == .legacy ? payload.object?["token"]?.string : payload.string
    guard let token, !token.isEmpty else { throw GuestFault(.nonsense, "the server gives no token") }
    return token
  }

  /// Path and query of the socket below a base.
  package func target(of token: String, below base: String) -> String {
    let base = base.hasSuffix("/") ? String(base.dropLast()) : base
    return framing == .legacy ? "\(base)/\(token.percentEncoded)" : "\(base)/v2/\(token.percentEncoded)"
  }

  private func payload(_ answer: String, _ status: Int) throws(GuestFault) -> JSONValue {
    guard let envelope = (try? JSONValue(parsing: answer, limits: .foreign))?.object, let outcome = envelope["s"] else {
      throw GuestFault(
        status == 429 || status >= 500 ? .lost : .refused, "the server answers \(status), and not as XirSys does")
    }
    switch framing {
    case .legacy:
      guard let number = outcome.integer else { throw GuestFault(.nonsense, "the answer's \"s\" is no number") }
      guard number < 300 else { throw GuestFault(xirsys: number, envelope["e"]?.string ?? "no reason given") }
      return envelope["d"] ?? .null
    case .channel:
      guard outcome.string == "ok" else { throw GuestFault(xirsys: envelope["v"]?.string ?? "no reason given") }
      return envelope["v"] ?? .null
    }
  }
}

extension GuestFault {
  /// A refusal of version 2.
  init(xirsys status: Int64, _ reason: String) {
    let kind: Kind =
      switch status {
      // The name is taken: it may be our own place of before.
      case 409: .full
      case 403 where reason.contains("full"): .full
      case 300..<500 where status != 429: .refused
      default: .lost
      }
    self.init(kind, "the server refuses the bot: \(reason) (\(status))")
  }

  /// A refusal of version 3, which has a word for each.
  init(xirsys word: String) {
    let kind: Kind =
      switch XirSysReply.Word(rawValue: word) {
      case .locked, .pathExists: .full
      case .internalError: .lost
      default: .refused
      }
    self.init(kind, "the server refuses the bot: \(word)")
  }
}
