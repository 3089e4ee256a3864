import Synchronization

/// The sessions of OpenTok's wire by the names of their clients' sockets, for those who come back.
final class OpenTokSockets: Sendable {
  /// The name of a client's sockets: chosen by the client at random, so it is a secret.
  struct Name: Hashable, Sendable {
    let text: String

    /// Nil for what is too short to be a secret, or too long to be a UUID or the like.
    init?(_ text: String) {
      guard (32...128).contains(text.utf8.count) else { return nil }
      self.text = text
    }
  }

  private let sessions = Mutex<[Name: String]>([:])

  /// Notes a session, unless its name is taken: a stranger cannot put a session in the place of another.
  func settle(_ name: Name, session: String) {
    sessions.withLock { if $0[name] == nil { $0[name] = session } }
  }

  func session(_ name: Name) -> String? { sessions.withLock { $0[name] } }

  func leave(_ name: Name, session: String) {
    sessions.withLock { if $0[name] == session { $0[name] = nil } }
  }
}
