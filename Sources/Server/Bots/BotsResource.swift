import HTTPTypes
import Hummingbird
import Machines
import Music
import Recording
import Signaling

/// `/v1/bots`: recorders as guests elsewhere (docs/bot.md).
struct BotsResource {
  let desk: BotDesk
  let quotas: Quotas
  let limits: ServerLimits

  private static let fields = ["url", "room", "name", "stays", "from", "to", "calendar"]

  var resources: [Resource] {
    [
      Resource("/v1/bots", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .runBots) { request, _ in
          try request.checkQuery(only: [])
          return Response(
            json: Representation.list(desk.reports.map { .object(Representation.bot($0)) }, next: nil))
        }
        .on(.post, .runBots) { request, context in
          try quotas.begin(.join, context.caller)
          let wish = try BotsResource.wish(try await request.fields(BotsResource.fields, limit: limits.body))
          let (report, isNew) = try await desk.make(wish)
          return Response(
            json: .object(Representation.bot(report)), status: isNew ? .created : .ok,
            headers: [.location: "/v1/bots/\(report.wish.id)"])
        },
      Resource("/v1/bots/:bot")
        .on(.get, .runBots) { _, context in
          let id: BotID = try context.identifier("bot")
          guard let report = desk.report(id) else { throw Problem.unknownBot(id) }
          return Response(json: .object(Representation.bot(report)))
        }
        .on(.delete, .runBots) { _, context in
          let id: BotID = try context.identifier("bot")
          guard try await desk.remove(id) else { throw Problem.unknownBot(id) }
          return .empty(.noContent)
        },
    ]
  }

  private static func wish(_ fields: BodyFields) throws(Problem) -> BotWish {
    let text = try fields.string("url")
    let address: BotAddress
    do throws(ValueProblem) {
      address = try BotAddress(text)
    } catch {
      throw Problem.invalid("url", value: error.value, error.description, permitted: BotAddress.permitted)
    }
    let name = fields.has("name") ? try fields.displayName("name") : DisplayName(BotWish.defaultName)
    guard let name else { throw fields.invalid("name", mustBe: "a name") }
    let from = try time("from", fields)
    let to = try time("to", fields)
    if let from, let to, to <= from {
      throw Problem.invalid("to", value: to.description, "\"to\" must be later than \"from\"")
    }
    let schedule = try BotsResource.schedule(fields)
    guard schedule == nil || (from == nil && to == nil) else {
      throw fields.invalid("calendar", mustBe: "absent where \"from\" or \"to\" is given: it says both")
    }
    return BotWish(
      id: BotID(at: MonotonicClock.wall), address: address, room: try room(fields, address), name: name,
      stays: try fields.optionalBool("stays") ?? true, from: from, to: to, schedule: schedule,
      createdAt: MonotonicClock.wall)
  }

  private static func room(_ fields: BodyFields, _ address: BotAddress) throws(Problem) -> RoomName {
    guard let text = try fields.optionalString("room") else {
      guard let room = BotWish.defaultRoom(for: address) else {
        throw fields.invalid("room", mustBe: "the name of the room here that records; the other room's name is none")
      }
      return room
    }
    do throws(NameError) {
      return try RoomName(checking: text)
    } catch {
      throw Problem.invalid("room", value: text, error.description)
    }
  }

  /// - Throws: `Problem` for a calendar that is not read, or has no time that is still to come.
  private static func schedule(_ fields: BodyFields) throws(Problem) -> Schedule? {
    guard let text = try fields.optionalString("calendar") else { return nil }
    let schedule: Schedule
    do throws(ScheduleFault) {
      schedule = try Schedule(text, .system)
    } catch {
      throw Problem.invalid("calendar", value: nil, "the calendar cannot be read: \(error.description)")
    }
    guard schedule.window(after: MonotonicClock.wall, .system) != nil else {
      throw Problem.invalid("calendar", value: nil, "all events of the calendar are over")
    }
    return schedule
  }

  private static func time(_ name: String, _ fields: BodyFields) throws(Problem) -> WallTime? {
    guard let text = try fields.optionalString(name) else { return nil }
    guard let time = WallTime(text) else {
      throw Problem.invalid(
        name, value: text, "\"\(name)\" must be a time of RFC 3339, such as 2026-11-21T19:04:05Z")
    }
    return time
  }
}

extension Problem {
  static func unknownBot(_ id: BotID) -> Problem {
    notFound("there is no bot \"\(id)\" (any more); GET /v1/bots lists them")
  }
}

extension Representation {
  static func bot(_ report: Bot.Report) -> JSONObject {
    let wish = report.wish
    var object: JSONObject = [
      "id": .string(wish.id.description), "url": .string(wish.address.shown),
      "kind": .string(wish.address.kind.rawValue), "room": .string(wish.room.description),
      "name": .string(wish.name.description), "stays": .bool(wish.stays), "state": .string(report.state.rawValue),
      "since": .string(report.since.description), "attempts": .integer(Int64(report.attempts)),
      "createdAt": .string(wish.createdAt.description), "caveats": .string(wish.address.kind.caveats),
      "guests": .array(
        report.guests.map { guest -> JSONValue in
          [
            "name": .string(guest.name.description), "participant": .string(guest.participant.description),
            "isConnected": .bool(guest.isUp),
          ]
        }),
    ]
    if let detail = report.detail { object["detail"] = .string(detail) }
    if let from = wish.from ?? report.window?.from { object["from"] = .string(from.description) }
    if let to = wish.to ?? report.window?.to { object["to"] = .string(to.description) }
    if wish.schedule != nil { object["isScheduled"] = .bool(true) }
    return object
  }
}
