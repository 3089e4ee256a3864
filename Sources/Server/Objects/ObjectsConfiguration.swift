import Music

/// Settings for keeping finished files in an object store.
package struct ObjectsConfiguration: Sendable {
  package var address: ObjectAddress
  package var credentials: ObjectCredentials
  /// Most bytes of sound files that stay here once they have arrived there; nil keeps all.
  package var cacheSize: Int64?
  /// Seconds until the second attempt; the pauses double from there.
  var firstPause = 1.0
  /// Longest pause between attempts, in seconds.
  static let longestPause = 300.0

  package init(address: ObjectAddress, credentials: ObjectCredentials, cacheSize: Int64? = nil) {
    self.address = address
    self.credentials = credentials
    self.cacheSize = cacheSize
  }

  /// The pause after so many failures in a row, in seconds.
  /// - Parameter chance: 0 to 1.
  func pause(after failures: Int, chance: Double) -> Double {
    let doubled = firstPause * Double(1 << min(10, max(0, failures - 1)))
    return min(ObjectsConfiguration.longestPause, doubled) * (0.75 + 0.5 * min(1, max(0, chance)))
  }
}
