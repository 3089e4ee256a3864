/// Where a musician or listener stands, in the words of Pectin's status line: one vocabulary for native events, REST and
/// the studio.
package enum MemberState: String, Hashable, Sendable, CaseIterable {
  /// Not in the room. A client's own; the service never says it.
  case ready
  /// The join is on its way. A client's own.
  case joining
  /// The room is full. A client's own.
  case full = "room-full"
  /// In the room, and no other musician is.
  case waiting
  /// The connections to the others, or to the service, are being made.
  case connecting
  /// Heard by the service and by the others (a listener: in the room).
  case connected
  /// Link or path is lost and the seat is kept: they will come back by themselves.
  case away
  /// They have said that they leave. A client's own; for the others they are gone.
  case leaving
}
