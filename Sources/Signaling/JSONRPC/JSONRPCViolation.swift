/// A violation of the protocol by a server, as a sentence.
struct JSONRPCViolation: Error, Hashable, Sendable, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}
