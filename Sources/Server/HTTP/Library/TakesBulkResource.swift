import HTTPTypes
import Hummingbird
import Library
import Music
import Rooms
import Signaling

/// `POST /v1/takes/bulk`: one action on many takes; each succeeds or fails on its own.
struct TakesBulkResource {
  let library: Library
  let limits: ServerLimits

  /// Most takes per request.
  private static let maximum = 500
  private static let actions: [String: Action] = ["edit": .edit, "delete": .delete, "restore": .restore]

  private enum Action {
    case edit, delete, restore

    /// The same for a single take.
    var onOne: Authorisation.Action {
      switch self {
      case .edit: .editTake
      case .delete, .restore: .discardTake
      }
    }
  }

  var resources: [Resource] {
    [
      Resource("/v1/takes/bulk", options: [.acceptPost: MediaTypeName.json]).on(.post, .editManyTakes) {
        request, context in
        let fields = try await request.fields(["action", "takes", "q", "changes"], limit: limits.body)
        let action = try fields.word("action", among: TakesBulkResource.actions)
        let choice = try TakeChoice(fields, most: TakesBulkResource.maximum)
        let patch = try TakesBulkResource.patch(fields, for: action)
        let ids = try await choice.takes(
          in: library.index, context.grant.principal, shelf: action == .restore ? .deleted : .kept)
        var items: [JSONValue] = []
        for id in ids { items.append(try await item(id, action, patch, context.grant.principal)) }
        return Response(json: Representation.list(items, next: nil))
      }
    ]
  }

  /// Only an edit has changes, and it must have them.
  private static func patch(_ fields: BodyFields, for action: Action) throws(Problem) -> TakePatch? {
    let changes = try fields.optionalObject("changes", permitted: TakePatch.fields)
    switch (action, changes) {
    case (.edit, let changes?): return try TakePatch(changes)
    case (.edit, nil):
      throw Problem.invalid(
        "changes", value: nil, "\"changes\" is missing; it must be an object as for PATCH /v1/takes/{take}",
        permitted: TakePatch.fields)
    case (_, .some): throw Problem.invalid("changes", value: nil, "\"changes\" belongs to the action \"edit\" alone")
    case (_, nil): return nil
    }
  }

  private func item(_ id: TakeID, _ action: Action, _ patch: TakePatch?, _ principal: Principal) async throws
    -> JSONValue
  {
    do {
      // A take out of reach looks like one that is missing.
      let room = try await library.index.take(id)?.room
      guard Authorisation.decide(principal, action.onOne, on: .part(of: room), at: .rest) == .allowed else {
        throw LibraryError.unknownTake(id)
      }
      let take =
        switch action {
        case .edit: try await patch?.apply(to: id, in: library, ifRevision: nil)
        case .delete: try await library.delete(id)
        case .restore: try await library.restore(id)
        }
      return [
        "id": .string(id.description), "status": 200, "take": take.map { .object(Representation.take($0)) } ?? .null,
        "problem": .null,
      ]
    } catch let error as LibraryError {
      let problem = error.problem
      return [
        "id": .string(id.description), "status": .integer(Int64(problem.status.code)), "take": .null,
        "problem": .object(problem.json(instance: "/v1/takes/\(id)")),
      ]
    }
  }
}
