/// The reason for refusing a command to a tree.
package struct TreeRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The code of the wire.
  package enum Code: Int64, Hashable, Sendable, CaseIterable {
    /// Kurento's TreeException: no such tree, no source, no room for another viewer.
    case tree = 2
    /// Anything else.
    case failure = -1
  }

  package var code: Code
  /// What was wrong and what is permitted.
  package var description: String

  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}
