import Foundation

/// The scripts that tests run in pages.
enum PageScript {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Pages")

  /// The text of files in the folder Pages, one after the other.
  static func text(_ names: String...) throws -> String {
    try names.map { try String(contentsOf: folder.appendingPathComponent($0), encoding: .utf8) }.joined(separator: "\n")
  }
}
