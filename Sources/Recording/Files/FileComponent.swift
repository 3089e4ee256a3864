/// What may stand between two slashes of a path of ours.
enum FileComponent {
  /// Longest name that Linux file systems take, in bytes.
  static let maximumBytes = 255

  /// True for one plain name: not empty, not `.` or `..`, no slash, no NUL, not too long.
  static func isSafe(_ name: String) -> Bool {
    !name.isEmpty && name != "." && name != ".." && name.utf8.count <= maximumBytes
      && !name.utf8.contains(0) && !name.utf8.contains(UInt8(ascii: "/"))
  }

  /// The components of a relative path, nil where one of them is not safe.
  static func split(_ path: String) -> [String]? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    return parts.allSatisfy(isSafe) ? parts : nil
  }
}
