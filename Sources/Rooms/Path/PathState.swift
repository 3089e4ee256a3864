/// How an ICE path is doing.
enum PathState: Hashable, Sendable {
  case connecting
  /// A pair works; datagrams flow both ways.
  case connected
  /// Consent ran out or every pair failed. Not final: checks go on, and the path may come back by itself.
  case lost
}

/// The ICE agent could not be set up.
package struct PathError: Error, CustomStringConvertible {
  package var description: String

  init(_ description: String) {
    self.description = description
  }
}
