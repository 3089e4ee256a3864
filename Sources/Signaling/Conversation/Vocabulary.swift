/// The types of one dialect: its machine's requests, and the answers to them.
///
/// A dialect of rooms says only how its requests are numbered:
///
/// ```swift
/// package enum NativeWords: RoomVocabulary {
///   package static let door = Authorisation.Door.native
///   package typealias Ticket = NativeRequestID
///   package typealias Reconnection = Never
/// }
/// ```
package protocol Vocabulary: Sendable {
  /// Matches an answer with its request.
  associatedtype Ticket: Hashable, Sendable
  /// A request to continue another session, answered by that session; `Never` if the dialect has no such request.
  associatedtype Reconnection: Hashable, Sendable
  /// What a client shows to come in.
  associatedtype Entry: Hashable, Sendable
  /// What a client gets that has come in.
  associatedtype Welcome: Sendable
  /// The state of things, for a client that missed some of it.
  associatedtype Scene: Sendable
  associatedtype Command: Hashable, Sendable
  associatedtype Reply: Sendable
  associatedtype Refusal: Error, Sendable
  associatedtype Event: Sendable

  /// True for an event that a returning client learns in no other way.
  static func mustArrive(_ event: Event) -> Bool
  /// True for a command that may take seconds and that no other waits for.
  static func isSlow(_ command: Command) -> Bool
}

extension Vocabulary {
  package static func mustArrive(_ event: Event) -> Bool { false }
  package static func isSlow(_ command: Command) -> Bool { false }
}

/// The types of a dialect whose clients have a seat in a room.
package protocol RoomVocabulary: Vocabulary
where
  Entry == RoomEntry, Welcome == Seating, Scene == RoomSnapshot, Command == RoomCommand, Reply == RoomReply,
  Refusal == RoomRefusal, Event == RoomEvent
{
  static var door: Authorisation.Door { get }
}

extension RoomVocabulary {
  /// Everything else is in the snapshot that a returning client gets.
  package static func mustArrive(_ event: RoomEvent) -> Bool {
    switch event {
    case .message, .missed: true
    default: false
    }
  }

  /// Calls of an application take as long as it takes; everything else keeps its order.
  package static func isSlow(_ command: RoomCommand) -> Bool {
    if case .call = command { true } else { false }
  }
}
