import Foundation
import Logging
import NIOPosix
import Recording
import Signaling

/// The callbacks that applications have registered themselves, on disk in `_opentok/callbacks.json`.
actor OpenTokCallbackBook {
  private static let name = "callbacks.json"
  /// Largest file that is read.
  private static let limit = 64 << 20
  /// Most callbacks of a project.
  private static let most = 16

  private let recordings: String
  private let logger: Logger
  private var all: [OpenTokCallback] = []
  /// Writes in their order.
  private var last: Task<Void, any Error>?

  /// - Parameter recordings: the data folder.
  init(recordings: String, logger: Logger) {
    (self.recordings, self.logger) = (recordings, logger)
  }

  /// Reads what a former process has kept.
  func load() async {
    do {
      all = try await NIOThreadPool.singleton.runIfActive { [recordings] () -> [OpenTokCallback] in
        let folder = try TakeFolder.obtain(OpenTokArchiveStore.root, in: recordings)
        guard folder.has(OpenTokCallbackBook.name) else { return [] }
        let bytes = try folder.read(OpenTokCallbackBook.name, limit: OpenTokCallbackBook.limit)
        return try JSONDecoder().decode([OpenTokCallback].self, from: Data(bytes))
      }
    } catch {
      logger.error("registered callbacks of OpenTok could not be read", metadata: ["error": "\(error)"])
    }
  }

  /// Oldest first; nil for those of all projects.
  func list(of project: String?) -> [OpenTokCallback] { all.filter { project == nil || $0.project == project } }

  /// - Throws: `OpenTokRefusal` 409 for the same once more, 429, 503 if it cannot be written down.
  func add(_ callback: OpenTokCallback) async throws(OpenTokRefusal) {
    let others = list(of: callback.project)
    let isKnown = others.contains {
      $0.url == callback.url && $0.group == callback.group && $0.event == callback.event
    }
    guard !isKnown else { throw .conflict("this address is registered for \(callback.group) already") }
    guard others.count < OpenTokCallbackBook.most else {
      throw OpenTokRefusal(status: 429, "a project has \(OpenTokCallbackBook.most) callbacks at most; delete some")
    }
    all.append(callback)
    do throws(OpenTokRefusal) {
      try await keep()
    } catch {
      all.removeAll { $0.id == callback.id }
      throw error
    }
  }

  /// - Throws: `OpenTokRefusal` 404, 503.
  func remove(_ id: String, of project: String) async throws(OpenTokRefusal) -> OpenTokCallback {
    guard let index = all.firstIndex(where: { $0.id == id.lowercased() && $0.project == project }) else {
      throw .notFound("Callback not found: GET …/callback lists those of this project")
    }
    let callback = all.remove(at: index)
    do throws(OpenTokRefusal) {
      try await keep()
    } catch {
      all.append(callback)
      throw error
    }
    return callback
  }

  private func keep() async throws(OpenTokRefusal) {
    let (former, recordings, callbacks) = (last, recordings, all)
    let task = Task {
      _ = await former?.result
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      let bytes = Array(try encoder.encode(callbacks))
      try await NIOThreadPool.singleton.runIfActive {
        let folder = try TakeFolder.obtain(OpenTokArchiveStore.root, in: recordings)
        // Addresses may be secrets.
        try folder.write(bytes, as: OpenTokCallbackBook.name, isPrivate: true)
      }
    }
    last = task
    do {
      try await task.value
    } catch {
      logger.error("a callback could not be written down", metadata: ["error": "\(error)"])
      throw OpenTokRefusal(status: 503, "the callback could not be written down; try again later", retryAfter: 60)
    }
  }
}
