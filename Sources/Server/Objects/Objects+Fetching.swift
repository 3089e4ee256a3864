import Dispatch
import Glibc
import Library
import Logging
import Machines
import Music
import Recording
import Signaling
import Synchronization

/// From the store back to the take's folder.
extension Objects {
  /// Attempts to get the bytes of an object that came back with others.
  private static let attempts = 3
  /// Least time between two notes that a take was read.
  private static let readingStep = Duration.seconds(60)
  /// Bytes written at a time.
  private static let piece = 4 << 20
  /// How long a download waits for those before it.
  private static let patience = MonotonicTime.Span.seconds(600)
  /// Time between two looks at a take that is leaving.
  private static let pause = Duration.milliseconds(10)

  /// Brings files of a take back that are in the store only, and keeps them here while `body` runs.
  ///
  /// - Parameters:
  ///   - folder: the take's, relative to the data folder.
  ///   - names: those wanted; nil for all sound files.
  /// - Throws: `StoreFailure`, `ObjectDiffers`, `FileProblem`, errors of `body`.
  func keeping<Value>(_ names: Set<String>?, in folder: String, _ body: () async throws -> Value) async throws -> Value
  {
    guard let list = try await list(in: folder) else { return try await body() }
    try await hold(list.take)
    defer { release([list.take]) }
    try await fetch(names, of: list, in: folder)
    return try await body()
  }

  /// The same on a thread that may block, for jobs.
  /// - Returns: the takes to be released.
  func holdBlocking(_ folders: [String]) throws -> [TakeID] {
    guard !folders.isEmpty else { return [] }
    let done = DispatchSemaphore(value: 0)
    let box = HeldTakes()
    Task {
      do {
        let held = try await holdAll(folders)
        box.result.withLock { $0 = .success(held) }
      } catch {
        box.result.withLock { $0 = .failure(error) }
      }
      done.signal()
    }
    done.wait()
    return try box.result.withLock { $0 }.get()
  }

  private func holdAll(_ folders: [String]) async throws -> [TakeID] {
    var held: [TakeID] = []
    do {
      for folder in folders {
        guard let list = try await list(in: folder) else { continue }
        try await hold(list.take)
        held.append(list.take)
        try await fetch(nil, of: list, in: folder)
      }
    } catch {
      release(held)
      throw error
    }
    return held
  }

  func release(_ takes: [TakeID]) {
    state.withLock { state in
      for take in takes { state.cache.release(take) }
    }
    wake()
  }

  private func hold(_ take: TakeID) async throws {
    while !state.withLock({ $0.cache.hold(take) }) { try await Task.sleep(for: Objects.pause) }
  }

  private func list(in folder: String) async throws -> TakeObjects? {
    try await onDisk { [root] in
      try TakeObjects.read(TakeObjects.fileName, in: try TakeFolder(existing: folder, in: root))
    }
  }

  private func fetch(_ names: Set<String>?, of list: TakeObjects, in folder: String) async throws {
    try await fetches.run(within: Objects.patience) {
      let missing = try await onDisk { [root] in
        let folder = try TakeFolder(existing: folder, in: root)
        return list.files.filter { (names?.contains($0.name) ?? $0.isSound) && !folder.has($0.name) }
      }
      for file in missing { try await fetch(file, of: list, into: folder) }
      let now = MonotonicClock.wall
      let bytes = try await onDisk { [root] in
        let folder = try TakeFolder(existing: folder, in: root)
        try folder.date(TakeObjects.fileName, now)
        return list.localBytes(in: folder)
      }
      state.withLock { state in
        if state.cache.kept[list.take] != nil { state.cache.enter(list.take, bytes: bytes, at: now) }
      }
    }
  }

  private func fetch(_ file: TakeObjects.Entry, of list: TakeObjects, into path: String) async throws {
    guard list.place == store.place else {
      throw ObjectDiffers(description: "\(file.name) is in \(list.place), and --objects names \(store.place)")
    }
    for _ in 0..<Objects.attempts {
      try await onDisk { [root, reserve] in
        let room = try DiskSpace(at: root).available
        guard room &- file.size >= reserve else {
          throw FileProblem(
            path: "\(path)/\(file.name)", operation: .reserve, code: ENOSPC,
            detail: "\(reserve >> 20) MiB are kept for rolling takes")
        }
        try TakeFolder(existing: path, in: root).beginReturn(of: file.name)
      }
      try await receive(file, into: path)
      let isSame = try await onDisk { [root] in
        try TakeFolder(existing: path, in: root).finishReturn(of: file)
      }
      state.withLock { $0.counts.bytesFetched += file.size }
      if isSame { return }
      state.withLock { $0.counts.damaged += 1 }
      logger.error("an object has other bytes than were stored", metadata: ["key": "\(file.key)"])
    }
    throw ObjectDiffers(
      description: "the object \(file.key) in \(list.place) has other bytes than were stored, and nothing was written; "
        + "put the former version of the object back, then try again")
  }

  /// Writes the object to its unfinished file, of which `finishReturn` judges.
  private func receive(_ file: TakeObjects.Entry, into path: String) async throws {
    var written: Int64 = 0
    var waiting: [UInt8] = []
    func write() async throws {
      let (bytes, place) = (waiting, written)
      waiting.removeAll(keepingCapacity: true)
      guard !bytes.isEmpty else { return }
      try await onDisk { [root] in
        let folder = try TakeFolder(existing: path, in: root)
        try folder.append(bytes, to: TakeFolder.returningName(file.name), at: place)
      }
      written += Int64(bytes.count)
    }
    try await store.fetch(file.key) { bytes in
      // More than there was is wrong already, and might fill the disk.
      guard written + Int64(waiting.count) + Int64(bytes.count) <= file.size else { return }
      waiting += bytes
      if waiting.count >= Objects.piece { try await write() }
    }
    try await write()
  }

  // MARK: The cache

  /// Notes that somebody reads a take, so that it stays.
  func noteReading(of take: Take) async {
    let now = MonotonicClock.wall
    let isNews = state.withLock { state in
      guard let kept = state.cache.kept[take.id], now - kept.read > Objects.readingStep else { return false }
      state.cache.touch(take.id, at: now)
      return true
    }
    guard isNews else { return }
    try? await onDisk { [root] in
      try TakeFolder(existing: take.folder, in: root).date(TakeObjects.fileName, now)
    }
  }

  /// Removes sound files that have arrived, of the least recently read takes, until those that stay have at most the
  /// configured size.
  func trim() async {
    guard let limit = configuration.cacheSize else { return }
    while !Task.isCancelled, let id = state.withLock({ $0.cache.leaver(beyond: limit) }) {
      do {
        let freed = try await evict(id)
        state.withLock { $0.counts.bytesEvicted += freed }
      } catch {
        logger.warning("a take stays here", metadata: ["take": "\(id)", "reason": "\(error)"])
      }
      state.withLock { $0.cache.left(id) }
    }
  }

  private func evict(_ id: TakeID) async throws -> Int64 {
    guard let take = try await index.take(id) else { return 0 }
    let list = try await list(in: take.folder)
    // What the store accepted it may have lost since.
    for file in list?.files ?? [] where file.isSound {
      guard try await store.size(of: file.key) == file.size else {
        throw ObjectDiffers(description: "the store does not have \(file.key) as it was stored")
      }
    }
    return try await onDisk { [root] in
      try TakeObjects.evict(from: try TakeFolder(existing: take.folder, in: root))
    }
  }
}

/// What a task leaves for the thread that waits for it.
private final class HeldTakes: Sendable {
  let result = Mutex<Result<[TakeID], any Error>>(.success([]))
}
