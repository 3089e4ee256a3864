import Logging
import Music
import Rooms
import Signaling

/// One call of a client: its arguments and its seat.
struct RTMPCall: Sendable {
  var name: String
  var arguments: [AMFValue]
  var membership: Membership
  /// The client with what it has proved.
  var caller: Caller
  var services: RTMPServices
  /// Begins or ends the room's events for this connection.
  var hear: @Sendable (Bool) -> Void

  /// An argument that must be a string.
  /// - Throws: `RoomRefusal` `.malformed`, naming its place.
  func text(_ index: Int, _ what: String) throws(RoomRefusal) -> String {
    guard let text = optionalText(index) else {
      throw RoomRefusal(.malformed, "argument \(index + 1) of \(name) must be a string: \(what)")
    }
    return text
  }

  func optionalText(_ index: Int) -> String? {
    arguments.indices.contains(index) ? arguments[index].string : nil
  }
}

/// The methods for RTMP clients by name; `add` adds more.
struct RTMPMethods: Sendable {
  typealias Method = @Sendable (RTMPCall) async throws -> RTMPAnswer

  private var methods: [String: (action: Authorisation.Action, perform: Method)] = [:]

  /// Adds a method, or replaces the one of that name; a name with a dot is a service's ("room.roster").
  /// - Parameter action: what it does; the table of rights says who may.
  mutating func add(_ name: String, _ action: Authorisation.Action, _ method: @escaping Method) {
    methods[name] = (action, method)
  }

  /// All methods with what they do.
  var actions: [String: Authorisation.Action] { methods.mapValues(\.action) }

  /// Performs a call.
  /// - Throws: `RTMPCallError` with the status that the client library knows.
  func perform(_ call: RTMPCall) async throws(RTMPCallError) -> RTMPAnswer {
    guard let method = methods[call.name] else { throw unknown(call.name) }
    do {
      try Authorisation.check(
        call.membership.principal, method.action, on: .room(call.membership.room), at: .rtmp)
      return try await method.perform(call)
    } catch let refusal as RoomRefusal {
      let isDenied = refusal.code == .unauthorized || refusal.code == .forbidden
      throw RTMPCallError(isDenied ? .accessDenied : .invocationException, refusal.description)
    } catch {
      call.services.logger.error("a call failed", metadata: ["method": "\(call.name)", "error": "\(error)"])
      throw RTMPCallError(.generalException, "\(call.name) failed; the service's log says why")
    }
  }

  private func unknown(_ name: String) -> RTMPCallError {
    let service = name.split(separator: ".", omittingEmptySubsequences: false).dropLast().joined(separator: ".")
    let isKnown = service.isEmpty || methods.keys.contains { $0.hasPrefix(service + ".") }
    return isKnown ? .methodNotFound(String(name.prefix(64))) : .serviceNotFound(String(service.prefix(64)))
  }
}

extension RTMPMethods {
  /// Most takes listed in one response.
  private static let listed = 50
  /// The methods called by the client library's demonstrations: each returns its argument.
  static let echoes: Set = [
    "echo", "echoInt", "echoFloat", "echoString", "echoStringArray", "echoIntArray", "echoArrayList", "echoBoolean",
    "echoDate", "echoObject",
  ]

  /// The built-in methods.
  static let standard: RTMPMethods = {
    var methods = RTMPMethods()
    for name in RTMPMethods.echoes {
      methods.add(name, .connect) { call in call.arguments.first.map { .value($0) } ?? .void }
    }
    methods.addRoom()
    methods.addTakes()
    return methods
  }()

  private mutating func addRoom() {
    add("room.roster", .readRoom) { call in
      let members = try await RTMPMethods.snapshot(call).members
      return .value(.array(members.map { AMFValue(Representation.member($0)) }))
    }
    add("room.statistics", .readRoom) { call in
      let room = try await RTMPMethods.snapshot(call)
      return .value([
        "musicians": .number(Double(room.members.count { $0.role == .musician })),
        "listeners": .number(Double(room.members.count { $0.role == .listener })),
        "publishing": .number(Double(room.members.count(where: \.isPublishing))),
        "recording": .boolean(room.take != nil),
      ])
    }
    add("room.subscribe", .readRoom) { call in
      call.hear(true)
      return .void
    }
    add("room.unsubscribe", .readRoom) { call in
      call.hear(false)
      return .void
    }
    add("room.message", .talk) { call in
      _ = try await call.membership.perform(.message(try call.text(0, "the message to everybody"), to: nil))
      return .void
    }
  }

  private mutating func addTakes() {
    add("takes.list", .readTake) { call in
      var query = TakeQuery()
      query.room = call.membership.room
      query.limit = RTMPMethods.listed
      let takes = try await call.services.index.takes(query).items
      return .value(.array(takes.map { AMFValue(Representation.take($0)) }))
    }
    add("take.start", .runTakes) { call in try await RTMPMethods.take(call, .startTake(song: call.optionalText(0))) }
    add("take.stop", .runTakes) { call in try await RTMPMethods.take(call, .stopTake) }
    add("take.split", .runTakes) { call in try await RTMPMethods.take(call, .splitTake(song: call.optionalText(0))) }
    add("take.cue", .markTake) { call in
      let reply = try await call.membership.perform(.cue(try call.text(0, "the cue's text")))
      guard case .cue(let cue) = reply else { return .void }
      return .value(["text": .string(cue.text), "position": .number(cue.position.seconds)])
    }
    add("song.get", .readRoom) { call in
      .value(try await RTMPMethods.snapshot(call).take?.song.map { .string($0.title) } ?? .null)
    }
    add("song.set", .runTakes) { call in
      let song = try call.text(0, "the song's title")
      let rolls = try await RTMPMethods.snapshot(call).take != nil
      return try await RTMPMethods.take(call, rolls ? .splitTake(song: song) : .startTake(song: song))
    }
  }

  private static func snapshot(_ call: RTMPCall) async throws -> RoomSnapshot {
    guard case .snapshot(let room) = try await call.membership.perform(.snapshot) else {
      throw RoomRefusal(.unavailable, "the room sent no description of itself; try again")
    }
    return room
  }

  private static func take(_ call: RTMPCall, _ command: RoomCommand) async throws -> RTMPAnswer {
    if command.beginsTake {
      try call.services.turnstile.quotas.begin(.take, call.caller, room: call.membership.room)
    }
    guard case .take(let take, let number) = try await call.membership.perform(command) else { return .void }
    return .value(["take": .string(take.description), "number": .number(Double(number))])
  }
}
