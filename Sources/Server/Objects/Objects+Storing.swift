import Library
import Music
import Recording
import Signaling
import Synchronization

/// From the take's folder to the store.
extension Objects {
  /// What a take's folder has to store.
  private struct Plan: Sendable {
    var list: TakeObjects
    /// The files of the manifest that are stored, the manifest itself last.
    var files: [(name: String, digest: FileDigest, isSound: Bool)]
    var isDone: Bool
  }

  /// Stores the files of a take that the store does not have.
  /// - Throws: `StoreFailure`, `FileProblem`, `ObjectDiffers`, `RecordedFile.Failure`, `CancellationError`.
  func keep(_ id: TakeID) async throws {
    var former: String?
    // A take that moves to the trash, or is rendered again meanwhile, has other files than those read first.
    while let take = try await index.take(id), Objects.hasFiles(take) {
      let place = store.place
      let plan = try await onDisk { [root] in try Objects.plan(take, in: root, place: place) }
      do {
        return try await keep(take, plan)
      } catch let failure as StoreFailure {
        throw failure
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        let now = "\(take.folder) \(plan.list.revision)"
        guard former != now else { throw error }
        former = now
      }
    }
  }

  private func keep(_ take: Take, _ plan: Plan) async throws {
    var list = plan.list
    guard !plan.isDone else { return enter(take, list) }
    // Before the first byte leaves: a purge finds in it that there is something to remove.
    try await write(list, of: take)
    for file in plan.files where list.entry(file.name)?.digest != file.digest {
      try Task.checkCancellation()
      let opened = try await open(file.name, of: take)
      let key = TakeObjects.key(file.name, of: take.id, revision: list.revision)
      try await store.store(opened, as: key, digest: file.digest)
      list.files.removeAll { $0.name == file.name }
      list.files.append(
        TakeObjects.Entry(
          name: file.name, key: key, size: opened.size, digest: file.digest, isSound: file.isSound))
      state.withLock { $0.counts.bytesStored += opened.size }
      try await write(list, of: take)
    }
    let current = TakeObjects.prefix(of: take.id) + list.revision + "/"
    for key in try await store.keys(beginningWith: TakeObjects.prefix(of: take.id)) where !key.hasPrefix(current) {
      try await store.remove(key)
    }
    list.isComplete = true
    try await write(list, of: take)
    state.withLock { $0.counts.takesStored += 1 }
    enter(take, list)
    publish(.objectsStored, take.id, room: take.room, bytes: list.bytes, error: nil)
  }

  private func open(_ name: String, of take: Take) async throws -> RecordedFile {
    do {
      return try await RecordedFile.open(name, in: take.folder, of: root)
    } catch RecordedFile.Failure.missing {
      throw ObjectDiffers(description: "\(name) is missing in \(take.folder); jamjar catalog check says what else is")
    }
  }

  private func enter(_ take: Take, _ list: TakeObjects) {
    let bytes = list.files.filter(\.isSound).reduce(Int64(0)) { $0.addingReportingOverflow($1.size).partialValue }
    state.withLock { $0.cache.enter(take.id, bytes: bytes, at: MonotonicClock.wall) }
  }

  private func write(_ list: TakeObjects, of take: Take) async throws {
    try await onDisk { [root] in
      let folder = try TakeFolder(existing: take.folder, in: root)
      try list.write(TakeObjects.fileName, in: folder)
    }
  }

  private static func plan(_ take: Take, in root: String, place: String) throws -> Plan {
    let folder = try TakeFolder(existing: take.folder, in: root)
    let bytes = try folder.read(TakeFolder.manifestName)
    let manifest = try Manifest(decoding: bytes, path: folder.label(TakeFolder.manifestName))
    let revision = TakeObjects.revision(ofManifest: bytes)
    var files: [(name: String, digest: FileDigest, isSound: Bool)] = []
    for file in manifest.files where file.role != .journal {
      guard let digest = file.digest else { continue }
      files.append((file.name, digest, file.role == .track || file.role == .mix))
    }
    files.append((TakeFolder.manifestName, FileDigest(of: bytes), false))
    let known = try TakeObjects.read(TakeObjects.fileName, in: folder)
    if let known, known.take == take.id, known.revision == revision {
      if known.place == place { return Plan(list: known, files: files, isDone: known.isComplete) }
      let absent = files.filter { $0.isSound && !folder.has($0.name) }
      guard absent.isEmpty else {
        throw ObjectDiffers(
          description:
            "\(absent.map(\.name).joined(separator: ", ")) are in \(known.place) only, which --objects named "
            + "before; name it again and fetch the take (jamjar takes fetch \(take.id))")
      }
    }
    return Plan(list: TakeObjects(take: take.id, place: place, revision: revision), files: files, isDone: false)
  }

  /// Removes all objects of a take that is gone for good.
  /// - Throws: `StoreFailure`, `FileProblem`.
  func removeObjects(of take: TakeID) async throws {
    let isNoted = try await onDisk { [root] in try TakeObjects.purged(in: root).contains(take) }
    guard isNoted else { return }
    for key in try await store.keys(beginningWith: TakeObjects.prefix(of: take)) { try await store.remove(key) }
    try await onDisk { [root] in try TakeObjects.forgetPurge(of: take, in: root) }
    state.withLock { $0.cache.kept[take] = nil }
  }
}
