import Machines

/// The server's side of one signaling protocol, as a machine that any `Conversation` can run.
///
/// The shell feeds every text of the client, answers each `.join` by `.joined` or `.refused` and each `.perform` by
/// `.replied` or `.refused`, and feeds the seat's events. After `.end` nothing comes out any more.
package protocol Dialect<Words>: Machine, SendableMetatype, ~Copyable
where Input == ConversationInput<Words>, Output == ConversationOutput<Words> {
  associatedtype Words: Vocabulary
}

/// What reaches a dialect's machine.
package enum ConversationInput<Words: Vocabulary>: Sendable {
  case text(String, from: LinkNumber)
  /// A message that is no text; the sentence says so.
  case unreadable(String, from: LinkNumber)
  case joined(Words.Ticket, Words.Welcome)
  case replied(Words.Ticket, Words.Reply)
  /// A join or a command was refused.
  case refused(Words.Ticket, Words.Refusal)
  /// Something happened where the client sits.
  case event(Words.Event)
  /// This session goes on on `link`, and answers the request that asked for it; with the scene where the client may
  /// have missed something.
  case resumed(Words.Reconnection, on: LinkNumber, Words.Scene?)
  /// The session that a reconnection named is not known.
  case unknownSession(Words.Reconnection, on: LinkNumber)
  /// The link is gone.
  case linkLost(LinkNumber)
}

/// What a dialect's machine wants.
package enum ConversationOutput<Words: Vocabulary>: Hashable, Sendable {
  case join(Words.Ticket, Words.Entry)
  case perform(Words.Ticket, Words.Command)
  /// The client of this link wants to go on with another session.
  case resume(sessionID: String, Words.Reconnection, on: LinkNumber)
  /// The response to a request of this link.
  case answer(String, to: LinkNumber)
  /// A message that answers nothing, for whatever lasting link the session has.
  case notify(String)
  /// Close this link with this code (RFC 6455 section 7.4) and reason; the session lives on.
  case close(LinkNumber, code: UInt16, reason: String)
  /// The session is over: nothing comes after it, and its links are closed.
  case end(code: UInt16, reason: String)
}

/// A WebSocket link or one HTTP POST that a session is reached by; numbers are given by the shell.
///
/// A number is never used again for another link of the same session. The shell tells the end of every link, of answered
/// POSTs too, by `linkLost`.
package struct LinkNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }
}

/// The number of an operation that a machine asks its shell for; the shell's answer bears it too.
package struct OperationNumber: Hashable, Sendable {
  package let number: UInt64

  package init(_ number: UInt64) {
    self.number = number
  }

  /// The number that comes after this one.
  var next: OperationNumber { OperationNumber(number &+ 1) }
}
