import HTTPTypes
import Hummingbird
import Library
import Music
import Recording
import Rooms
import Signaling

/// `/v1/imports`: takes of existing recordings, which are sent as resumable uploads.
struct ImportsResource {
  let imports: Imports
  let quotas: Quotas
  let usage: RoomUsage
  let limits: ServerLimits

  var resources: [Resource] {
    [
      Resource("/v1/imports", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .listImports) { request, context in
          try request.checkQuery(only: [])
          let jobs = imports.list.filter { context.grant.principal.reaches($0.room) }
          return Response(json: Representation.list(jobs.map { .object(representation(of: $0)) }, next: nil))
        }
        .on(.post, .beginImport) { request, context in try await create(request, context) },
      Resource("/v1/imports/:import")
        .on(.get, .importTakes) { _, context in Response(json: .object(representation(of: try find(context).job))) }
        .on(.delete, .importTakes) { _, context in
          await imports.remove(try find(context))
          return .empty(.noContent)
        },
      Resource("/v1/imports/:import/files/:file", options: [.acceptPatch: UploadHeaders.partialUpload])
        .on(.get, .importTakes) { _, context in
          let (entry, index) = try file(context)
          let job = entry.job
          let files = representation(of: job)["files"]?.array ?? []
          return Response(
            json: files.indices.contains(index) ? files[index] : .null, headers: headers(job.files[index], of: job))
        }
        .on(.patch, .importTakes) { request, context in try await append(request, context) },
    ]
  }

  private func representation(of job: ImportJob) -> JSONObject {
    Representation.importing(job, retention: imports.configuration.retention)
  }

  /// The import named by the path.
  private func find(_ context: ExchangeContext) throws(Problem) -> ImportEntry {
    let text = try context.part("import")
    guard let id = ImportID(text), let entry = imports.entry(id) else { throw Problem.unknownImport(text) }
    return entry
  }

  /// The file named by the path, by its index.
  private func file(_ context: ExchangeContext) throws(Problem) -> (ImportEntry, Int) {
    let entry = try find(context)
    let text = try context.part("file")
    let count = entry.job.files.count
    guard let number = Int(text), (1...count).contains(number) else {
      throw Problem.notFound("\"\(text.prefix(64))\" is no file of the import; they have the numbers 1 to \(count)")
    }
    return (entry, number - 1)
  }

  private func headers(_ file: ImportJob.File, of job: ImportJob) -> HTTPFields {
    let rest = imports.configuration.bytes &- job.received &+ file.received
    return [
      .uploadOffset: "\(file.received)", .uploadComplete: file.isComplete ? "?1" : "?0",
      .uploadLimit: "max-append-size=\(limits.upload), max-size=\(max(0, rest))",
    ]
  }

  // MARK: Beginning

  private func create(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    try quotas.begin(.importing, context.caller)
    let fields = try await request.fields(ImportFields.names, limit: limits.body)
    let job = try ImportFields(limit: imports.configuration.files).job(fields, at: MonotonicClock.wall)
    try Authorisation.check(context.grant.principal, .importTakes, on: .room(job.room), at: .rest)
    try await usage.check(job.room, others: imports.bytes(of: job.room))
    let entry = try await imports.create(job)
    return Response(
      json: .object(representation(of: entry.job)), status: .created,
      headers: [.location: "/v1/imports/\(job.id)"])
  }

  // MARK: Receiving

  private func append(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let (entry, index) = try file(context)
    let piece = try UploadHeaders(request.headers)
    let hold = try quotas.hold(.transfer, context.caller, room: entry.room)
    defer { hold.release() }
    let bytes = try await request.binary(of: UploadHeaders.partialUpload, limit: limits.upload)
    try await usage.check(entry.room, others: imports.bytes(of: entry.room))
    let file = try await imports.append(bytes, piece, to: index, of: entry)
    return .empty(.noContent, headers: headers(file, of: entry.job))
  }
}

extension Problem {
  static func unknownImport(_ id: String) -> Problem {
    notFound("there is no import \"\(id.prefix(64))\" (any more); GET /v1/imports lists them")
  }
}
