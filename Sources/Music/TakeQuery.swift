/// What a caller wants of a list of takes; nil means "any".
package struct TakeQuery: Hashable, Sendable {
  /// The order of a list. By rating and length only where no filter but one of room or song is set, and the takes are
  /// not in the trash; anything else is refused (`CatalogError.unsupportedSort`).
  package enum Sort: String, Hashable, Sendable, CaseIterable {
    /// The newest first.
    case newest
    case oldest
    /// The best first; takes without a rating last.
    case bestRated
    case longest
    case shortest
  }

  /// Which takes, as far as the trash goes.
  package enum Shelf: String, Hashable, Sendable, CaseIterable {
    /// Not in the trash.
    case kept
    /// In the trash.
    case deleted
  }

  package var room: RoomName?
  package var song: SongID?
  package var session: SessionID?
  /// Somebody who has a track in it; whoever was merged with them counts too.
  package var participant: ParticipantID?
  package var state: TakeState?
  /// 1 to 5: this rating or a better one.
  package var minimumRating: Int?
  /// True: favourites only; false: others only.
  package var isFavourite: Bool?
  /// A tag in any case.
  package var tag: String?
  /// Takes that started at this time or later.
  package var startedAfter: WallTime?
  /// Takes that started before this time.
  package var startedBefore: WallTime?
  /// Words that all have to begin a word of the take's or song's title, the notes, people's names, tags, or cues.
  package var text: String?
  package var shelf: Shelf
  package var sort: Sort
  /// How many items a page has, 1 to 200.
  package var limit: Int
  /// Where the page begins: the `next` of the page before, of a list with the same filters and sort.
  package var cursor: String?

  package init(
    room: RoomName? = nil, song: SongID? = nil, session: SessionID? = nil, participant: ParticipantID? = nil,
    state: TakeState? = nil, minimumRating: Int? = nil, isFavourite: Bool? = nil, tag: String? = nil,
    startedAfter: WallTime? = nil, startedBefore: WallTime? = nil, text: String? = nil, shelf: Shelf = .kept,
    sort: Sort = .newest, limit: Int = 50, cursor: String? = nil
  ) {
    self.room = room
    self.song = song
    self.session = session
    self.participant = participant
    self.state = state
    self.minimumRating = minimumRating
    self.isFavourite = isFavourite
    self.tag = tag
    self.startedAfter = startedAfter
    self.startedBefore = startedBefore
    self.text = text
    self.shelf = shelf
    self.sort = sort
    self.limit = limit
    self.cursor = cursor
  }
}

/// What a caller wants of the list of songs, which is in the order of their titles; of the newest first with a text.
package struct SongQuery: Hashable, Sendable {
  /// Words that all have to begin a word of title, composers, key or notes.
  package var text: String?
  /// 1 to 200.
  package var limit: Int
  package var cursor: String?

  package init(text: String? = nil, limit: Int = 50, cursor: String? = nil) {
    self.text = text
    self.limit = limit
    self.cursor = cursor
  }
}

/// What a caller wants of the list of sessions, which has the newest first.
package struct SessionQuery: Hashable, Sendable {
  package var room: RoomName?
  package var startedAfter: WallTime?
  package var startedBefore: WallTime?
  /// 1 to 200.
  package var limit: Int
  package var cursor: String?

  package init(
    room: RoomName? = nil, startedAfter: WallTime? = nil, startedBefore: WallTime? = nil, limit: Int = 50,
    cursor: String? = nil
  ) {
    self.room = room
    self.startedAfter = startedAfter
    self.startedBefore = startedBefore
    self.limit = limit
    self.cursor = cursor
  }
}

/// What a caller wants of the list of people, which is in the order of their names; of the newest first with a text.
package struct PersonQuery: Hashable, Sendable {
  /// Words that all have to begin a word of one of the person's names.
  package var text: String?
  /// 1 to 200.
  package var limit: Int
  package var cursor: String?

  package init(text: String? = nil, limit: Int = 50, cursor: String? = nil) {
    self.text = text
    self.limit = limit
    self.cursor = cursor
  }
}
