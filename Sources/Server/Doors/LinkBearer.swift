import Signaling
import Synchronization

/// What a session's links show of their client besides its messages.
final class LinkBearer: Sendable {
  private struct State {
    var origin: Turnstile.Origin
    var proof: Credential?
  }

  /// The token of the first link, for messages without a token.
  let token: String?
  private let state: Mutex<State>

  init(token: String?, origin: Turnstile.Origin) {
    self.token = token
    state = Mutex(State(origin: origin))
  }

  /// The connection of the session's latest link.
  var origin: Turnstile.Origin { state.withLock { $0.origin } }

  /// The client's network address.
  var address: String? { origin.host }

  /// What `token` has proved at the opening; nil if it was not checked, or is not valid.
  var proof: Credential? { state.withLock { $0.proof } }

  /// The session continues on another connection.
  func move(to origin: Turnstile.Origin) { state.withLock { $0.origin = origin } }

  /// Has `token` checked at once, because a client may join much later. Messages say what is wrong with it.
  func showToken(to turnstile: Turnstile, at door: Authorisation.Door) {
    guard let token, let caller = try? turnstile.admit(token, at: door, from: origin).caller else { return }
    state.withLock { $0.proof = caller.credential }
  }
}
