import Music

/// A sound file of a project, and how it comes about.
struct ProjectMedia: Hashable, Sendable {
  /// What is made of a take's file.
  enum Form: Hashable, Sendable {
    /// The same bytes.
    case copy
    /// Samples in another format: those of the time line from `first` on, `frames` of them, where the file begins at
    /// `start`; silence where it has none.
    case made(ExportFormat, start: Int64, first: Int64, frames: Int64)
  }

  /// The file's name in the project.
  var name: String
  /// The file in the take's folder.
  var source: String
  var channels: Int
  var form: Form

  /// The file's name with another ending.
  static func name(_ source: String, ending: String) -> String {
    let parts = source.split(separator: ".", omittingEmptySubsequences: false)
    return parts.dropLast().joined(separator: ".") + "." + ending
  }
}
