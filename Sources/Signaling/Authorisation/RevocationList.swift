import Music

/// The join tokens that no longer hold, until they would have expired by themselves.
///
///     var list = RevocationList()
///     list.add(RevocationList.Entry(.token("01JD…"), at: now))
///     list.revokes(stamp)   // true
package struct RevocationList: Hashable, Sendable {
  /// The greatest lifetime of tokens that `jamjar token` makes, in seconds; an entry is kept as long.
  package static let lifetime = 366 * 86_400.0
  /// Most entries.
  package static let maximum = 10_000

  package enum Subject: Hashable, Sendable {
    /// The token with this claim `jti`.
    case token(String)
    /// All tokens for this room (nil: for every room) that were issued before the entry.
    case room(RoomName?)
  }

  package struct Entry: Hashable, Sendable {
    package var subject: Subject
    package var revokedAt: WallTime
    /// When the entry may be forgotten.
    package var until: WallTime

    /// - Parameter until: the expiry of the token, if it is known.
    package init(_ subject: Subject, at now: WallTime, until: WallTime? = nil) {
      self.subject = subject
      revokedAt = now
      self.until = until ?? now + .seconds(RevocationList.lifetime)
    }
  }

  package private(set) var entries: [Entry]

  package init(_ entries: [Entry] = []) {
    self.entries = entries
  }

  /// Adds an entry; one for the same subject replaces the former.
  package mutating func add(_ entry: Entry) {
    entries.removeAll { $0.subject == entry.subject || $0.until < entry.revokedAt }
    entries.append(entry)
  }

  /// Forgets entries whose tokens have expired.
  package mutating func prune(at now: WallTime) { entries.removeAll { $0.until < now } }

  package var isFull: Bool { entries.count >= RevocationList.maximum }

  /// A token without a time of issue is of an older release, so it was issued before any entry.
  /// - Parameter room: the room that is to be entered, if it is known: a revocation of one room's tokens also keeps those
  ///   for every room out of it.
  package func revokes(_ stamp: TokenStamp, in room: RoomName? = nil) -> Bool {
    entries.contains { entry in
      switch entry.subject {
      case .token(let id): return id == stamp.id
      case .room(let revoked):
        guard revoked == stamp.room || (stamp.room == nil && revoked == room) else { return false }
        return stamp.issued.map { $0 <= Double(entry.revokedAt.milliseconds) / 1e3 } ?? true
      }
    }
  }
}
