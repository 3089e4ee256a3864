import Music
import Recording
import Signaling

extension Library {
  /// The event of a pending edit whose subject was indexed from its files; nil if the edit did not take place.
  func event(of pending: PendingEdit) async throws -> ServiceEvent? {
    guard let edit = pending.edit else { return nil }
    func event(_ kind: ServiceEventKind, room: RoomName? = nil, _ content: ServiceEvent.Content) -> ServiceEvent {
      ServiceEvent(kind, room: room, at: edit.time, content)
    }
    switch pending.subject {
    case .take(let id, let folders):
      guard var take = try await index.take(id) else { return nil }
      if take.revision < edit.revision {
        // The service may know a take that rolls as it began, while the index is slow to answer.
        take = edited(take, in: folders)
      }
      guard take.revision >= edit.revision else { return nil }
      // Killed between the file and the folder's rename: the take has the new revision, in its old place.
      let isElsewhere =
        edit.kind == .takeDeleted && take.deletedAt == nil || edit.kind == .takeRestored && take.deletedAt != nil
      return event(isElsewhere ? .takeEdited : edit.kind, room: take.room, .take(take))
    case .purge(let id, _):
      return event(.takePurged, room: edit.room, .takeID(id))
    case .song(let id):
      let song = try await index.song(id)
      if edit.kind == .songDeleted { return song == nil ? event(.songDeleted, .songID(id)) : nil }
      guard let song, song.revision >= edit.revision else { return nil }
      return event(edit.kind, .song(song))
    case .people(let ids):
      guard let id = ids.last, let person = try await index.person(id), person.revision >= edit.revision else {
        return nil
      }
      return event(edit.kind, .person(person))
    }
  }

  /// The take with the edits on the disk.
  private func edited(_ take: Take, in folders: [String]) -> Take {
    for path in folders {
      guard let folder = try? TakeFolder(existing: path, in: root), let edits = try? TakeEdits(of: take.id, in: folder)
      else { continue }
      return edits.applied(to: TakeContents(take: take, tracks: [], cues: [])).take
    }
    return take
  }
}
