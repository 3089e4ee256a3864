import Music
import Recording
import Signaling

/// The wish that a bot should listen somewhere: kept on disk until somebody takes it back.
struct BotWish: Hashable, Sendable {
  let id: BotID
  let address: BotAddress
  /// The room of this service that records.
  let room: RoomName
  /// The name that the other room shows.
  let name: DisplayName
  /// False: the wish is fulfilled when the last musician has left.
  let stays: Bool
  /// When the bot comes; nil for at once.
  let from: WallTime?
  /// When it leaves; nil for never.
  let to: WallTime?
  /// When it comes and leaves again and again, instead of `from` and `to`.
  var schedule: Schedule?
  let createdAt: WallTime
  /// Those who have said `!consent no`, by their names here.
  var silent: Set<DisplayName> = []

  /// Most names that are remembered so.
  static let maximumSilent = 256
  static let defaultName = "Jamjar"

  /// The same place there, recorded in the same room here.
  func isSamePlace(as other: BotWish) -> Bool { room == other.room && address.isSamePlace(as: other.address) }

  /// The same in all that somebody may wish.
  func isSame(as other: BotWish) -> Bool {
    address == other.address && room == other.room && name == other.name && stays == other.stays && from == other.from
      && to == other.to && schedule == other.schedule
  }

  /// The room in which a bot records unless told otherwise: that of the same name, or of its address.
  static func defaultRoom(for address: BotAddress) -> RoomName? {
    RoomName(address.room) ?? RoomName("\(address.kind.rawValue)-\(address.url.host)")
  }
}

typealias BotID = Identifier<BotWish>

/// The file of the wishes: `_service/bots.json`. It holds tokens, as the settings do; nobody but the service's user
/// reads it.
struct BotFile: Sidecar, Hashable {
  static let currentVersion = 1
  static let isPrivate = true
  static let folder = "_service"
  static let name = "bots.json"

  struct Item: Codable, Hashable, Sendable {
    var id: BotID
    var url: String
    var room: RoomName
    var name: DisplayName
    var stays: Bool
    var from: WallTime?
    var to: WallTime?
    /// Absent in files of earlier releases, and for bots without one.
    var calendar: String?
    var createdAt: WallTime
    /// Absent in files of earlier releases.
    var silent: [DisplayName]?
  }

  var version = BotFile.currentVersion
  var bots: [Item]

  init(_ wishes: [BotWish]) {
    bots = wishes.map { wish in
      Item(
        id: wish.id, url: wish.address.text, room: wish.room, name: wish.name, stays: wish.stays, from: wish.from,
        to: wish.to, calendar: wish.schedule?.text,
        createdAt: wish.createdAt, silent: wish.silent.isEmpty ? nil : wish.silent.sorted())
    }
  }

  /// - Throws: `ValueProblem` for an address that cannot be read: a bot that is forgotten records nothing.
  func check() throws(ValueProblem) { _ = try wishes() }

  func wishes() throws(ValueProblem) -> [BotWish] {
    var wishes: [BotWish] = []
    for item in bots {
      wishes.append(
        BotWish(
          id: item.id, address: try BotAddress(item.url), room: item.room, name: item.name, stays: item.stays,
          from: item.from, to: item.to, schedule: try BotFile.schedule(item.calendar), createdAt: item.createdAt,
          silent: Set(item.silent ?? [])))
    }
    return wishes
  }

  private static func schedule(_ text: String?) throws(ValueProblem) -> Schedule? {
    guard let text else { return nil }
    do throws(ScheduleFault) {
      return try Schedule(text, .system)
    } catch {
      throw ValueProblem("calendar", error.description, "a calendar as POST /v1/bots takes it")
    }
  }
}
