/// How an ICE path is doing.
enum PathState: Hashable, Sendable {
  case connecting
  /// A pair works; datagrams flow both ways.
  case connected
  /// Consent ran out or every pair failed. Not final: checks go on, and the path may come back by itself.
  case lost
}
