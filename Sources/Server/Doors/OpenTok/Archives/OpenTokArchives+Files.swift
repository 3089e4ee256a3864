import Library
import Logging
import Machines
import Music
import NIOPosix
import Recording
import Rooms
import Signaling

/// The files of archives.
extension OpenTokArchives {
  /// Has the files made whose takes are finished, and removes those that are old.
  func workOff() async {
    if MonotonicClock.now >= nextSweep {
      nextSweep = MonotonicClock.now + OpenTokArchives.sweepInterval
      await expire()
    }
    for id in book.unfinished where !making.contains(id) {
      guard let archive = book[id], archive.status == .stopped, !isStopping else { continue }
      await make(archive)
    }
  }

  private func expire() async {
    let oldest = MonotonicClock.wall - OpenTokArchives.retention
    for archive in book.all.filter({ $0.status == .available && $0.updatedAt < oldest }) {
      await give(.expired, to: archive.id)
      await store.removeFile(of: archive.id)
    }
  }

  /// Removes the files of archives of takes that were deleted since `start`: what somebody deletes is nowhere.
  func forgetDeleted(after start: UInt64) async -> UInt64 {
    var place = start
    while true {
      let reading = broker.events.read(after: place, limit: 256)
      place = reading.place
      if reading.isBroken { await forgetDeleted() }
      guard !reading.events.isEmpty else { return place }
      var deleted: Set<TakeID> = []
      for numbered in reading.events {
        switch (numbered.event.kind, numbered.event.content) {
        case (.takeDeleted, .take(let take)): deleted.insert(take.id)
        case (.takeDeleted, .takeID(let id)): deleted.insert(id)
        case (.takeReady, .take(let take)), (.takeIncomplete, .take(let take)): begun.remove(take.id)
        default: break
        }
      }
      if !deleted.isEmpty { await forget(deleted) }
    }
  }

  /// The same for takes that were deleted while nobody listened.
  func forgetDeleted() async {
    for archive in book.all.filter(\.hasFile) where await hasDeleted(archive.spans.map(\.take)) {
      await forget(Set(archive.spans.map(\.take)))
    }
  }

  private func forget(_ takes: Set<TakeID>) async {
    for archive in book.all.filter({ $0.hasFile && $0.spans.contains { takes.contains($0.take) } }) {
      await give(archive.status == .uploaded ? .deleted : .expired, to: archive.id)
      await removeFile(of: archive)
    }
  }

  /// Removes the file of an archive as it was before: here, or where it was uploaded to.
  func removeFile(of archive: OpenTokArchive) async {
    await store.removeFile(of: archive.id)
    if archive.status == .uploaded, let file = archive.file { await removeObject(of: archive, file.name) }
  }

  private func removeObject(of archive: OpenTokArchive, _ name: String) async {
    guard let bucket else { return }
    let key = OpenTokArchives.key(of: archive, name)
    do {
      try await bucket.remove(key)
    } catch {
      logger.error(
        "an uploaded archive could not be removed from the store",
        metadata: ["archive": "\(archive.id)", "key": "\(key)", "error": "\(error)"])
    }
  }

  /// Where a file is in the store, as in buckets of the vendor's customers: project, archive, name.
  private static func key(of archive: OpenTokArchive, _ name: String) -> String {
    "opentok/\(archive.project)/\(archive.id)/\(name)"
  }

  /// Uploads a file that was made.
  /// - Returns: false if it remains here: without a store, or one that did not take it.
  private func upload(_ archive: OpenTokArchive, _ name: String) async -> Bool {
    guard let bucket else { return false }
    do {
      let folder = OpenTokArchiveStore.path(of: archive.id)
      let file = try await RecordedFile.open(name, in: folder, of: recordings)
      let digest = try await NIOThreadPool.singleton.runIfActive { [recordings] in
        try FileDigest(of: name, in: TakeFolder(existing: folder, in: recordings))
      }
      try await bucket.store(file, as: OpenTokArchives.key(of: archive, name), digest: digest)
      return true
    } catch {
      logger.error(
        "an archive could not be uploaded; its file is kept here",
        metadata: ["archive": "\(archive.id)", "store": "\(bucket.place)", "error": "\(error)"])
      return false
    }
  }

  /// True if one of the takes is in the trash. An index that does not know a take says nothing: it may be incomplete.
  private func hasDeleted(_ takes: [TakeID]) async -> Bool {
    for id in Set(takes) {
      if let take = try? await index.take(id), take.deletedAt != nil { return true }
    }
    return false
  }

  private func make(_ archive: OpenTokArchive) async {
    var spans: [StreamArchiveOrder.Span] = []
    for span in archive.spans {
      let take: Take?
      do { take = try await broker.index.take(span.take) } catch { return }
      switch take?.state {
      case .ready?, .incomplete?:
        guard let take, take.deletedAt == nil else { continue }
        spans.append(
          StreamArchiveOrder.Span(take: take.id, folder: take.folder, from: span.from, to: span.to, only: span.only))
      case .failed?: continue
      case nil:
        // After a crash, recovery may have yet to put it into the index.
        guard MonotonicClock.wall - archive.updatedAt > OpenTokArchives.recoveryTime else { return }
      case .rolling?, .captured?, .rendering?: return
      }
    }
    guard !making.contains(archive.id) else { return }
    guard !spans.isEmpty else { return _ = await give(.failed, to: archive.id) }
    making.insert(archive.id)
    let order = StreamArchiveOrder(
      id: archive.id, name: archive.wish.name, session: archive.session, createdAt: archive.createdAt,
      product: archive.wish.outputMode == .composed ? .mix : .streams, software: broker.configuration.software,
      spans: spans, stays: archive.stays.map(StreamArchiveOrder.Stay.init))
    let takes = spans.map(\.take)
    workshop.make(order) { [weak self] result in
      // Called on the workshop's thread, which must not wait.
      Task { await self?.made(archive.id, of: takes, result) }
    }
  }

  private func made(_ id: String, of takes: [TakeID], _ result: Result<StreamArchiveFile, any Error>) async {
    defer { making.remove(id) }
    // Deleted meanwhile: it is made again of the others.
    if await hasDeleted(takes) { return await store.removeFile(of: id) }
    switch result {
    case .success(let file):
      let sum = Base64.standard.encode(file.sum)
      let made = OpenTokArchive.File(name: file.name, size: file.size, sum: sum)
      guard let archive = book[id] else { return await store.removeFile(of: id) }
      let isUploaded = await upload(archive, file.name)
      if await hasDeleted(takes) {
        if isUploaded { await removeObject(of: archive, file.name) }
        return await store.removeFile(of: id)
      }
      await give(.made(made, length: file.length, isUploaded: isUploaded), to: id)
      if isUploaded { await store.removeFile(of: id) }
    case .failure(is CancellationError):
      // The next start makes it.
      break
    case .failure(let error):
      logger.error("an archive's file could not be made", metadata: ["archive": "\(id)", "error": "\(error)"])
      await give(.failed, to: id)
      await store.removeFile(of: id)
    }
  }
}

extension StreamArchiveOrder.Stay {
  init(_ stay: OpenTokArchive.Stay) {
    self.init(
      stream: stay.stream, participant: stay.participant, name: stay.name, connectionData: stay.connectionData,
      from: stay.from, to: stay.to, mutes: stay.mutes.map { Mute(from: $0.from, to: $0.to) })
  }
}
