import Foundation
import Glibc

/// The progress of long work, shown only if standard error is a terminal.
final class ProgressBar {
  private static let width = 30
  /// Returns to the line's beginning and erases the line (ECMA-48, EL).
  private static let lineStart = "\r\u{1B}[K"

  private let label: String
  private let isShown = isatty(STDERR_FILENO) == 1
  private var percent = -1

  /// - Parameter label: text before the bar.
  init(_ label: String = "") {
    self.label = label.isEmpty ? "" : label + " "
  }

  /// Shows the fraction done, 0 to 1; writes only if the percentage has changed.
  func show(_ part: Double) {
    let percent = Int(min(max(part, 0), 1) * 100)
    guard isShown, percent != self.percent else { return }
    self.percent = percent
    let filled = percent * ProgressBar.width / 100
    let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: ProgressBar.width - filled)
    write("\(ProgressBar.lineStart)\(label)\(bar) \(percent) %")
  }

  /// Erases the bar.
  func clear() {
    guard isShown, percent >= 0 else { return }
    percent = -1
    write(ProgressBar.lineStart)
  }

  private func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}
