import Catalog
import Music

extension TakeShelf {
  /// The song of an identifier or of a title in any case.
  /// - Throws: `CommandFailure` where there is none.
  func song(_ text: String) async throws -> Song {
    if let id = SongID(text), text.count == 26, let song = try await index.song(id) { return song }
    if let song = try await index.song(titled: text) { return song }
    throw CommandFailure(ExitCodes.noInput, "there is no song \"\(text.prefix(200))\" in \(data)")
  }

  /// The person of an identifier or of a name in any case.
  /// - Throws: `CommandFailure` where there is none, or several.
  func person(_ text: String) async throws -> Person {
    if let id = ParticipantID(text), text.count == 26, let person = try await index.person(id) { return person }
    let found = try await index.people(PersonQuery(text: text, limit: 200)).items.filter { person in
      person.names.contains { $0.description.lowercased() == text.lowercased() }
        || person.name.description.lowercased() == text.lowercased()
    }
    guard let person = found.first else {
      throw CommandFailure(ExitCodes.noInput, "nobody called \"\(text.prefix(64))\" has played in \(data)")
    }
    guard found.count == 1 else {
      let all = found.map { "\($0.id)" }.joined(separator: ", ")
      throw CommandFailure(
        ExitCodes.usage, "several are called \"\(text)\"; give one of \(all), or merge them (jamjar people merge)")
    }
    return person
  }
}
