import Music
import Recording

/// Compares the files of songs and people with their rows.
extension CatalogCheck {
  /// Checks that every song's file has a row, and every row a file or a take with that song.
  func checkSongs(_ report: inout Report) async throws {
    var filed: Set<SongID> = []
    for name in names(in: SongFile.folder) {
      report.songs += 1
      let path = "\(SongFile.folder)/\(name)"
      guard let file: SongFile = read(name, in: SongFile.folder, &report) else { continue }
      filed.insert(file.song.id)
      guard let known = try await index.song(file.song.id) else {
        report.tell("not-indexed", path, "the index does not know the song \"\(file.song.title)\"")
        continue
      }
      if known != file.song {
        let fields = difference(file.song, known)
        report.tell("differs", path, "the index has other words of the song \"\(file.song.title)\": \(fields)")
      }
    }
    var query = BookQuery(limit: CatalogCheck.pageSize)
    repeat {
      let page = try await index.songs(query)
      for song in page.items where !filed.contains(song.id) {
        // A song that was never edited is known only from its takes.
        let isOfTakes = song == Song(id: song.id, title: song.title)
        if isOfTakes, try await library.hasTakes(song.id) { continue }
        report.tell(
          "not-on-disk", "\(SongFile.folder)/\(SongFile.name(of: song.id))",
          "the index has the song \"\(song.title)\", whose file is not there")
      }
      query.cursor = page.next
    } while query.cursor != nil
  }

  /// Checks that every person's file has a row, and every edited row a file.
  func checkPeople(_ report: inout Report) async throws {
    var filed: Set<ParticipantID> = []
    for name in names(in: PersonFile.folder) {
      report.people += 1
      guard let file: PersonFile = read(name, in: PersonFile.folder, &report) else { continue }
      filed.insert(file.id)
      // People without takes have no row.
      guard try await library.person(of: file) != nil, let known = try await known(file) else { continue }
      if known.id != file.id || PersonFile(known) != file {
        report.tell(
          "differs", "\(PersonFile.folder)/\(name)",
          "the index has another name, revision or other merged ones of the person \(file.id)")
      }
    }
    var query = BookQuery(limit: CatalogCheck.pageSize)
    repeat {
      let page = try await index.people(query)
      for person in page.items where !filed.contains(person.id) {
        guard person.givenName != nil || !person.merged.isEmpty || person.revision != 1 else { continue }
        report.tell(
          "not-on-disk", "\(PersonFile.folder)/\(PersonFile.name(of: person.id))",
          "the index has an edited person \"\(person.name)\", whose file is not there")
      }
      query.cursor = page.next
    } while query.cursor != nil
  }

  private static let pageSize = 200

  private func names(in folder: String) -> [String] {
    ((try? TakeFolder(existing: folder, in: library.root).names()) ?? []).filter { $0.hasSuffix(".json") }.sorted()
  }

  private func read<File: Sidecar>(_ name: String, in folder: String, _ report: inout Report) -> File? {
    do {
      return try File.read(name, in: TakeFolder(existing: folder, in: library.root))
    } catch {
      report.tell("unreadable", "\(folder)/\(name)", "\(error)")
      return nil
    }
  }

  /// The index's row for the file's person.
  private func known(_ file: PersonFile) async throws -> Person? {
    for id in [file.id] + file.merged { if let person = try await index.person(id) { return person } }
    return nil
  }

  private func difference(_ disk: Song, _ index: Song) -> String {
    var fields: [String] = []
    if disk.title != index.title { fields.append("title") }
    if disk.composers != index.composers { fields.append("composers") }
    if disk.key != index.key { fields.append("key") }
    if disk.tempo != index.tempo { fields.append("tempo") }
    if disk.notes != index.notes { fields.append("notes") }
    if disk.revision != index.revision { fields.append("revision") }
    return fields.joined(separator: ", ")
  }
}

extension CatalogCheck.Report {
  fileprivate mutating func tell(_ code: String, _ path: String, _ text: String) {
    findings.append(CatalogCheck.Finding(code: code, folder: path, text: text))
  }
}
