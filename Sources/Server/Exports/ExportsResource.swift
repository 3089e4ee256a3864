import HTTPTypes
import Hummingbird
import Music
import NIOPosix
import Recording
import Rooms
import Signaling

/// `/v1/exports`: mixes and archives made in the background.
struct ExportsResource {
  let exports: Exports
  let quotas: Quotas
  let usage: RoomUsage
  let index: any TakeIndex
  /// The data folder.
  let recordings: String
  let limits: ServerLimits

  var resources: [Resource] {
    [
      Resource("/v1/takes/:take/exports", options: [.acceptPost: MediaTypeName.json]).on(.post, .export) {
        request, context in
        try await submit(request, context)
      },
      Resource("/v1/exports", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .listExports) { request, context in try list(request, context.grant.principal) }
        .on(.post, .exportManyTakes) { request, context in try await submitMany(request, context) },
      Resource("/v1/exports/:export")
        .on(.get, .readExport) { _, context in Response(json: .object(representation(of: try find(context)))) }
        .on(.delete, .export) { _, context in
          let job = try find(context)
          guard await exports.remove(job.id) != nil else { throw Problem.unknownExport(job.id) }
          return .empty(.noContent)
        },
      Resource("/v1/exports/:export/file").on(.get, .readExport) { request, context in try await file(request, context)
      },
    ]
  }

  func representation(of job: ExportJob) -> JSONObject {
    Representation.export(job, retention: exports.configuration.retention)
  }

  /// The export named by the path.
  private func find(_ context: ExchangeContext) throws(Problem) -> ExportJob {
    let id = try context.part("export")
    guard let job = exports.job(id) else { throw Problem.unknownExport(id) }
    return job
  }

  private func list(_ request: Request, _ principal: Principal) throws(Problem) -> Response {
    try request.checkQuery(only: ["take", "state"])
    var jobs = exports.list.filter { principal.reaches($0.room) }
    if let text = request.query("take") {
      guard let take = TakeID(text) else {
        throw Problem.invalid("take", value: text, "\"take\" must be the id of a take, 26 characters")
      }
      jobs.removeAll { $0.take != take }
    }
    if let text = request.query("state") {
      guard let state = ExportJob.State(rawValue: text) else {
        throw Problem.invalid(
          "state", value: text, "there is no state \"\(text.prefix(64))\"",
          permitted: ExportJob.State.allCases.map(\.rawValue))
      }
      jobs.removeAll { $0.state != state }
    }
    return Response(json: Representation.list(jobs.map { .object(representation(of: $0)) }, next: nil))
  }

  // MARK: Requesting

  private func submit(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let id: TakeID = try context.identifier("take")
    guard let take = try await index.take(id) else { throw Problem.unknownTake(id.description) }
    let (job, status) = try await submit(take, context.caller) {
      try await request.fields(ExportFields.names, limit: limits.body)
    }
    return Response(
      json: .object(representation(of: job)), status: status, headers: [.location: "/v1/exports/\(job.id)"])
  }

  /// Requests an export of `take`.
  /// - Parameter read: reads the body, which happens after the quotas.
  func submit(
    _ take: Take, _ caller: Caller, _ read: () async throws -> BodyFields
  ) async throws -> (ExportJob, HTTPResponse.Status) {
    guard take.state == .ready || take.state == .incomplete else { throw Problem.notReady(take) }
    try quotas.begin(.export, caller, room: take.room)
    let others = exports.list.filter { $0.room == take.room }.reduce(Int64(0)) { $0 &+ ($1.size ?? 0) }
    try await usage.check(take.room, others: others)
    let (source, bytes) = try await self.source(of: take)
    let tracks = source.manifest.audibleTracks
    let length = source.manifest.length
    let fields = try await read()
    let wish = try ExportFields(tracks: tracks, length: length, cues: source.cues).wish(fields)
    if wish.hasBacking { try await checkBacking(of: source.manifest) }
    let job = ExportJob(
      id: source.identifier(of: wish, manifest: bytes), take: take.id, room: take.room, kind: wish.kind,
      format: wish.format.rawValue, rate: wish.rate, downloadName: ExportsResource.name(of: take, wish),
      createdAt: MonotonicClock.wall)
    switch try await submit(job, ExportOrder(request: wish, source: source), caller) {
    case .queued(let job): return (job, .accepted)
    case .existing(let job): return (job, job.state == .done ? .ok : .accepted)
    case .full(let share):
      let who = share.map { "\($0) exports of this room wait already, which is its share" }
      throw Problem(
        .conflict, "too-many", "There are too many",
        (who ?? "as many exports wait already as this service keeps")
          + "; try again when some are done, or delete some", headers: [.retryAfter: "10"])
    }
  }

  private func submit(_ job: ExportJob, _ order: ExportOrder, _ caller: Caller) async throws -> ExportBook.Submission {
    do throws(FileProblem) {
      return try await exports.submit(job, order, isPrivileged: caller.isPrivileged)
    } catch {
      guard error.isTooLarge else { throw error }
      throw Problem(
        .conflict, "too-many", "There are too many",
        "the \(order.source.cues.count) cues of the take \(order.source.take.id) are too many or too long for an export "
          + "(\(error.detail ?? "")); remove or shorten some")
    }
  }

  /// - Throws: `Problem` 409 if no backing track was heard, or one was deleted.
  private func checkBacking(of manifest: Manifest) async throws {
    let recordings = recordings
    do {
      _ = try await NIOThreadPool.singleton.runIfActive { try BackingSource.all(of: manifest, in: recordings) }
    } catch let problem as ExportProblem {
      throw Problem(
        .conflict, "no-backing", "The backing track is not there", problem.description, field: "backing", value: "true",
        permitted: ["false"])
    }
  }

  /// The take with its current files and cues.
  private func source(of take: Take) async throws -> (ExportSource, manifest: [UInt8]) {
    let cues = try await index.cues(of: take.id)
    let recordings = recordings
    do {
      let (manifest, bytes, lossless) = try await NIOThreadPool.singleton.runIfActive {
        let folder = try TakeFolder(existing: take.folder, in: recordings)
        return (
          try Manifest(of: folder), try folder.read(TakeFolder.manifestName),
          try? LosslessTracks(of: take.id, in: folder)
        )
      }
      return (ExportSource(take: take, manifest: manifest, cues: cues, lossless: lossless), bytes)
    } catch let problem as FileProblem where problem.isMissing {
      throw Problem.notFound("the take's folder has no manifest; render the take again")
    }
  }

  /// The file name for downloads by browsers.
  private static func name(of take: Take, _ wish: ExportWish) -> String {
    let title = "\(take.room) - \(take.song?.title ?? "untitled") \(take.number)"
    switch wish.kind {
    case .mix:
      let perspective = wish.perspective == .asPlayed ? "mix" : wish.title
      return "\(title) - \(perspective).\(wish.format.ending)"
    case .dawproject: return "\(title).dawproject"
    case .archive: return "\(title).zip"
    case .stems, .reaper, .ardour, .audacity: return "\(title) - \(wish.kind.rawValue).zip"
    }
  }

  // MARK: Downloading

  private func file(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let job = try find(context)
    guard job.state == .done, let name = job.file else {
      let state = "the export is \(job.state.rawValue); its file is there once it is done"
      throw Problem(
        .conflict, "export-not-ready", "The export's file is not there",
        job.problem.map { "the export failed: \($0)" } ?? state,
        permitted: [ExportJob.State.done.rawValue], members: ["state": .string(job.state.rawValue)])
    }
    do {
      let file = try await RecordedFile.open(name, in: ExportMaker.path(of: job.id), of: recordings)
      let type = job.kind == .mix ? ExportFormat(rawValue: job.format)?.mediaType : "application/zip"
      return try FileResponse(
        file: file, contentType: type ?? MediaTypeName.of(file: name), downloadName: job.downloadName
      ).response(to: request)
    } catch RecordedFile.Failure.missing {
      throw Problem.unknownExport(job.id)
    }
  }
}

extension Problem {
  static func unknownExport(_ id: String) -> Problem {
    notFound("there is no export \"\(id.prefix(64))\" (any more); GET /v1/exports lists them")
  }
}
