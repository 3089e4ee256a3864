/// What an answer has to repeat so that the client knows which call it is of.
///
/// The transaction number alone is no key: clients begin again at 1 and repeat numbers.
package struct RTMPCallTicket: Hashable, Sendable {
  let transaction: Double
  /// Answers go in the type of the call: 20 or 17.
  let isAMF3: Bool

  /// Whether the client waits for an answer; one that is given nevertheless is not sent.
  package var wantsAnswer: Bool { transaction != 0 }
}
