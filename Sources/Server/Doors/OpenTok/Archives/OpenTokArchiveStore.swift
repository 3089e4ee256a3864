import Foundation
import Logging
import NIOPosix
import Recording
import Signaling
import Synchronization

/// The archives on disk: `_opentok/archives.jsonl`, with a line for every state of an archive, the last of which counts.
///
/// A line is synced before the application is answered, so what it was told survives `kill -9`. A line without its end
/// is dropped when the file is read.
final class OpenTokArchiveStore: Sendable {
  /// The folder in the data folder. No folder of a room begins with `_`.
  static let root = "_opentok"
  private static let name = "archives.jsonl"
  /// Largest file that is read: twenty million lines.
  private static let limit = 8 << 30
  /// The file is written anew at the start if it has more than this many lines for each archive.
  private static let mostLines = 4

  private let recordings: String
  private let logger: Logger
  /// Writes in their order.
  private let last = Mutex<Task<Void, Never>?>(nil)

  /// - Parameter recordings: the data folder.
  init(recordings: String, logger: Logger) {
    (self.recordings, self.logger) = (recordings, logger)
  }

  /// The folder of an archive's file.
  static func path(of id: String) -> String { "\(root)/\(id)" }

  // MARK: Reading

  /// All archives that are not deleted.
  /// - Throws: `FileProblem`.
  func load() async throws -> [OpenTokArchive] {
    let recordings = recordings
    return try await NIOThreadPool.singleton.runIfActive { try OpenTokArchiveStore.read(recordings) }
  }

  private static func read(_ recordings: String) throws -> [OpenTokArchive] {
    let folder = try TakeFolder.obtain(root, in: recordings)
    guard let bytes = try folder.lines(of: name, limit: limit) else { return [] }
    var archives: [String: OpenTokArchive] = [:]
    var lines = 0
    let decoder = JSONDecoder()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      lines += 1
      guard let archive = try? decoder.decode(OpenTokArchive.self, from: Data(line)), isName(archive.id) else {
        continue
      }
      archives[archive.id] = archive.status == .deleted ? nil : archive
    }
    if lines > mostLines * (archives.count + 1) {
      var all: [UInt8] = []
      for archive in archives.values { all += try OpenTokArchiveStore.line(archive) }
      try folder.write(all, as: name)
    }
    return Array(archives.values)
  }

  /// True for what may be the name of a folder here: hexadecimal digits and hyphens.
  private static func isName(_ id: String) -> Bool { OpenTokStreamID(id) != nil }

  private static func line(_ archive: OpenTokArchive) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(archive)) + [UInt8(ascii: "\n")]
  }

  // MARK: Writing

  /// Writes the state down, and then does `told`; after all that were given before. Does not wait, so that callers stay in
  /// order, and goes on if the caller is cancelled.
  @discardableResult
  func keep(_ archive: OpenTokArchive, then told: @escaping @Sendable () async -> Void = {}) -> Task<Void, Never> {
    last.withLock { last in
      let former = last
      let task = Task { [recordings, logger] in
        await former?.value
        do {
          try await NIOThreadPool.singleton.runIfActive {
            let folder = try TakeFolder.obtain(OpenTokArchiveStore.root, in: recordings)
            _ = try folder.append(lines: try OpenTokArchiveStore.line(archive), to: OpenTokArchiveStore.name)
          }
        } catch {
          logger.error(
            "an archive's state could not be written down", metadata: ["archive": "\(archive.id)", "error": "\(error)"])
        }
        await told()
      }
      last = task
      return task
    }
  }

  /// Removes an archive's file.
  func removeFile(of id: String) async {
    let recordings = recordings
    try? await NIOThreadPool.singleton.runIfActive { try OpenTokArchiveStore.remove(id, recordings) }
  }

  /// Removes the files of all archives but these: a process may have been killed between the word and the deed.
  func removeFiles(except kept: Set<String>) async {
    let (recordings, logger) = (recordings, logger)
    do {
      try await NIOThreadPool.singleton.runIfActive {
        let folder = try TakeFolder.obtain(OpenTokArchiveStore.root, in: recordings)
        for id in try folder.names() where OpenTokArchiveStore.isName(id) && !kept.contains(id) {
          try OpenTokArchiveStore.remove(id, recordings)
        }
      }
    } catch {
      logger.warning("files of former archives could not be removed", metadata: ["error": "\(error)"])
    }
  }

  private static func remove(_ id: String, _ recordings: String) throws(FileProblem) {
    let path = path(of: id)
    if let folder = try? TakeFolder(existing: path, in: recordings) {
      for name in try folder.names() { try folder.remove(name) }
    }
    try TakeFolder.delete(path, in: recordings)
  }
}
