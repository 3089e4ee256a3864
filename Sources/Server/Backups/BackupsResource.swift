import HTTPTypes
import Hummingbird
import Library
import Music
import Recording
import Rooms
import Signaling

/// `/v1/backups`: lossless copies from the musicians' own machines, as resumable uploads.
///
/// A musician's join token for the take's room is enough, because a musician's page sends it.
struct BackupsResource {
  let backups: Backups
  let quotas: Quotas
  let usage: RoomUsage
  let limits: ServerLimits

  private static let fields = ["participant", "sampleRate", "channels", "format", "startedAt", "device"]

  var resources: [Resource] {
    [
      Resource("/v1/takes/:take/backups", options: [.acceptPost: MediaTypeName.json])
        .on(.get, .readBackup) { request, context in
          let take = try await take(try context.part("take"), context)
          let items = backups.uploads(of: take.id).map { JSONValue.object(Representation.backup($0.now)) }
          return Response(json: Representation.list(items, next: nil))
        }
        .on(.post, .backUp) { request, context in try await create(request, context) },
      Resource("/v1/backups/:backup/original").on(.get, .readBackup) { request, context in
        try await original(request, context)
      },
      Resource("/v1/backups/:backup", options: [.acceptPatch: UploadHeaders.partialUpload])
        .on(.get, .readBackup) { request, context in
          let (upload, _) = try await find(context)
          let contents = upload.now
          return Response(json: .object(Representation.backup(contents)), headers: headers(contents))
        }
        .on(.patch, .backUp) { request, context in try await append(request, context) }
        .on(.delete, .backUp) { _, context in
          let (upload, take) = try await find(context)
          // It is a part of the take by now.
          if upload.now.backup.state == .ready {
            try Authorisation.check(
              context.grant.principal, .removeLossless, on: .part(of: take.room), at: .rest)
          }
          try await backups.remove(upload)
          return .empty(.noContent)
        },
    ]
  }

  // MARK: Permission

  /// The take, if the request may access it.
  private func take(_ text: String, _ context: ExchangeContext) async throws -> Take {
    guard let id = TakeID(text), let take = try await backups.index.take(id) else { throw Problem.unknownTake(text) }
    return take
  }

  func find(_ context: ExchangeContext) async throws -> (BackupUpload, Take) {
    let text = try context.part("backup")
    guard let id = BackupID(text), let upload = backups.upload(id),
      let take = try await backups.index.take(upload.take)
    else { throw Problem.unknownBackup(text) }
    return (upload, take)
  }

  private func headers(_ contents: BackupUpload.Contents) -> HTTPFields {
    [
      .uploadOffset: "\(contents.received)", .uploadComplete: contents.backup.bytes != nil ? "?1" : "?0",
      .uploadLimit: "max-append-size=\(limits.upload), max-size=\(contents.backup.limit)",
    ]
  }

  // MARK: Beginning

  private func create(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let take = try await take(try context.part("take"), context)
    try quotas.begin(.upload, context.caller, room: take.room)
    let fields = try await request.fields(BackupsResource.fields, limit: limits.body)
    let backup = try backup(fields, of: take)
    guard take.deletedAt == nil else { throw LibraryError.takeDeleted(take.id).problem }
    if take.state == .ready || take.state == .incomplete {
      let tracks = try await backups.index.tracks(of: take.id)
      guard tracks.contains(where: { $0.participant.id == backup.participant }) else {
        throw Problem(
          .conflict, "no-track", "The take has no such track",
          "the take has no track of this participant, so nothing of theirs is kept", field: "participant",
          value: backup.participant.description, permitted: tracks.map(\.participant.id.description))
      }
    }
    try await usage.check(take.room)
    let upload = try await backups.create(backup, of: take)
    let contents = upload.now
    var headers = headers(contents)
    headers[.location] = "/v1/backups/\(backup.id)"
    return Response(json: .object(Representation.backup(contents)), status: .created, headers: headers)
  }

  private func backup(_ fields: BodyFields, of take: Take) throws(Problem) -> Backup {
    let text = try fields.string("participant")
    guard let participant = ParticipantID(text) else {
      throw Problem.invalid(
        "participant", value: text, "\"participant\" must be the musician's id from joining, 26 characters")
    }
    let rates = Int64(Backup.rates.lowerBound)...Int64(Backup.rates.upperBound)
    let rate = try fields.integer("sampleRate", in: rates)
    let counts = Int64(Backup.channelCounts.lowerBound)...Int64(Backup.channelCounts.upperBound)
    let channels = try fields.integer("channels", in: counts)
    _ = try fields.word("format", among: ["s24le": true])
    var startedAt: WallTime?
    if let text = try fields.optionalString("startedAt") {
      let range = Backup.beginnings
      guard let time = WallTime(text), range.contains(time) else {
        throw Problem.invalid(
          "startedAt", value: text,
          "\"startedAt\" must be a time of RFC 3339, such as 2026-11-21T19:04:05.123Z, from 1970 to 2199",
          permitted: ["\(range.lowerBound)…\(range.upperBound)"])
      }
      startedAt = time
    }
    let device = try fields.optionalString("device").flatMap { $0.isEmpty ? nil : $0 }
    if let device {
      do throws(ValueProblem) {
        try TextKind.device.check(device)
      } catch {
        throw Problem.invalid("device", value: device, error.description, permitted: [error.permitted])
      }
    }
    let now = MonotonicClock.wall
    return Backup(
      id: BackupID(at: now), take: take.id, participant: participant, sampleRate: Int(rate), channels: Int(channels),
      startedAt: startedAt, device: device, createdAt: now)
  }

  // MARK: Receiving

  private func append(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    let (upload, take) = try await find(context)
    let piece = try UploadHeaders(request.headers)
    let hold = try quotas.hold(.transfer, context.caller, room: take.room)
    defer { hold.release() }
    let bytes = try await request.binary(of: UploadHeaders.partialUpload, limit: limits.upload)
    guard take.deletedAt == nil else { throw LibraryError.takeDeleted(take.id).problem }
    try await usage.check(take.room)
    let contents = try await backups.append(
      bytes, at: piece.offset, isLast: piece.isLast, to: upload, of: take)
    return .empty(.noContent, headers: headers(contents))
  }
}

extension Problem {
  static func unknownBackup(_ id: String) -> Problem {
    notFound("there is no backup \"\(id.prefix(64))\" (any more); GET /v1/takes/{take}/backups lists a take's")
  }
}
