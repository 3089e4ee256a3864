import Machines

/// What a client says and reads in one dialect: the words alone. `DialectClient` is the machine that speaks them, and
/// `Connection` its shell.
package protocol ClientDialect: Sendable {
  /// Matches an answer with its question.
  associatedtype Number: Hashable, Sendable
  associatedtype Question: Sendable
  associatedtype Answer: Hashable, Sendable
  associatedtype Refusal: Error, Hashable
  /// What the server says by itself.
  associatedtype News: Hashable, Sendable

  /// The number of a link's question; `count` begins with 0.
  static func number(_ count: Int64) -> Number

  /// Writes a question.
  static func text(of question: Question, _ number: Number, at now: MonotonicTime) -> String

  /// Takes a message of the server apart; nil for one that only newer clients know.
  /// - Throws: an error that describes the violation of the protocol.
  static func read(_ message: JSONObject) throws -> ServerMessage<Self>?

  /// Reads the result of a question.
  /// - Throws: an error that describes the violation of the protocol.
  static func answer(
    _ result: JSONValue, to question: Question, askedAt: MonotonicTime, at now: MonotonicTime
  ) throws -> Answer
}

/// A message of a server, as far as it can be read without knowing the question.
package enum ServerMessage<Words: ClientDialect> {
  case result(Words.Number?, JSONValue)
  /// Without a number the server could not read our text.
  case refused(Words.Number?, Words.Refusal)
  case news(Words.News)
}

/// A violation of the protocol by a server, as a sentence.
package struct ProtocolViolation: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}
