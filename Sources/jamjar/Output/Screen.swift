import Foundation
import Glibc

/// Where the standard output goes: to a terminal of some width and colours, or into a file or another program.
struct Screen: Sendable {
  /// Columns, nil where lines may be as long as they are.
  var width: Int?
  var hasColours: Bool

  /// Narrower than this, a table is not pressed together any more.
  private static let leastWidth = 40

  /// The standard output of this process. `NO_COLOR` (no-color.org) and `TERM=dumb` switch colours off, `COLUMNS` says
  /// another width.
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

  /// The text in a style, as it is where there are no colours.
  func painted(_ text: String, _ style: Style?) -> String {
    guard hasColours, let style, !text.isEmpty else { return text }
    return "\u{1B}[\(style.rawValue)m\(text)\u{1B}[0m"
  }
}
