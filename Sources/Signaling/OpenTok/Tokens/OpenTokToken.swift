import Machines
import Music

/// A client's token, made by the application's server and checked here.
package enum OpenTokToken {
  /// What a connection may do.
  package enum Role: String, Hashable, Sendable, CaseIterable {
    case subscriber, publisher, publisheronly, moderator

    package var maySubscribe: Bool { self != .publisheronly }
    package var mayPublish: Bool { self != .subscriber }
    package var maySignal: Bool { self == .publisher || self == .moderator }
    /// Force others to disconnect, to end their streams, or to be silent.
    package var mayModerate: Bool { self == .moderator }
  }

  /// What a valid token says.
  package struct Claim: Hashable, Sendable {
    package var project: OpenTokProject
    package var session: OpenTokSessionID
    package var role: Role
    /// The application's own text about the connection.
    package var connectionData: String
    package var layoutClasses: [String]
    /// When it stops to open connections; those that are open stay.
    package var expires: WallTime
  }

  /// Longest token, in bytes: 1,000 characters of connection data and 1,000 of classes, escaped and encoded.
  static let longest = 32_768
  /// Most characters of the connection data, and of the list of classes.
  static let longestText = 1_000
  /// Validity of a token that names no end.
  static let standardLife: Int64 = 86_400
  /// Longest validity, in seconds, with as much as the clocks may differ.
  static let longestLife: Int64 = 30 * 86_400 + OpenTokClock.leeway

  /// The claim of a token in either form.
  /// - Throws: `OpenTokRefusal` 403 that says what is wrong; 404 for a session id of nobody.
  package static func read(
    _ text: String, _ projects: OpenTokProjects, at now: WallTime
  ) throws(OpenTokRefusal) -> Claim {
    guard text.utf8.count <= longest else {
      throw .forbidden("Invalid token: it has \(text.utf8.count) bytes, \(longest) at most")
    }
    let (project, words) =
      text.hasPrefix(OpenTokLegacyToken.prefix)
      ? try OpenTokLegacyToken.read(text, projects) : try OpenTokJWT.read(text, projects).client()
    guard let session = words.session else { throw .forbidden("Invalid token: it has no session_id") }
    guard let role = Role(rawValue: words.role ?? Role.publisher.rawValue) else {
      let roles = Role.allCases.map(\.rawValue).joined(separator: ", ")
      throw .forbidden("Invalid token: its role \"\(words.role?.shortened(to: 32) ?? "")\" is none of \(roles)")
    }
    let data = words.connectionData ?? ""
    guard data.unicodeScalars.count <= longestText else {
      throw .forbidden(
        "Invalid token: its connection data has \(data.unicodeScalars.count) characters, \(longestText) at most")
    }
    let classes = words.layoutClasses ?? ""
    guard classes.unicodeScalars.count <= longestText else {
      throw .forbidden("Invalid token: its list of layout classes has more than \(longestText) characters")
    }
    return Claim(
      project: project, session: try OpenTokSessionID(reading: session, of: project, hashes: projects.hashes),
      role: role, connectionData: data, layoutClasses: classes.split(separator: " ").map(String.init),
      expires: try OpenTokClock.end(of: "token", from: words.issued, to: words.expires, longest: longestLife, at: now))
  }

  /// What a token says, before anything but its signature was checked.
  struct Words: Hashable, Sendable {
    var session: String?
    var role: String?
    var connectionData: String?
    var layoutClasses: String?
    /// Seconds since 1970.
    var issued: Int64?
    var expires: Int64?
  }
}

/// The times of tokens, against our clock.
enum OpenTokClock {
  /// How many seconds the clock of an application's server may be ahead of ours.
  static let leeway: Int64 = 120

  /// The end of validity.
  /// - Parameter longest: longest validity, in seconds.
  /// - Throws: `OpenTokRefusal` 403.
  static func end(
    of what: String, from issued: Int64?, to expires: Int64?, longest: Int64, at now: WallTime
  ) throws(OpenTokRefusal) -> WallTime {
    let present = now.seconds
    // In range: the times of a claim are those of `times`, and so is ours.
    guard let issued = issued ?? expires.map({ $0 &- OpenTokToken.standardLife }) else {
      throw .forbidden("Invalid \(what): it says neither when it was made nor when it expires")
    }
    guard issued <= present &+ leeway else {
      throw .forbidden(
        "Invalid \(what): it was made \(span(issued &- present)) in the future; set the clock of the machine that made it"
      )
    }
    let end = expires ?? issued &+ OpenTokToken.standardLife
    guard end > present else {
      throw .forbidden(
        "Invalid \(what): it expired \(span(present &- end)) ago; make a new one, or set the clock of the machine that "
          + "made it")
    }
    guard end &- max(issued, 0) <= longest else {
      throw .forbidden("Invalid \(what): it holds for \(span(end &- issued)), \(span(longest)) at most")
    }
    return WallTime(milliseconds: end &* 1_000)
  }

  /// Times that a claim may have, in seconds: 1970 to 9999.
  static let times: ClosedRange<Int64> = 0...253_402_300_799

  /// "2 h 5 min".
  private static func span(_ seconds: Int64) -> String {
    switch seconds {
    case ..<60: "\(seconds) s"
    case ..<3_600: "\(seconds / 60) min"
    case ..<172_800: "\(seconds / 3_600) h \(seconds % 3_600 / 60) min"
    default: "\(seconds / 86_400) days"
    }
  }
}
