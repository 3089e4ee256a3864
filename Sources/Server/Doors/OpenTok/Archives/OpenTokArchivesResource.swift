import HTTPTypes
import Hummingbird
import Machines
import Music
import Recording
import Signaling

/// `/v2/project/KEY/archive`, as the server SDKs of OpenTok call it, and the addresses of the files.
struct OpenTokArchivesResource {
  let desk: OpenTokDesk
  let archives: OpenTokArchives
  /// The data folder.
  let recordings: String
  let isSecure: Bool

  var resources: [Resource] {
    let root = "\(OpenTokResource.base)/archive"
    return [
      desk.resource(root, [(.get, list), (.post, start)]),
      desk.resource("\(root)/:archive", [(.get, read), (.delete, delete), (.post, act)]),
      desk.resource("\(root)/:archive/stop", [(.post, stop)]),
      desk.resource("\(root)/:archive/layout", [(.put, arrange)]),
      desk.resource("\(root)/:archive/streams", [(.patch, change)]),
      desk.resource("\(root)/:archive/tracks", [(.get, tracks)]),
      Resource("/v2/archives/:archive/:file", door: .opentok).on(.get, .knock) { request, context in
        try await file(request, context)
      },
    ]
  }

  private func answer(_ archive: OpenTokArchive, _ request: Request) -> Response {
    Response(.json(.object(archive.json(url: url(of: archive, request)))))
  }

  // MARK: Calls

  private func start(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let body = try await request.openTokObject()
    let session = try await desk.session(in: body, of: project)
    let archive = try await archives.start(try OpenTokArchiveWish(body), in: session)
    return answer(archive, request)
  }

  private func list(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let wanted = try OpenTokPage(request)
    let page = await archives.page(
      of: project, session: wanted.session, offset: wanted.offset, count: wanted.count)
    let items = page.items.map { JSONValue.object($0.json(url: url(of: $0, request))) }
    return Response(.json(["count": .integer(Int64(page.total)), "items": .array(items)]))
  }

  private func read(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    answer(try await archives.find(try context.part("archive"), of: project), request)
  }

  private func stop(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    _ = try await request.openTokBytes()
    return answer(try await archives.stop(try context.part("archive"), of: project), request)
  }

  /// How older SDKs stop: `{"action": "stop"}`.
  private func act(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    guard try await request.openTokObject()["action"]?.string == "stop" else {
      throw OpenTokRefusal.badRequest("the body is {\"action\": \"stop\"}, or use POST …/archive/ID/stop")
    }
    return answer(try await archives.stop(try context.part("archive"), of: project), request)
  }

  private func delete(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    try await archives.delete(try context.part("archive"), of: project)
    return Response(.done)
  }

  private func arrange(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let layout = try OpenTokArchiveLayout(try await request.openTokObject())
    let id = try context.part("archive")
    try await archives.arrange(id, layout, of: project)
    return answer(try await archives.find(id, of: project), request)
  }

  private func change(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let change = try OpenTokArchiveChange(try await request.openTokObject())
    try await archives.change(try context.part("archive"), change, of: project)
    return Response(.done)
  }
}

/// The addresses of the files: signed by the project's secret, and of ten minutes.
extension OpenTokArchivesResource {
  /// How long an address holds, in seconds.
  private static let life: Int64 = 600

  private func url(of archive: OpenTokArchive, _ request: Request) -> String? {
    guard archive.status == .available, let name = archive.file?.name, let project = desk.projects[archive.project]
    else { return nil }
    return address(of: name, archive, project, request)
  }

  private func address(
    of name: String, _ archive: OpenTokArchive, _ project: OpenTokProject, _ request: Request
  ) -> String {
    let expiry = MonotonicClock.wall.seconds + OpenTokArchivesResource.life
    let signature = sign(name, archive, project, expiry)
    return "\(request.openTokOrigin(isSecure: isSecure))/v2/archives/\(archive.id)/\(name.percentEncoded)"
      + "?expires=\(expiry)&signature=\(signature)"
  }

  private func sign(_ name: String, _ archive: OpenTokArchive, _ project: OpenTokProject, _ expiry: Int64) -> String {
    let text = ["jamjar.opentok.archive", archive.id, name, "\(expiry)"].joined(separator: "\n")
    return Base64.url.encode(desk.projects.hashes.sha256(project.secret, Array(text.utf8)))
  }

  private func file(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let name = try context.part("file")
    let missing = Problem.notFound(
      "there is no file at this address, or the address has expired; read the archive again")
    guard let archive = await archives.known(try context.part("archive")),
      let project = desk.projects[archive.project],
      let expiry = request.query("expires").flatMap({ Int64($0) }), expiry > MonotonicClock.wall.seconds,
      let signature = request.query("signature"),
      ConstantTime.equal(signature, sign(name, archive, project, expiry)), let made = archive.file
    else { throw missing }
    let isOwn = name == made.name
    guard isOwn || name.hasSuffix(".flac") else { throw missing }
    do {
      let place = isOwn ? (OpenTokArchiveStore.path(of: archive.id), name) : try await track(name, of: archive)
      let file = try await RecordedFile.open(place.1, in: place.0, of: recordings)
      let ending = name.split(separator: ".").last.map(String.init) ?? ""
      let type =
        ["mp4": "audio/mp4", "zip": "application/zip", "flac": "audio/flac"][ending] ?? "application/octet-stream"
      return try FileResponse(file: file, contentType: type, downloadName: isOwn ? "\(archive.id).\(ending)" : name)
        .response(to: request)
    } catch RecordedFile.Failure.missing {
      throw missing
    }
  }

  // MARK: Lossless tracks

  /// The FLAC tracks of the takes of an archive, each with an address.
  private func tracks(
    _ request: Request, _ context: ExchangeContext, _ project: OpenTokProject
  ) async throws -> Response {
    let archive = try await archives.find(try context.part("archive"), of: project)
    guard archive.status == .available else {
      throw OpenTokRefusal.conflict(
        "The archive is \(archive.status.rawValue); its tracks are there once it is available")
    }
    var items: [JSONValue] = []
    for track in try await archives.tracks(of: archive) {
      guard let file = track.track.file else { continue }
      let name = "\(track.take)-\(file)"
      items.append([
        "participant": .string(track.track.participant.id.description),
        "name": .string(track.track.participant.name.description), "take": .string(track.take.description),
        "startSample": .integer(track.start), "firstSampleOfTake": .integer(track.first),
        "stopSample": .integer(track.end), "url": .string(address(of: name, archive, project, request)),
      ])
    }
    return Response(.json(["count": .integer(Int64(items.count)), "items": .array(items)]))
  }

  /// The folder and the name of a track's file.
  private func track(_ name: String, of archive: OpenTokArchive) async throws -> (String, String) {
    for track in try await archives.tracks(of: archive) {
      if let file = track.track.file, "\(track.take)-\(file)" == name { return (track.folder, file) }
    }
    throw RecordedFile.Failure.missing
  }
}
