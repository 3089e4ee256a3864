import Music
import Recording
import Signaling

extension Library {
  /// Names a person; nil restores the name that they use themselves.
  /// - Throws: `LibraryError.staleRevision`, `.unknownPerson`.
  package func renamePerson(_ id: ParticipantID, to name: DisplayName?, ifRevision: Int? = nil) async throws -> Person {
    try await locked { library in
      var person = try await known(id)
      try Library.check(ifRevision, against: person.revision)
      guard person.givenName != name else { return person }
      person.givenName = name
      person.revision += 1
      return try await write(person, in: library)
    }
  }

  /// Merges `others` into the person `id`, whose name stays. All of them must have played in a take.
  /// - Throws: `LibraryError.staleRevision`, `.unknownPerson`.
  package func mergePeople(
    _ others: [ParticipantID], into id: ParticipantID, ifRevision: Int? = nil
  ) async throws -> Person {
    try await locked { library in
      var person = try await known(id)
      try Library.check(ifRevision, against: person.revision)
      var gone: Set<ParticipantID> = []
      for other in others {
        let other = try await known(other)
        if other.id != person.id { gone.formUnion([other.id] + other.merged) }
      }
      guard !gone.isSubset(of: person.merged) else { return person }
      person.merged = Set(person.merged).union(gone).sorted()
      person.revision += 1
      return try await write(person, in: library, gone: gone.sorted())
    }
  }

  /// Undoes a merge: `other` becomes a separate person again.
  /// - Returns: the person into which they were merged.
  /// - Throws: `LibraryError.staleRevision`, `.unknownPerson` if `other` is not merged into the person.
  package func separatePerson(
    _ other: ParticipantID, from id: ParticipantID, ifRevision: Int? = nil
  ) async throws -> Person {
    try await locked { library in
      var person = try await known(id)
      try Library.check(ifRevision, against: person.revision)
      guard person.merged.contains(other) else { throw LibraryError.unknownPerson(other) }
      person.merged.removeAll { $0 == other }
      person.revision += 1
      return try await write(person, in: library)
    }
  }

  private func known(_ id: ParticipantID) async throws -> Person {
    guard let person = try await index.person(id) else { throw LibraryError.unknownPerson(id) }
    return person
  }

  private func write(
    _ person: Person, in library: TakeFolder, gone: [ParticipantID] = []
  ) async throws -> Person {
    try await write(.people(gone + [person.id]), in: library, as: .personEdited, revision: person.revision) {
      let folder = try TakeFolder.obtain(PersonFile.folder, in: root)
      // This file first: people in its list belong to no one else, whatever files of theirs remain.
      try PersonFile(person).write(PersonFile.name(of: person.id), in: folder)
      try EditStep.passed(.begun)
      for id in gone { try folder.remove(PersonFile.name(of: id)) }
      try folder.synchronize()
    }
    return try await known(person.id)
  }

  /// Stores the state on disk of people; a person in another's list belongs to that one.
  func indexPeople(_ ids: [ParticipantID]) async throws {
    let folder = try TakeFolder.obtain(PersonFile.folder, in: root)
    var merged: Set<ParticipantID> = []
    for id in ids.reversed() where !merged.contains(id) {
      guard let file = try PersonFile.read(PersonFile.name(of: id), in: folder) else { continue }
      merged.formUnion(file.merged)
      if let person = try await person(of: file) { try await index.store(person) }
    }
    for id in merged { try folder.remove(PersonFile.name(of: id)) }
  }

  /// The file's person; without a given name, with the one that they use themselves.
  func person(of file: PersonFile) async throws -> Person? {
    var name = file.name
    for id in [file.id] + file.merged where name == nil { name = try await index.person(id)?.name }
    return name.map { name in
      Person(id: file.id, name: name, givenName: file.name, merged: file.merged, revision: file.revision)
    }
  }
}
