import Music

/// The criteria for a list of takes, as given on the command line.
struct TakeFilter: Sendable {
  var room: String?
  var song: SongID?
  var state: String?
  var session: SessionID?
  var participant: ParticipantID?
  /// Minimum rating.
  var rating: Int?
  var tag: String?
  var isFavourite: Bool?
  var after: WallTime?
  var before: WallTime?
  /// What else they have to be like.
  var condition: TakeCondition?
  var isDeleted = false
  var sort = TakeQuery.Sort.newest
  /// 1 to 200.
  var limit = 50
  var cursor: String?
}
