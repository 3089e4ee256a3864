import Music
import Synchronization

/// The plain RTP inputs that are open, by their id.
final class RTPInputs: Sendable {
  struct Entry: Sendable {
    var room: RoomName
    var membership: Membership
  }

  private let entries = Mutex<[String: Entry]>([:])

  func add(_ entry: Entry, id: String) {
    entries.withLock { $0[id] = entry }
  }

  func remove(_ id: String, in room: RoomName) -> Membership? {
    entries.withLock { entries in
      guard let entry = entries[id], entry.room == room else { return nil }
      entries[id] = nil
      return entry.membership
    }
  }
}
