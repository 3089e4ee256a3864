import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// Lets a request pass if the table of rights permits its action on the object of its path (`Authorisation`).
///
/// Every route names its action, so none can be added without one.
struct RouteGuard: Sendable {
  let turnstile: Turnstile
  let places: ObjectPlaces

  /// The context with the request's checked credentials.
  /// - Throws: `RoomRefusal`, or the `Problem` of a missing object.
  func admit(
    _ request: Request, _ context: ExchangeContext, to action: Authorisation.Action, at door: Authorisation.Door
  ) async throws -> ExchangeContext {
    var context = context
    context.origin = turnstile.origin(of: context.channel, request.headers)
    let rule = Authorisation.rule(for: action)
    guard rule.least > .stranger else { return context }
    (context.grant, context.caller) = try credentials(of: request, context, at: door)
    if door == .rest { try turnstile.quotas.begin(.request, context.caller) }
    let found = try await find(rule.kind, request, context, door)
    switch Authorisation.decide(context.grant.principal, action, on: found.object, at: door) {
    case .allowed: return context
    case .refused(let refusal): throw refusal
    case .hidden: throw found.missing
    }
  }

  /// Any valid credentials; for requests about the methods of a path.
  func admit(_ request: Request, _ context: ExchangeContext, toAskFor resource: Resource) throws {
    guard resource.handlers.allSatisfy({ Authorisation.rule(for: $0.action).least > .stranger }) else { return }
    // A browser's preflight has no credentials (Fetch section 4.8).
    if resource.door != .rest, request.method == .options { return }
    var context = context
    context.origin = turnstile.origin(of: context.channel, request.headers)
    _ = try credentials(of: request, context, at: resource.door)
  }

  private func credentials(
    of request: Request, _ context: ExchangeContext, at door: Authorisation.Door
  ) throws(RoomRefusal) -> (Grant, Caller) {
    try turnstile.admit(
      Gatekeeper.shown(in: request, at: door), at: door, from: context.origin)
  }

  private static let nothing = Problem.notFound("there is nothing here")

  /// The object of a request, and the answer if it is not there.
  private func find(
    _ kind: Authorisation.Kind, _ request: Request, _ context: ExchangeContext, _ door: Authorisation.Door
  ) async throws -> (object: Authorisation.Object, missing: Problem) {
    let nothing = RouteGuard.nothing
    switch kind {
    case .service: return (.service, nothing)
    case .list: return (.list, nothing)
    case .room: break
    }
    if context.parameters.get("room") != nil { return (.room(try context.room()), nothing) }
    if context.parameters.get("take") != nil {
      let text = try context.part("take")
      return (.part(of: try await places.room(ofTake: text)), .unknownTake(text))
    }
    // Dialects have sessions of their own, which are none of the recorder's.
    if door == .rest, context.parameters.get("session") != nil {
      let text = try context.part("session")
      return (.part(of: try await places.room(ofSession: text)), .unknownSession(text))
    }
    if context.parameters.get("export") != nil {
      let text = try context.part("export")
      return (.part(of: places.room(ofExport: text)), .unknownExport(text))
    }
    if context.parameters.get("backup") != nil {
      let text = try context.part("backup")
      return (.part(of: try await places.room(ofBackup: text)), .unknownBackup(text))
    }
    if context.parameters.get("import") != nil {
      let text = try context.part("import")
      return (.part(of: places.room(ofImport: text)), .unknownImport(text))
    }
    if let room = Doors.kind(of: door)?.room(of: request) { return (.room(room), nothing) }
    return (.part(of: nil), nothing)
  }
}

/// Where the things are that requests name by identifiers.
struct ObjectPlaces: Sendable {
  let index: any TakeIndex
  let exports: Exports
  let backups: Backups
  let imports: Imports

  func room(ofTake text: String) async throws -> RoomName? {
    guard let id = TakeID(text) else { return nil }
    return try await index.take(id)?.room
  }

  func room(ofSession text: String) async throws -> RoomName? {
    guard let id = SessionID(text) else { return nil }
    return try await index.session(id)?.room
  }

  func room(ofExport id: String) -> RoomName? { exports.job(id)?.room }

  func room(ofImport text: String) -> RoomName? { ImportID(text).flatMap(imports.entry)?.room }

  func room(ofBackup text: String) async throws -> RoomName? {
    guard let id = BackupID(text), let upload = backups.upload(id) else { return nil }
    return try await index.take(upload.take)?.room
  }
}

extension HTTPRequest.Method {
  /// True for methods that only read (RFC 9110 section 9.2.1).
  var isSafe: Bool { [.get, .head, .options].contains(self) }
}
