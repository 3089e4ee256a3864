import HTTPTypes
import Hummingbird
import Machines
import Recording
import Signaling

/// `/v2/project/KEY/callback`: addresses that an application's server registers itself, as the SDK for Node does.
struct OpenTokCallbacksResource {
  let desk: OpenTokDesk
  let callbacks: OpenTokCallbacks

  var resources: [Resource] {
    let root = "\(OpenTokResource.base)/callback"
    return [
      desk.resource(root, [(.get, list), (.post, register)]),
      desk.resource("\(root)/:callback", [(.delete, unregister)]),
    ]
  }

  /// A plain array, unlike other lists.
  private func list(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    Response(.json(.array(await callbacks.registered(of: project).map(\.json))))
  }

  private func register(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let callback = try OpenTokCallback(
      try await request.openTokObject(), id: OpenTokArchive.newID(), project: project.key, at: MonotonicClock.wall)
    try await callbacks.register(callback)
    return Response(.json(callback.json))
  }

  private func unregister(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    _ = try await request.openTokBytes()
    try await callbacks.unregister(try context.part("callback"), of: project)
    return Response(.done)
  }
}
