import Foundation
import Glibc

/// The destination of standard output: a terminal with a width and perhaps colours, a file, or another program.
struct Screen: Sendable {
  /// Width in columns; nil for no limit.
  var width: Int?
  var hasColours: Bool

  /// Minimum width to which a table is shrunk.
  private static let leastWidth = 40

  /// The standard output of this process. `NO_COLOR` (no-color.org) and `TERM=dumb` disable colours; `COLUMNS`
  /// overrides the width.
  static let standard: Screen = {
    let environment = ProcessInfo.processInfo.environment
    let isTerminal = isatty(STDOUT_FILENO) == 1
    var width = environment["COLUMNS"].flatMap { Int($0) }
    if width == nil, isTerminal {
      var size = winsize()
      if ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { width = Int(size.ws_col) }
    }
    let hasColours = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    return Screen(width: width.map { max(leastWidth, $0) }, hasColours: hasColours)
  }()

  /// The text in a style; unchanged if there are no colours.
  func painted(_ text: String, _ style: Style?) -> String {
    guard hasColours, let style, !text.isEmpty else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
