import Music

/// Which takes a list shall have, in the words of the command line.
struct TakeFilter: Sendable {
  var room: String?
  /// A title, or an identifier.
  var song: String?
  var state: String?
  /// 1 to 200.
  var limit = 50
  var cursor: String?
}
