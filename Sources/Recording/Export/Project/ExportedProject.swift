import Music

/// A project that was exported.
package struct ExportedProject: Hashable, Sendable {
  /// A file that was written.
  package struct File: Hashable, Sendable {
    package var name: String
    /// Length in bytes.
    package var size: Int64
  }

  package var format: ProjectFormat
  /// In the order of their writing.
  package var files: [File]
  /// The file to open, nil where there is none (stems).
  package var main: String?
  /// Tracks in the project.
  package var trackCount: Int
  package var length: SamplePosition
  /// The place on the take's time line where the project begins.
  package var start: SamplePosition
  /// What of the settings the format cannot hold, in words: "the high-pass of Ada (80 Hz)".
  package var omissions: [String]
}
