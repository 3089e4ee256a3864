/// What a server said that its protocol does not have, in a sentence.
struct JSONRPCViolation: Error, Hashable, Sendable, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
