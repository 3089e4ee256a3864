import Music
import Recording

extension Library {
  /// Gives a person a name, or with nil lets it follow again what they call themselves.
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

  /// Says that `others` are the same person as `id`, whose name stays. All of them must have played somewhere.
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

  /// Takes back a merge: `other` is a person of their own again.
  /// - Returns: the person that they were merged into.
  /// - Throws: `LibraryError.staleRevision`, `.unknownPerson` where the person has no such identifier.
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
    try await write(.people(gone + [person.id]), in: library) {
      let folder = try TakeFolder.obtain(PersonFile.folder, in: root)
      // This one first: whoever is in its list is nobody else's any more, whatever files are left of them.
      try PersonFile(person).write(PersonFile.name(of: person.id), in: folder)
      for id in gone { try folder.remove(PersonFile.name(of: id)) }
      try folder.synchronize()
    }
    return try await known(person.id)
  }

  /// Stores what the disk says of people; those in the list of another are that one's.
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

  /// A file's person, with the name that they use where they were given none.
  func person(of file: PersonFile) async throws -> Person? {
    var name = file.name
    for id in [file.id] + file.merged where name == nil { name = try await index.person(id)?.name }
    return name.map { name in
      Person(id: file.id, name: name, givenName: file.name, merged: file.merged, revision: file.revision)
    }
  }
}
