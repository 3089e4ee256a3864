import Library
import Logging
import Music
import Signaling

extension Exports {
  /// Removes the exports of a deleted take.
  func removeOfDeletedTakes(after start: UInt64) async -> UInt64 {
    var place = start
    while true {
      let reading = feed.read(after: place, limit: 256)
      place = reading.place
      if reading.isBroken { await removeOfAbsentTakes() }
      guard !reading.events.isEmpty else { return place }
      for numbered in reading.events where numbered.event.kind == .takeDeleted {
        let take: TakeID
        switch numbered.event.content {
        case .take(let deleted): take = deleted.id
        case .takeID(let id): take = id
        default: continue
        }
        // It may have been taken out of the trash since, and exported again.
        if let known = try? await index.take(take), known.deletedAt == nil { continue }
        for job in list where job.take == take { _ = await remove(job.id) }
      }
    }
  }

  /// True if the index says that a take is deleted or gone.
  func isDeleted(_ take: TakeID) async -> Bool {
    do {
      return try await index.take(take).map { $0.deletedAt != nil } ?? true
    } catch {
      return false
    }
  }

  /// Removes the exports of takes that the index says are deleted or gone.
  func removeOfAbsentTakes() async {
    for take in Set(list.map(\.take)) {
      do {
        if let known = try await index.take(take), known.deletedAt == nil { continue }
        for job in list where job.take == take { _ = await remove(job.id) }
      } catch {
        logger.warning("whether an export's take is deleted is unknown", metadata: ["error": "\(error)"])
      }
    }
  }
}
