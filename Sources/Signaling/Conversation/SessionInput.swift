/// An input of a session's machine.
package enum SessionInput<Words: Vocabulary>: Sendable {
  /// A link was opened; a lasting one carries notifications as well as responses.
  case attached(LinkNumber, isLasting: Bool)
  /// A link of another session, whose client asked to continue this one.
  case returned(LinkNumber, isLasting: Bool, Words.Reconnection)
  case text(String, from: LinkNumber)
  /// A message that is not text; the sentence says so.
  case unreadable(String, from: LinkNumber)
  /// The link is gone; `isLeaving` if the client closed it itself. A link that was moved or replaced is no loss.
  case lost(LinkNumber, isLeaving: Bool)

  /// The answers to `SessionOrder.join`.
  case joined(Words.Ticket, Words.Welcome)
  case notJoined(Words.Ticket, Words.Refusal)
  /// The answers to `SessionOrder.perform`.
  case replied(Words.Ticket, Words.Reply)
  case refused(Words.Ticket, Words.Refusal)
  /// The answers to `SessionOrder.handOver`.
  case handedOver(LinkNumber)
  case unknownSession(Words.Reconnection, on: LinkNumber)
  /// The answers to `SessionOrder.takeBack`: with the scene if the client may have missed events, and whether its stay
  /// in the room begins anew.
  case tookBack(Words.Reconnection, on: LinkNumber, Words.Scene?, beginsStay: Bool)
  case seatIsLost(Words.Reconnection, on: LinkNumber)

  /// An event from the client's seat, and which one of its stay it is, from 1: of events with a number the seat keeps the
  /// last messages itself.
  case event(Words.Event, number: UInt64?)
  /// All events of a stay in a room are told.
  case stayIsOver
  /// Another session has taken over the seat.
  case superseded
  /// What is true of the seat from now on.
  case seat(SeatFacts)
  /// A letter has left for the client, which may still not have read it.
  case written(LetterNumber)
}

/// An output of a session's machine.
package enum SessionOutput<Words: Vocabulary>: Hashable, Sendable {
  /// Orders are carried out one after the other, except slow commands.
  case order(SessionOrder<Words>)
  /// A text for a present link, and the letter that it is.
  case send(String, to: LinkNumber, LetterNumber?)
  /// Close this link with this code (RFC 6455 section 7.4) and reason; the session says nothing more on it.
  case close(LinkNumber, code: UInt16, reason: String)
  /// The client was told everything that its room said.
  case roomIsOver
  /// The session is over: all its links are closed.
  case end(code: UInt16, reason: String)
}

/// Something that takes its time.
package enum SessionOrder<Words: Vocabulary>: Hashable, Sendable {
  case join(Words.Ticket, Words.Entry)
  case perform(Words.Ticket, Words.Command)
  /// A link of this session asks to continue another session.
  case handOver(LinkNumber, to: String, Words.Reconnection)
  /// A new link asks to continue this session.
  case takeBack(Words.Reconnection, on: LinkNumber)
  /// The last link was lost; see `SessionMachine.parting`. In the line with everything else: a client that is back at
  /// once must not find its seat taken back first and parked afterwards.
  case park
}

/// How a session leaves its seat.
package struct SessionParting: Hashable, Sendable {
  /// True if the client closed the last link itself.
  package var isLeaving: Bool
  /// The numbers of events that had to arrive, and did not leave for the client.
  package var unread: Set<UInt64>
  /// The number of the last event of the stay that came to the session; later ones are unread, too.
  package var heard: UInt64

  package init(isLeaving: Bool, unread: Set<UInt64> = [], heard: UInt64 = .max) {
    (self.isLeaving, self.unread, self.heard) = (isLeaving, unread, heard)
  }

  /// True for an event that did not leave for the client.
  package func isUnread(_ number: UInt64) -> Bool { number > heard || unread.contains(number) }
}
