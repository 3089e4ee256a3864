import Machines
import Signaling

/// What a conversation is about: a seat in a room, or what a session holds of Kurento's trees.
///
/// One object for one conversation; its calls come one after the other, but for `park` and `supersede`.
protocol Seat<Words>: AnyObject, Sendable {
  associatedtype Words: Vocabulary
  /// A stretch of time in which events come.
  associatedtype Stay: Sendable

  /// The stay that needs no entry.
  var standing: Stay? { get }
  /// How long the seat waits for its client to come back.
  var gracePeriod: MonotonicTime.Span { get }
  /// False where nothing is lost with the session.
  var isTaken: Bool { get }

  func enter(
    _ entry: Words.Entry, for session: any SignalingSession
  ) async throws(Words.Refusal) -> (Words.Welcome, Stay)
  func perform(_ command: Words.Command) async throws(Words.Refusal) -> Words.Reply
  /// Passes on what happens until the stay is over.
  func follow(_ stay: Stay, _ tell: @Sendable (Words.Event) async -> Void) async
  /// The client has no link: others take care of the seat until it is back.
  func park(for session: any SignalingSession)
  /// The client is back. What it missed, and a new stay where the seat had been parked.
  /// - Throws: the reason why the seat is lost.
  func takeBack(for session: any SignalingSession) async throws(Words.Refusal) -> (Words.Scene?, Stay?)
  /// Somebody else has taken the seat over.
  func supersede()
  /// The session is over.
  func finish(for session: any SignalingSession) async
}
