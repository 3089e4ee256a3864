import Music

/// A style for words on a terminal, named by meaning; the value is the parameter of the escape sequence (ECMA-48, SGR).
enum Style: String, Sendable {
  case heading = "1"
  case faint = "2"
  case bad = "31"
  case good = "32"
  case doubtful = "33"
  case live = "1;31"

  /// The style for a take's state.
  static func state(_ text: String) -> Style? {
    switch TakeState(rawValue: text) {
    case .ready: .good
    case .rolling: .live
    case .captured, .rendering, .incomplete: .doubtful
    case .failed: .bad
    case nil: nil
    }
  }

  static func faint(_ text: String) -> Style? { .faint }
  static func stars(_ text: String) -> Style? { .doubtful }
}
