import HTTPTypes
import Hummingbird
import Music
import Signaling

extension ExportsResource {
  /// Most takes per request.
  private static let most = 100

  /// `POST /v1/exports`: the same export of many takes; each is accepted or refused on its own.
  func submitMany(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let fields = try await request.fields(["takes", "q"] + ExportFields.names, limit: limits.body)
    let choice = try TakeChoice(fields, most: ExportsResource.most)
    var items: [JSONValue] = []
    for id in try await choice.takes(in: index, context.grant.principal) {
      items.append(try await item(id, fields, request, context))
    }
    return Response(json: Representation.list(items, next: nil))
  }

  private func item(
    _ id: TakeID, _ fields: BodyFields, _ request: Request, _ context: ExchangeContext
  ) async throws -> JSONValue {
    do {
      // A take out of reach looks like one that is missing.
      let take = try await index.take(id)
      guard let take,
        Authorisation.decide(context.grant.principal, .export, on: .part(of: take.room), at: .rest) == .allowed
      else { throw Problem.unknownTake(id.description) }
      let (job, status) = try await submit(take, context.caller) { fields }
      return [
        "take": .string(id.description), "status": .integer(Int64(status.code)),
        "export": .object(representation(of: job)), "problem": .null,
      ]
    } catch {
      let problem = ProblemMiddleware.problem(for: error, request)
      // A fault of the service is not one of this take.
      guard problem.status != .internalServerError, problem.status != .serviceUnavailable else { throw error }
      return [
        "take": .string(id.description), "status": .integer(Int64(problem.status.code)), "export": .null,
        "problem": .object(problem.json(instance: "/v1/takes/\(id)/exports")),
      ]
    }
  }
}
