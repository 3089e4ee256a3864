import Music

/// A filter as a word of the full-text index: a low line, a letter, and the key of what is filtered by.
enum SearchFacet {
  static func room(_ key: Int64) -> String { "_r\(key)" }
  static func song(_ key: Int64) -> String { "_s\(key)" }
  static func session(_ key: Int64) -> String { "_g\(key)" }
  /// The person that others were merged into.
  static func person(_ key: Int64) -> String { "_p\(key)" }
  static func tag(_ key: Int64) -> String { "_t\(key)" }
  static func state(_ state: TakeState) -> String { "_z\(state.rawValue)" }
  static func favourite(_ isFavourite: Bool) -> String { isFavourite ? "_f1" : "_f0" }
  /// A take has one for its rating and for every lower one.
  static func rating(atLeast rating: Int) -> String { "_m\(rating)" }
}
