import Music

/// Which takes a list shall have, in the words of the command line.
struct TakeFilter: Sendable {
  var room: String?
  var song: SongID?
  var state: String?
  var session: SessionID?
  var participant: ParticipantID?
  /// This rating or a better one.
  var rating: Int?
  var tag: String?
  var isFavourite: Bool?
  var after: WallTime?
  var before: WallTime?
  /// Words that all have to begin a word of what is known of the take.
  var search: String?
  var isDeleted = false
  var sort = TakeQuery.Sort.newest
  /// 1 to 200.
  var limit = 50
  var cursor: String?
}
