import Logging
import Music
import Recording

/// Fills an index from the manifests and edits on disk.
package struct IndexRebuild: Sendable {
  private let library: Library
  private let logger: Logger
  private var index: any TakeIndex { library.index }

  package init(_ library: Library, logger: Logger) {
    self.library = library
    self.logger = logger
  }

  /// The folders of all takes with a manifest, in order, those in the trash last.
  package static func folders(under root: String) throws -> [String] {
    let trash = (try? TakeFolder(existing: Library.trash, in: root).names()) ?? []
    let deleted = trash.map { "\(Library.trash)/\($0)" }.filter { path in
      (try? TakeFolder(existing: path, in: root))?.has(TakeFolder.manifestName) == true
    }
    return try TakeFolder.manifests(under: root) + deleted
  }

  /// Stores every take with a manifest, then users' edits of songs and people, and the sessions; returns the number
  /// of takes.
  ///
  /// An unreadable file is logged and skipped, so that the others are still found. A take with only a journal is
  /// finished and stored at the next start of the service.
  /// - Throws: `FileProblem` if the data folder cannot be searched.
  package func run() async throws -> Int {
    var count = 0
    for path in try IndexRebuild.folders(under: library.root) {
      await store(path) {
        let manifest = try Manifest(of: TakeFolder(existing: path, in: library.root))
        try await index.store(try library.shelved(manifest.contents))
        count += 1
      }
    }
    for name in names(in: SongFile.folder) {
      await store("\(SongFile.folder)/\(name)") {
        if let file = try SongFile.read(name, in: TakeFolder(existing: SongFile.folder, in: library.root)) {
          try await index.store(file.song)
        }
      }
    }
    for name in names(in: PersonFile.folder) {
      await store("\(PersonFile.folder)/\(name)") {
        if let file = try PersonFile.read(name, in: TakeFolder(existing: PersonFile.folder, in: library.root)),
          let person = try await library.person(of: file)
        {
          try await index.store(person)
        }
      }
    }
    for name in names(in: SessionFile.folder) {
      await store("\(SessionFile.folder)/\(name)") {
        if let file = try SessionFile.read(name, in: TakeFolder(existing: SessionFile.folder, in: library.root)) {
          try await index.open(file.session)
        }
      }
    }
    return count
  }

  private func names(in folder: String) -> [String] {
    ((try? TakeFolder(existing: folder, in: library.root).names()) ?? []).filter { $0.hasSuffix(".json") }
  }

  private func store(_ path: String, _ body: () async throws -> Void) async {
    do {
      try await body()
    } catch {
      logger.error("a file cannot be added to the index", metadata: ["file": "\(path)", "error": "\(error)"])
    }
  }
}
