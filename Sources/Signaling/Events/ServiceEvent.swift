import Music

/// An event of the service, for observers of the whole service (server-sent events, webhooks).
///
/// A room's members receive `RoomEvent`s instead, which tell a client what to do. These inform a program about rooms,
/// takes, sessions and exports.
package struct ServiceEvent: Hashable, Sendable {
  /// The details of an event, besides kind, room and time.
  package enum Content: Hashable, Sendable {
    case member(RoomSnapshot.Member, session: SessionID?)
    case left(Participant, session: SessionID?)
    case session(Session)
    case take(Take)
    /// A take of which only the identifier is known.
    case takeID(TakeID)
    case split(from: TakeID, to: Take)
    case refined(Take, Refinement)
    case cue(TakeID, Cue)
    case song(Song)
    /// A song of which only the identifier is left.
    case songID(SongID)
    case person(Person)
    case warning(RoomEvent.Warning, text: String, take: TakeID?)
    /// Members of the event's JSON, for details known only to a face.
    case members(JSONObject)
  }

  package var kind: ServiceEventKind
  /// The room of the event; nil if it does not belong to one.
  package var room: RoomName?
  package var time: WallTime
  package var content: Content

  package init(_ kind: ServiceEventKind, room: RoomName?, at time: WallTime, _ content: Content) {
    self.kind = kind
    self.room = room
    self.time = time
    self.content = content
  }
}

/// The kind of an event in the service: the `event` of a server-sent event, the `type` of a webhook.
package enum ServiceEventKind: String, Hashable, Sendable, CaseIterable, Codable {
  case roomJoined = "room.joined"
  case roomLeft = "room.left"
  case recordingStarted = "room.recordingStarted"
  case recordingStopped = "room.recordingStopped"

  case sessionStarted = "session.started"
  case sessionEnded = "session.ended"

  case takeStarted = "take.started"
  case takeStopped = "take.stopped"
  /// One take ended and the next began at the same sample.
  case takeSplit = "take.split"
  case takeCue = "take.cue"
  /// A take without audio was discarded.
  case takeDiscarded = "take.discarded"
  case takeReady = "take.ready"
  case takeIncomplete = "take.incomplete"
  case takeFailed = "take.failed"
  /// A second pass over the whole journal rendered the files again.
  case takeRefined = "take.refined"
  case takeEdited = "take.edited"
  case takeDeleted = "take.deleted"
  case takeRestored = "take.restored"
  /// A link to the take was made, or one was revoked.
  case takeShared = "take.shared"
  case takeUnshared = "take.unshared"
  /// A visitor of a link left a comment.
  case takeCommented = "take.commented"
  /// A take in the trash was removed for good.
  case takePurged = "take.purged"

  case songCreated = "song.created"
  case songEdited = "song.edited"
  case songDeleted = "song.deleted"
  /// A person was renamed, merged with others, or separated from one.
  case personEdited = "person.edited"

  case exportQueued = "export.queued"
  case exportProgress = "export.progress"
  case exportDone = "export.done"
  case exportFailed = "export.failed"
  case exportCancelled = "export.cancelled"

  /// A track now has a lossless version.
  case backupReady = "backup.ready"
  /// A backup is unusable.
  case backupRefused = "backup.refused"
  /// A backup could not be aligned; its samples are kept.
  case backupFailed = "backup.failed"

  /// All files of a take have arrived in the object store.
  case objectsStored = "objects.stored"
  /// Files of a take wait, because the object store or the files do not permit it.
  case objectsFailed = "objects.failed"

  /// A bot's state or guests have changed.
  case botChanged = "bot.changed"

  case warning

  /// The subject of the kind: `room`, `session`, `take`, `song`, `person`, `export`, `backup`, `objects`, `bot` or
  /// `warning`.
  package var group: String { String(rawValue.prefix { $0 != "." }) }

  /// All words permitted in a filter: the groups and the kinds.
  package static var filterWords: [String] {
    var words: [String] = []
    for kind in allCases {
      if !words.contains(kind.group) { words.append(kind.group) }
      if !words.contains(kind.rawValue) { words.append(kind.rawValue) }
    }
    return words
  }
}

/// A filter for events; nil means all.
package struct EventFilter: Hashable, Sendable {
  package var room: RoomName?
  package var kinds: Set<ServiceEventKind>?

  package init(room: RoomName? = nil, kinds: Set<ServiceEventKind>? = nil) {
    self.room = room
    self.kinds = kinds
  }

  package func admits(_ event: ServiceEvent) -> Bool {
    if let room, event.room != room { return false }
    return kinds?.contains(event.kind) ?? true
  }

  /// Parses a list of kinds such as "take,room.joined,export.*".
  /// - Throws: `UnknownWord` with the first unknown word.
  package static func kinds(_ text: String) throws(UnknownWord) -> Set<ServiceEventKind> {
    var kinds: Set<ServiceEventKind> = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let blank: (Character) -> Bool = { $0 == " " }
      var word = String(part.drop(while: blank))
      while word.last == " " { word.removeLast() }
      let group = word.hasSuffix(".*") ? String(word.dropLast(2)) : word
      if let kind = ServiceEventKind(rawValue: word) { kinds.insert(kind) }
      let members = ServiceEventKind.allCases.filter { $0.group == group }
      guard !members.isEmpty || ServiceEventKind(rawValue: word) != nil else { throw UnknownWord(word: word) }
      kinds.formUnion(members)
    }
    return kinds
  }

  /// A word of a filter that is neither a kind nor a group.
  package struct UnknownWord: Error, Hashable, Sendable {
    package var word: String
  }
}
