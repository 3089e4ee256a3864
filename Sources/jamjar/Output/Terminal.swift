import Foundation

/// Output to standard error.
enum Terminal {
  static func complain(_ text: String) {
    FileHandle.standardError.write(Data((text.printableLines + "\n").utf8))
  }
}
