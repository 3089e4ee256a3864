import Hummingbird
import Machines
import Music
import Signaling

/// The parameters of the list of rooms.
struct RoomSearch {
  let limit: Int
  private let states: Set<RoomActivity>?
  /// In lower case.
  private let words: [String]
  private let startedAfter: WallTime?
  private let startedBefore: WallTime?
  /// The last room of the page before.
  private let last: RoomName?

  /// - Throws: `Problem` that names the parameter.
  init(_ request: Request) throws(Problem) {
    let list = try ListQuery(request, permitted: ["state", "q", "after", "before"])
    // Clients of older releases read one page only, so it is as long as pages may be.
    limit = try list.integer("limit", in: ListQuery.limits.range) ?? ListQuery.limits.range.upperBound
    let known = RoomActivity.allCases.map(\.rawValue)
    states = try list.words("state", among: known).map { Set($0.compactMap(RoomActivity.init)) }
    words = try list.text("q")?.lowercased().split(separator: " ").map(String.init) ?? []
    startedAfter = try list.time("after")
    startedBefore = try list.time("before")
    last = try list.cursor.map { text throws(Problem) in
      // A key rather than a number: rooms that come and go between two pages move no other.
      guard let bytes = Base64.url.decode(text), let name = String(validating: bytes, as: UTF8.self),
        let room = RoomName(name)
      else {
        throw Problem.invalid("cursor", value: text, "\"cursor\" must be \"next\" of an earlier page, unchanged")
      }
      return room
    }
  }

  static func cursor(after room: RoomName) -> String { Base64.url.encode(Array(room.description.utf8)) }

  /// - Parameter startedAt: the beginning of the running session; a room without one is in no period.
  func finds(_ room: RoomName, _ activity: RoomActivity, startedAt: WallTime?) -> Bool {
    if let last, room <= last { return false }
    if let states, !states.contains(activity) { return false }
    if let startedAfter { guard let startedAt, startedAt >= startedAfter else { return false } }
    if let startedBefore { guard let startedAt, startedAt < startedBefore else { return false } }
    let name = room.description.lowercased()
    return words.allSatisfy { name.contains($0) }
  }
}
