/// Filters for a list of takes; nil means "any".
package struct TakeQuery: Hashable, Sendable {
  /// The order of a list. Sorting by rating or length requires that there is no filter except one of room and song,
  /// and that the takes are not in the trash; otherwise it throws `CatalogError.unsupportedSort`.
  package enum Sort: String, Hashable, Sendable, CaseIterable {
    /// Newest first.
    case newest
    case oldest
    /// Best first; takes without a rating last.
    case bestRated
    case longest
    case shortest
  }

  /// Selects takes by whether they are in the trash.
  package enum Shelf: String, Hashable, Sendable, CaseIterable {
    /// Not in the trash.
    case kept
    /// In the trash.
    case deleted
  }

  package var room: RoomName?
  package var song: SongID?
  package var session: SessionID?
  /// A person with a track in the take; merged identifiers are included.
  package var participant: ParticipantID?
  package var state: TakeState?
  /// 1 to 5: this rating or higher.
  package var minimumRating: Int?
  /// True: only favourites; false: only others.
  package var isFavourite: Bool?
  /// A case-insensitive tag.
  package var tag: String?
  /// Takes that started at this time or later.
  package var startedAfter: WallTime?
  /// Takes that started before this time.
  package var startedBefore: WallTime?
  /// Words, each of which must begin a word of a title, the notes, people's names, tags, or cues.
  package var text: String?
  /// What else they have to be like.
  package var condition: TakeCondition?
  package var shelf: Shelf
  package var sort: Sort
  /// Number of items per page, 1 to 200.
  package var limit: Int
  /// The `next` of the previous page, from a list with the same filters and sort; nil for the first page.
  package var cursor: String?

  package init(
    room: RoomName? = nil, song: SongID? = nil, session: SessionID? = nil, participant: ParticipantID? = nil,
    state: TakeState? = nil, minimumRating: Int? = nil, isFavourite: Bool? = nil, tag: String? = nil,
    startedAfter: WallTime? = nil, startedBefore: WallTime? = nil, text: String? = nil,
    condition: TakeCondition? = nil, shelf: Shelf = .kept, sort: Sort = .newest, limit: Int = 50,
    cursor: String? = nil
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
    self.condition = condition
    self.shelf = shelf
    self.sort = sort
    self.limit = limit
    self.cursor = cursor
  }
}

/// Sessions, newest first.
package struct SessionQuery: Hashable, Sendable {
  package var room: RoomName?
  /// Part of the room's name, whatever its case and accents; nil or empty for all.
  package var roomText: String?
  package var startedAfter: WallTime?
  package var startedBefore: WallTime?
  /// 1 to 200.
  package var limit: Int
  package var cursor: String?

  package init(
    room: RoomName? = nil, roomText: String? = nil, startedAfter: WallTime? = nil, startedBefore: WallTime? = nil,
    limit: Int = 50, cursor: String? = nil
  ) {
    self.room = room
    self.roomText = roomText
    self.startedAfter = startedAfter
    self.startedBefore = startedBefore
    self.limit = limit
    self.cursor = cursor
  }
}
