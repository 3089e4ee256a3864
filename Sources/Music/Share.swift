/// A link that lets people without an account hear a take.
///
/// The link's secret and the password are kept as hashes only: whoever reads the data folder opens no link by it.
package struct Share: Hashable, Sendable, Codable {
  /// What a link opens.
  package enum Contents: String, Hashable, Sendable, Codable, CaseIterable {
    case mix, tracks, both

    package var hasMix: Bool { self != .tracks }
    package var hasTracks: Bool { self != .mix }
  }

  package var id: ShareID
  package var contents: Contents
  /// Shown above the player; nil for the take's own title.
  package var title: String?
  package var createdAt: WallTime
  /// Nil for a link that holds until it is revoked.
  package var expiresAt: WallTime?
  /// Lets visitors leave comments.
  package var isOpenToComments: Bool
  /// SHA-256 of the secret.
  package var secretHash: [UInt8]
  /// Nil without a password.
  package var password: PasswordHash?

  package init(
    id: ShareID, contents: Contents, title: String?, createdAt: WallTime, expiresAt: WallTime?,
    isOpenToComments: Bool, secretHash: [UInt8], password: PasswordHash?
  ) {
    self.id = id
    self.contents = contents
    self.title = title
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.isOpenToComments = isOpenToComments
    self.secretHash = secretHash
    self.password = password
  }

  package func hasExpired(at now: WallTime) -> Bool { expiresAt.map { now >= $0 } ?? false }

  /// Most links of a take at a time.
  package static let maximumCount = 100
  /// Most comments that visitors of one link may leave.
  package static let maximumComments = 500
}

/// A password as scrypt hashes it (RFC 7914), with its salt and cost.
package struct PasswordHash: Hashable, Sendable, Codable {
  package var salt: [UInt8]
  package var hash: [UInt8]
  /// The cost parameter N, a power of two.
  package var cost: Int

  package init(salt: [UInt8], hash: [UInt8], cost: Int) {
    self.salt = salt
    self.hash = hash
    self.cost = cost
  }
}

/// What makes a cue the comment of a link's visitor.
package struct CueComment: Hashable, Sendable, Codable {
  /// The link by which the visitor came.
  package var share: ShareID
  /// The name that the visitor gave; it proves nothing.
  package var name: DisplayName
  /// True once somebody of the room has hidden it from the link's page.
  package var isHidden: Bool

  package init(share: ShareID, name: DisplayName, isHidden: Bool = false) {
    self.share = share
    self.name = name
    self.isHidden = isHidden
  }
}

package typealias ShareID = Identifier<Share>
