import HTTPTypes
import Hummingbird
import Music
import Rooms
import Signaling

/// `/v1/rooms/{room}/objects`: the shared objects of a room, even an empty one; and `/push`, which calls handlers of
/// its members.
struct SharedObjectsResource {
  let broker: Broker
  let limits: ServerLimits

  private static let fields = ["slots", "persistent"]

  var resources: [Resource] {
    let json: HTTPFields = [.acceptPost: MediaTypeName.json]
    return [
      Resource("/v1/rooms/:room/objects").on(.get, .readObjects) { request, context in
        try request.checkQuery(only: [])
        let objects = try await broker.sharedObjects(in: try context.room())
        let page = PageText(Page(items: objects, next: nil)) { .object(Representation.sharedObjectHead($0)) }
        return Response(page, of: request)
      },
      Resource("/v1/rooms/:room/objects/:object", options: [.acceptPatch: MediaTypeName.mergePatch])
        .on(.get, .readObjects) { request, context in
          let state = try await broker.sharedObject(try context.object(), in: try context.room())
          return SharedObjectsResource.answer(state, to: request)
        }
        .on(.put, .administerObjects) { request, context in try await put(request, context) }
        .on(.patch, .administerObjects) { request, context in
          let slots = try SharedObjectsResource.slots(try await request.patch(["slots"], limit: limits.body))
          return try await edit(.merge(slots), request, context)
        }
        .on(.delete, .administerObjects) { request, context in
          try await broker.edit(
            try context.object(), in: try context.room(), if: try SharedObjectsResource.precondition(request), .delete)
          return .empty(.noContent)
        },
      Resource("/v1/rooms/:room/objects/:object/send", options: json).on(.post, .administerObjects) {
        request, context in
        let fields = try await request.fields(["handler", "arguments"], limit: limits.body)
        let arguments = try fields.sharedValues("arguments")
        try await broker.edit(
          try context.object(), in: try context.room(), .send(handler: try fields.string("handler"), arguments))
        return .empty(.noContent)
      },
      Resource("/v1/rooms/:room/push", options: json).on(.post, .administerObjects) { request, context in
        try await push(request, context)
      },
    ]
  }

  private func put(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let fields = try await request.fields(SharedObjectsResource.fields, limit: limits.body)
    let slots = try SharedObjectsResource.slots(fields)
    let isPersistent = try fields.optionalBool("persistent")
    if try Revision.makes("an object", request.headers) {
      let (room, object) = (try context.room(), try context.object())
      let state = try await broker.edit(object, in: room, if: .isNew, .replace(slots, isPersistent: isPersistent))
      return SharedObjectsResource.answer(
        state, to: request, .created,
        location: "/v1/rooms/\(room.description.percentEncoded)/objects/\(object.description.percentEncoded)")
    }
    return try await edit(.replace(slots, isPersistent: isPersistent), request, context)
  }

  private func edit(
    _ edit: SharedState.Edit, _ request: Request, _ context: ExchangeContext
  ) async throws -> Response {
    let state = try await broker.edit(
      try context.object(), in: try context.room(), if: try SharedObjectsResource.precondition(request), edit)
    return SharedObjectsResource.answer(state, to: request)
  }

  private func push(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let fields = try await request.fields(["name", "arguments", "to"], limit: limits.body)
    var recipient: ParticipantID?
    if let text = try fields.optionalString("to"), text != "all" {
      guard let participant = ParticipantID(text) else {
        throw Problem.invalid("to", value: text, "a member's id is a ULID of 26 characters; \"all\" is everybody")
      }
      recipient = participant
    }
    try await broker.push(
      try fields.string("name"), try fields.sharedValues("arguments"), to: recipient, in: try context.room())
    return .empty(.noContent)
  }

  /// The precondition in `If-Match`.
  private static func precondition(_ request: Request) throws(Problem) -> Broker.SharedObjectPrecondition {
    guard request.headers[.ifMatch] != nil else { return .none }
    return try Revision.expected(request.headers).map { .version($0) } ?? .exists
  }

  private static func slots(_ fields: BodyFields) throws -> [SharedObjectEvent.Slot] {
    guard let value = fields.value("slots") else { throw fields.invalid("slots", mustBe: "an object of slots") }
    guard let object = value.object else { throw fields.invalid("slots", mustBe: "an object of slots") }
    return try object.members.map { .init($0.name, try SharedValue($0.value)) }
  }

  /// The response with the object after the edit; 204 if the edit left it empty and unused, which removes it.
  private static func answer(
    _ state: Broker.SharedObjectState?, to request: Request, _ status: HTTPResponse.Status = .ok,
    location: String? = nil
  ) -> Response {
    guard let state else { return .empty(.noContent) }
    return Response(
      Representation.sharedObject(state), revision: state.object.version, to: request, status: status,
      location: location)
  }
}

extension ExchangeContext {
  fileprivate func object() throws -> SharedObjectName {
    try SharedObjectName(checking: try part("object"))
  }
}

extension BodyFields {
  /// A list of values; empty if absent.
  fileprivate func sharedValues(_ name: String) throws -> [SharedValue] {
    guard let value = value(name) else { return [] }
    guard let elements = value.array else { throw invalid(name, mustBe: "a list") }
    return try SharedValue.all(elements)
  }
}

extension Broker.SharedObjectConflict: TakeListRefusal {
  /// The problem for HTTP.
  var problem: Problem { Problem.preconditionFailed(description) }
}

extension Representation {
  /// An object without its slots, for lists.
  static func sharedObjectHead(_ state: Broker.SharedObjectState) -> JSONObject {
    [
      "name": .string(state.object.name.description),
      "version": .integer(Int64(state.object.version)),
      "persistent": .bool(state.object.isPersistent),
      "readOnly": .bool(state.object.isReadOnly),
      "users": .integer(Int64(state.users)),
      "slotCount": .integer(Int64(state.object.count)),
      "size": .integer(Int64(state.object.size)),
    ]
  }

  static func sharedObject(_ state: Broker.SharedObjectState) -> JSONValue {
    var object = sharedObjectHead(state)
    object["slots"] = .object(SharedObjectEvent.json(state.object.slots))
    return .object(object)
  }
}
