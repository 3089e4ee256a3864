import Machines
import Music

/// A JSON Web Token by the secret of a project (HS256), its signature checked: a client's token, or a server's proof
/// with each request.
struct OpenTokJWT: Hashable, Sendable {
  let project: OpenTokProject
  private let claims: JSONObject

  /// - Throws: `OpenTokRefusal` 403.
  static func read(_ text: String, _ projects: OpenTokProjects) throws(OpenTokRefusal) -> OpenTokJWT {
    guard text.utf8.count <= OpenTokToken.longest else {
      throw .forbidden("Invalid token: it has \(text.utf8.count) bytes, \(OpenTokToken.longest) at most")
    }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, let header = object(parts[0]), let claims = object(parts[1]),
      let signature = Base64.url.decode(parts[2])
    else {
      throw .forbidden(
        "Invalid token: it is no JSON Web Token (three parts of base64url without padding between dots), nor of the "
          + "older form T1==; it may be cut off")
    }
    // The header must not choose how its own signature is checked (RFC 8725 section 3.1).
    guard header["alg"] == "HS256", header["crit"] == nil else {
      throw .forbidden("Invalid token: its algorithm is not HS256 with the project's secret")
    }
    guard let key = claims["iss"]?.string ?? claims["iss"]?.integer.map(String.init), let project = projects[key] else {
      throw .forbidden("Issuer not found: the token's iss is the key of no project here")
    }
    let signed = Array(text[..<parts[1].endIndex].utf8)
    guard OpenTokHashes.areEqual(signature, projects.hashes.sha256(project.secret, signed)) else {
      throw .forbidden("Invalid signature: the token was not signed with the secret of project \(key)")
    }
    // The Ruby SDK has it in the header.
    let kind = claims["ist"] ?? header["ist"]
    guard kind == "project" else {
      throw .forbidden("Invalid token: its ist is not \"project\"; account tokens are not used here")
    }
    return OpenTokJWT(project: project, claims: claims)
  }

  private static func object(_ part: Substring) -> JSONObject? {
    Base64.url.decode(part).flatMap { try? JSONValue(parsing: $0, limits: JSONLimits(bytes: OpenTokToken.longest)) }?
      .object
  }

  /// A time of the claims in whole seconds.
  /// - Throws: `OpenTokRefusal` 403 for what is no time.
  private func time(_ name: String) throws(OpenTokRefusal) -> Int64? {
    guard let value = claims[name], value != .null else { return nil }
    guard let seconds = value.double.flatMap({ Int64(exactly: $0.rounded(.down)) }),
      OpenTokClock.times.contains(seconds)
    else { throw .forbidden("Invalid token: its \(name) is no time in seconds since 1970") }
    return seconds
  }

  /// What it says as a client's token.
  /// - Throws: `OpenTokRefusal` 403.
  func client() throws(OpenTokRefusal) -> (OpenTokProject, OpenTokToken.Words) {
    guard claims["scope"] == "session.connect" else {
      throw .forbidden("Invalid token: its scope is not \"session.connect\"; it is no client's token")
    }
    let words = OpenTokToken.Words(
      session: claims["session_id"]?.string, role: claims["role"]?.string,
      connectionData: claims["connection_data"]?.string, layoutClasses: claims["initial_layout_class_list"]?.string,
      issued: try time("iat"), expires: try time("exp"))
    return (project, words)
  }

  /// Its project, if it is the proof of an application's server.
  /// - Throws: `OpenTokRefusal` 403.
  fileprivate func server(at now: WallTime, longest: Int64) throws(OpenTokRefusal) -> OpenTokProject {
    guard claims["scope"] != "session.connect" else {
      throw .forbidden("Invalid token: this is a client's token; the server's SDK makes one from key and secret")
    }
    guard let issued = try time("iat"), let expires = try time("exp") else {
      throw .forbidden("Invalid token: a server's has iat and exp")
    }
    _ = try OpenTokClock.end(of: "token", from: issued, to: expires, longest: longest, at: now)
    return project
  }
}

/// The proof of an application's server in the header `X-OPENTOK-AUTH` of each request.
package enum OpenTokServerToken {
  /// Longest validity, in seconds: the SDKs have 3 to 5 minutes, and let their users choose.
  private static let longestLife: Int64 = 86_400

  /// - Throws: `OpenTokRefusal` 403.
  package static func read(
    _ text: String, _ projects: OpenTokProjects, at now: WallTime
  ) throws(OpenTokRefusal) -> OpenTokProject {
    try OpenTokJWT.read(text, projects).server(at: now, longest: longestLife)
  }
}
