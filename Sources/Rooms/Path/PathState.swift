/// The state of an ICE path.
enum PathState: Hashable, Sendable {
  case connecting
  /// A working pair; datagrams flow both ways.
  case connected
  /// Consent expired or every pair failed. Not final: checks continue, and the path may recover by itself.
  case lost
}

/// The ICE agent could not be set up.
package struct PathError: Error, CustomStringConvertible {
  package var description: String

  init(_ description: String) {
    self.description = description
  }
}
