import HTTPTypes
import Hummingbird
import Signaling

/// `/v2/project/KEY/connect`: Audio Connectors, as the server SDKs of OpenTok start them; reading them is ours.
struct OpenTokConnectorsResource {
  let desk: OpenTokDesk
  let connectors: OpenTokConnectors

  var resources: [Resource] {
    let root = "\(OpenTokResource.base)/connect"
    return [
      desk.resource(root, [(.get, list), (.post, start)]),
      desk.resource("\(root)/:connector", [(.get, read)]),
    ]
  }

  private func start(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let body = try await request.openTokObject()
    let session = try await desk.session(in: body, of: project)
    let connector = try await connectors.start(try OpenTokConnectorWish(body), in: session, from: context.origin)
    return Response(.json(connector.answer))
  }

  private func list(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let wanted = try OpenTokPage(request)
    let page = await connectors.page(
      of: project, session: wanted.session, offset: wanted.offset, count: wanted.count)
    return Response(.json(["count": .integer(Int64(page.total)), "items": .array(page.items.map(\.json))]))
  }

  private func read(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    Response(.json(try await connectors.find(try context.part("connector"), of: project).json))
  }
}
