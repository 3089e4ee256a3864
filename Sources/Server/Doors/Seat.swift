import Machines
import Rooms
import Signaling

/// The subject of a conversation: a seat in a room, or a session's share of Kurento's trees.
///
/// One object per conversation; its calls come one after the other, except `supersede` and slow commands.
protocol Seat<Words>: AnyObject, Sendable {
  associatedtype Words: Vocabulary
  /// A period during which events arrive.
  associatedtype Stay: Sendable

  /// What the session's links show.
  var link: LinkBearer { get }
  /// The stays that exist without joining.
  var standing: [Stay] { get }
  /// What the client has proved; nil before that.
  var proof: Credential? { get }
  /// How long the seat waits for its client to return.
  var gracePeriod: MonotonicTime.Span { get }
  /// False if the session holds nothing worth keeping.
  var isTaken: Bool { get }

  func enter(
    _ entry: Words.Entry, for session: any SignalingSession
  ) async throws(Words.Refusal) -> (Words.Welcome, Stay)
  func perform(_ command: Words.Command) async throws(Words.Refusal) -> Words.Reply
  /// Forwards events until the stay is over, with their numbers where `SessionParting` names them by these.
  func follow(_ stay: Stay, _ tell: @Sendable (Words.Event, UInt64?) async -> Void) async
  /// Parks the seat in the room's care while the client has no link.
  func park(for session: any SignalingSession, _ parting: SessionParting) async
  /// Resumes after the client has returned; gives the missed events, and a new stay if the seat had been parked.
  /// - Throws: the reason why the seat is lost.
  func takeBack(for session: any SignalingSession) async throws(Words.Refusal) -> (Words.Scene?, Stay?)
  /// Gives up the seat after a takeover by another session.
  func supersede()
  /// Ends the seat with the session.
  func finish(for session: any SignalingSession, _ parting: SessionParting) async
}
