import Music
import Rooms

extension TakeShelfOptions {
  /// The shelf and the song book of the data folder, for commands that edit.
  /// - Throws: `CommandFailure` where a service was named; `LibraryError.inUse`, `CatalogError`, `FileProblem`.
  func library() async throws -> (shelf: TakeShelf, library: Library) {
    if let server = try address {
      throw CommandFailure(
        ExitCodes.usage,
        "editing works on the data folder only, beside the running service too; use --data DIR on the machine of "
          + server.place)
    }
    let shelf = try await TakeShelf(self, forReadingOnly: false)
    return (shelf, try Library(recordings: shelf.data, index: shelf.index))
  }
}
