import Machines

/// The server's side of one signaling protocol, as a machine that any `Conversation` can run.
///
/// The shell feeds in every text of the client and the seat's events. It answers each `.join` with `.joined` or
/// `.refused`, and each `.perform` with `.replied` or `.refused`. `.end` is the last output.
package protocol Dialect<Words>: Machine, SendableMetatype, ~Copyable
where Input == ConversationInput<Words>, Output == ConversationOutput<Words> {
  associatedtype Words: Vocabulary

  /// How long a session waits for its client.
  static var patience: ConversationPatience { get }
}

/// An input of a dialect's machine.
package enum ConversationInput<Words: Vocabulary>: Sendable {
  case text(String, from: LinkNumber)
  /// A message that is not text; the sentence says so.
  case unreadable(String, from: LinkNumber)
  case joined(Words.Ticket, Words.Welcome)
  case replied(Words.Ticket, Words.Reply)
  /// A join or a command was refused.
  case refused(Words.Ticket, Words.Refusal)
  /// An event from the client's seat.
  case event(Words.Event)
  /// This session continues on `link`, and answers the request for that; with the scene if the client may have missed
  /// events.
  case resumed(Words.Reconnection, on: LinkNumber, Words.Scene?)
  /// The session named by a reconnection is unknown.
  case unknownSession(Words.Reconnection, on: LinkNumber)
  /// The link is gone.
  case linkLost(LinkNumber)
}

/// An output of a dialect's machine.
package enum ConversationOutput<Words: Vocabulary>: Hashable, Sendable {
  case join(Words.Ticket, Words.Entry)
  case perform(Words.Ticket, Words.Command)
  /// The client of this link asks to continue another session.
  case resume(sessionID: String, Words.Reconnection, on: LinkNumber)
  /// The response to a request of this link.
  case answer(String, to: LinkNumber)
  /// A message that is not a response, for the session's lasting link.
  case notify(String)
  /// Close this link with this code (RFC 6455 section 7.4) and reason; the session lives on.
  case close(LinkNumber, code: UInt16, reason: String)
  /// The session is over: nothing comes after it, and its links are closed.
  case end(code: UInt16, reason: String)
}

/// A WebSocket link or one HTTP POST of a session, numbered by the shell.
///
/// Numbers are never reused within a session. The shell reports the end of every link, including answered POSTs, with
/// `linkLost`.
package struct LinkNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }
}

/// The number of an operation requested by a machine, repeated in the shell's answer.
package struct OperationNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// The next number.
  var next: OperationNumber { OperationNumber(number &+ 1) }
}
