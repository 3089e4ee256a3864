import HTTPTypes
import Hummingbird
import NIOCore
import Recording
import Signaling

/// `/v2/project/KEY/broadcast`, as the server SDKs of OpenTok call it.
struct OpenTokBroadcastsResource {
  let desk: OpenTokDesk
  let broadcasts: OpenTokBroadcasts
  let isSecure: Bool

  var resources: [Resource] {
    let root = "\(OpenTokResource.base)/broadcast"
    return [
      desk.resource(root, [(.get, list), (.post, start)]),
      desk.resource("\(root)/:broadcast", [(.get, read)]),
      desk.resource("\(root)/:broadcast/stop", [(.post, stop)]),
      desk.resource("\(root)/:broadcast/layout", [(.put, arrange)]),
      desk.resource("\(root)/:broadcast/streams", [(.patch, change)]),
    ]
  }

  private func object(_ broadcast: OpenTokBroadcast, _ request: Request) async -> JSONValue {
    let url = await broadcasts.hlsName(of: broadcast).map { name in
      "\(request.openTokOrigin(isSecure: isSecure))\(OpenTokStreamFiles.base)/\(name)/\(OpenTokStreamFiles.playlist)"
    }
    return .object(broadcast.json(hls: url))
  }

  private func start(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let body = try await request.openTokObject()
    let session = try await desk.session(in: body, of: project)
    let broadcast = try await broadcasts.start(try OpenTokBroadcastWish(body), in: session)
    return Response(.json(await object(broadcast, request)))
  }

  private func list(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let wanted = try OpenTokPage(request)
    let page = await broadcasts.page(
      of: project, session: wanted.session, offset: wanted.offset, count: wanted.count)
    var items: [JSONValue] = []
    for broadcast in page.items { items.append(await object(broadcast, request)) }
    return Response(.json(["count": .integer(Int64(page.total)), "items": .array(items)]))
  }

  private func read(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let broadcast = try await broadcasts.find(try context.part("broadcast"), of: project)
    return Response(.json(await object(broadcast, request)))
  }

  private func stop(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    _ = try await request.openTokBytes()
    let broadcast = try await broadcasts.stop(try context.part("broadcast"), of: project)
    return Response(.json(await object(broadcast, request)))
  }

  private func arrange(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let layout = try OpenTokArchiveLayout(try await request.openTokObject())
    let id = try context.part("broadcast")
    try await broadcasts.arrange(id, layout, of: project)
    return Response(.json(await object(try await broadcasts.find(id, of: project), request)))
  }

  private func change(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let change = try OpenTokArchiveChange(try await request.openTokObject())
    try await broadcasts.change(try context.part("broadcast"), change, of: project)
    return Response(.done)
  }
}

/// `/v2/broadcasts/SECRET/…`: the playlist and the segments of a broadcast by HLS, for players, which prove nothing.
struct OpenTokStreamFiles {
  let broadcasts: OpenTokBroadcasts
  /// The data folder.
  let recordings: String

  static let base = "/v2/broadcasts"
  static let playlist = "playlist.m3u8"

  var resources: [Resource] {
    [
      Resource("\(OpenTokStreamFiles.base)/:broadcast/:file", door: .opentok).on(.get, .knock) { request, context in
        try await file(request, context)
      }
    ]
  }

  private func file(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let (secret, name) = (try context.part("broadcast"), try context.part("file"))
    let missing = Problem.notFound(
      "nothing is broadcast at this address (any more), or the segment is too old; read the playlist again")
    guard let playlist = await broadcasts.playlist(of: secret) else { throw missing }
    guard name != OpenTokStreamFiles.playlist else {
      return Response(
        status: .ok, headers: [.contentType: "application/vnd.apple.mpegurl", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: playlist)))
    }
    guard name.hasSuffix(".aac") else { throw missing }
    do {
      let file = try await RecordedFile.open(name, in: HLSShelf.path(of: secret), of: recordings)
      return try FileResponse(file: file, contentType: "audio/aac", downloadName: nil).response(to: request)
    } catch RecordedFile.Failure.missing {
      throw missing
    }
  }
}
