import Music
import Signaling

/// An edit as the log keeps it: the event that it is, with its subject as it was right after the edit.
package struct EditEntry: Hashable, Sendable, Codable {
  package var time: WallTime
  package var kind: ServiceEventKind
  package var room: RoomName?
  package var take: Take?
  package var song: Song?
  package var person: Person?
  /// The identifier of a take or song of which nothing else is left.
  package var gone: String?

  /// Nil for an event that is no edit of a take, a song or a person.
  init?(_ event: ServiceEvent) {
    time = event.time
    kind = event.kind
    room = event.room
    switch event.content {
    case .take(let take): self.take = take
    case .takeID(let id): gone = id.description
    case .song(let song): self.song = song
    case .songID(let id): gone = id.description
    case .person(let person): self.person = person
    default: return nil
    }
  }

  /// The event; nil if the line of the log was tampered with.
  package var event: ServiceEvent? {
    content.map { ServiceEvent(kind, room: room, at: time, $0) }
  }

  private var content: ServiceEvent.Content? {
    if let take { return .take(take) }
    if let song { return .song(song) }
    if let person { return .person(person) }
    guard let gone else { return nil }
    return kind.group == "song" ? SongID(gone).map { .songID($0) } : TakeID(gone).map { .takeID($0) }
  }
}

/// An edit with its place in the log.
package struct NumberedEdit: Hashable, Sendable {
  /// Counts the edits of a data folder from 1.
  package var number: UInt64
  /// Nil for a damaged line, or one of a newer release.
  package var event: ServiceEvent?
}
