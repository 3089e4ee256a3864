import Machines

/// A project of OpenTok: the key and the secret that an application's server has.
package struct OpenTokProject: Hashable, Sendable {
  /// A decimal number below 2^31, as text: some SDKs read it as an `Int32`.
  package let key: String
  package let name: String
  /// Where events are sent; nil for nowhere.
  package let callbacks: Callbacks
  private let secretBytes: Secret<[UInt8]>

  /// Addresses of the application's server.
  package struct Callbacks: Hashable, Sendable {
    /// Connections and streams.
    package var session: String?
    package var archive: String?
    package var broadcast: String?

    package init(session: String? = nil, archive: String? = nil, broadcast: String? = nil) {
      (self.session, self.archive, self.broadcast) = (session, archive, broadcast)
    }
  }

  /// Shortest secret, in characters; those of the vendor have 40.
  static let shortestSecret = 32
  /// Longest name, in bytes.
  static let longestName = 64

  /// - Throws: `OpenTokRefusal` 400 that says what is wrong, without the secret.
  package init(
    key: String, secret: String, name: String? = nil, callbacks: Callbacks = Callbacks()
  ) throws(OpenTokRefusal) {
    guard let number = Int32(key), number > 0, String(number) == key else {
      throw .badRequest("the key of an OpenTok project is a number from 1 to \(Int32.max), such as 46000001")
    }
    guard secret.utf8.count >= OpenTokProject.shortestSecret, secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw .badRequest(
        "the secret of OpenTok project \(key) is invalid; it has \(OpenTokProject.shortestSecret) printable ASCII "
          + "characters or more: openssl rand -hex 20")
    }
    let name = name ?? key
    guard !name.isEmpty, name.utf8.count <= OpenTokProject.longestName else {
      throw .badRequest("the name of OpenTok project \(key) has 1 to \(OpenTokProject.longestName) bytes")
    }
    self.key = key
    self.name = name
    self.callbacks = callbacks
    secretBytes = Secret(Array(secret.utf8))
  }

  /// The secret, as the key of a keyed hash.
  package var secret: [UInt8] { secretBytes.reveal() }

  package static func == (one: OpenTokProject, other: OpenTokProject) -> Bool {
    one.key == other.key && one.name == other.name && one.callbacks == other.callbacks && one.secret == other.secret
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

/// The keyed hashes of tokens and session ids, supplied by the caller: this module has no cryptographic library.
package struct OpenTokHashes: Sendable {
  package typealias KeyedHash = @Sendable (_ key: [UInt8], _ message: [UInt8]) -> [UInt8]

  package let sha1: KeyedHash
  package let sha256: KeyedHash

  package init(sha1: @escaping KeyedHash, sha256: @escaping KeyedHash) {
    (self.sha1, self.sha256) = (sha1, sha256)
  }

  /// True if both have the same bytes; the duration depends only on their lengths.
  static func areEqual(_ shown: [UInt8], _ right: [UInt8]) -> Bool {
    guard shown.count == right.count else { return false }
    return zip(shown, right).reduce(0 as UInt8) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

/// The projects of a service, by their keys.
package struct OpenTokProjects: Sendable {
  /// Most projects.
  static let maximum = 1_000

  package let all: [OpenTokProject]
  package let hashes: OpenTokHashes
  /// True if servers may show key and secret as they are (`X-TB-PARTNER-AUTH`), as older SDKs do.
  package var takesPartnerAuth = false
  /// True if the files of archives go into the service's object store.
  package var uploadsArchives = false
  private let byKey: [String: OpenTokProject]

  /// - Throws: `OpenTokRefusal` 400 if two have one key, or there are too many.
  package init(_ projects: [OpenTokProject], hashes: OpenTokHashes) throws(OpenTokRefusal) {
    guard projects.count <= OpenTokProjects.maximum else {
      throw .badRequest("there are \(projects.count) OpenTok projects; \(OpenTokProjects.maximum) at most")
    }
    var byKey: [String: OpenTokProject] = [:]
    for project in projects {
      guard byKey.updateValue(project, forKey: project.key) == nil else {
        throw .badRequest("two OpenTok projects have the key \(project.key)")
      }
    }
    (all, self.hashes, self.byKey) = (projects, hashes, byKey)
  }

  /// No projects.
  package init(hashes: OpenTokHashes) {
    (all, self.hashes, byKey) = ([], hashes, [:])
  }

  package subscript(key: String) -> OpenTokProject? { byKey[key] }

  /// The project of a pair `KEY:SECRET`.
  /// - Throws: `OpenTokRefusal` 403.
  package func partner(_ pair: String) throws(OpenTokRefusal) -> OpenTokProject {
    let parts = pair.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, let project = self[parts[0]],
      OpenTokHashes.areEqual(Array(parts[1].utf8), project.secret)
    else { throw .forbidden("Invalid key or secret in X-TB-PARTNER-AUTH; it is KEY:SECRET") }
    return project
  }
}
