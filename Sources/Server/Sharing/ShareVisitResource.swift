import HTTPTypes
import Hummingbird
import Library
import Music
import Recording
import Rooms
import Signaling

/// `/s/{secret}`: what a link opens to people without an account: a page, the chosen sounds, comments.
struct ShareVisitResource {
  let shares: Shares
  let files: TakeFilesResource
  let light: ShareLight
  /// True if the service speaks TLS itself.
  let isSecure: Bool
  let limits: ServerLimits

  var resources: [Resource] {
    [
      page("/s/:secret", EmbeddedFile.named("studio/share/share.html")),
      page("/s/:secret/embed", EmbeddedFile.named("studio/share/embed.html")),
      Resource("/s/:secret/take").on(.get, .openShare) { request, context in
        let opened = try await shares.open(request, context)
        return Response(json: try await describe(opened))
      },
      Resource("/s/:secret/password", options: [.acceptPost: MediaTypeName.json])
        .on(.post, .openShare) { request, context in try await enter(request, context) },
      Resource("/s/:secret/comments", options: [.acceptPost: MediaTypeName.json])
        .on(.post, .openShare) { request, context in try await comment(request, context) },
      Resource("/s/:secret/mix").on(.get, .openShare) { request, context in
        try await files.sendMix(of: try await mix(request, context), request)
      },
      Resource("/s/:secret/light").on(.get, .openShare) { request, context in
        guard let file = await light.find(try await mix(request, context)) else {
          throw Problem.notFound("the mix as Opus is being made; GET /s/{secret}/mix meanwhile")
        }
        return try FileResponse(file: file, contentType: ExportFormat.opus.mediaType, downloadName: nil)
          .response(to: request)
      },
      Resource("/s/:secret/peaks").on(.get, .openShare) { request, context in
        try await files.sendMixPeaks(of: try await mix(request, context), request)
      },
      Resource("/s/:secret/quality").on(.get, .openShare) { request, context in
        let opened = try await shares.open(request, context)
        let take = try ready(opened)
        let tracks = try await audible(take)
        return Response(
          json: try await ShareQuality(recordings: files.recordings).describe(
            take, tracks, areNamed: opened.share.contents.hasTracks))
      },
      Resource("/s/:secret/tracks/:track/audio").on(.get, .openShare) { request, context in
        let (take, track, file) = try await self.track(request, context)
        return try await files.sendAudio(of: track, file: file, in: take, request)
      },
      Resource("/s/:secret/tracks/:track/peaks").on(.get, .openShare) { request, context in
        let (take, track, file) = try await self.track(request, context)
        return try await files.sendPeaks(of: track, file: file, in: take, request)
      },
    ]
  }

  /// The page, also where the link does not hold: it says so, with the way out. The status is for programs.
  private func page(_ path: String, _ file: EmbeddedFile) -> Resource {
    Resource(path).on(.get, .openShare) { request, context in
      do {
        _ = try await shares.find(context)
        return file.answer(to: request)
      } catch let problem as Problem where [.notFound, .gone].contains(problem.status) {
        var response = file.whole
        response.status = problem.status
        return response
      }
    }
  }

  private func ready(_ opened: Shares.Opened) throws(Problem) -> Take {
    guard opened.take.state == .ready || opened.take.state == .incomplete else { throw Problem.notReady(opened.take) }
    return opened.take
  }

  private func mix(_ request: Request, _ context: ExchangeContext) async throws -> Take {
    let opened = try await shares.open(request, context)
    guard opened.share.contents.hasMix else { throw Problem.notFound("this link has the tracks, not the mix") }
    return try ready(opened)
  }

  private func track(_ request: Request, _ context: ExchangeContext) async throws -> (Take, Track, file: String) {
    let opened = try await shares.open(request, context)
    guard opened.share.contents.hasTracks else { throw Problem.notFound("this link has the mix, not the tracks") }
    let id: TrackID = try context.identifier("track")
    guard let track = try await audible(ready(opened)).first(where: { $0.id == id }), let file = track.file else {
      throw Problem.notFound("there is no such track; GET /s/{secret}/take lists them")
    }
    return (opened.take, track, file)
  }

  private func audible(_ take: Take) async throws -> [Track] {
    try await shares.library.index.tracks(of: take.id).filter { $0.file != nil }
  }

  /// What the page shows: nothing of the room but names, and no identifiers but those that its requests need.
  private func describe(_ opened: Shares.Opened) async throws -> JSONValue {
    let (share, take) = (opened.share, opened.take)
    let tracks = try await shares.library.index.tracks(of: take.id)
    let cues = try await shares.library.index.cues(of: take.id).filter { $0.comment?.isHidden != true }
    let isReady = take.state == .ready || take.state == .incomplete
    let hasLight = share.contents.hasMix && isReady ? await light.find(take) != nil : false
    let title = share.title ?? take.annotations.title ?? take.song?.title
    return [
      "title": .optional(title), "number": .integer(Int64(take.number)),
      "startedAt": .string(take.startedAt.description),
      "duration": take.length.map { .measure($0.seconds) } ?? .null,
      "expiresAt": .optional(share.expiresAt?.description), "mix": .bool(share.contents.hasMix),
      "light": .bool(hasLight),
      "musicians": .array(
        tracks.map { ["name": .string($0.participant.name.description), "part": .optional($0.part)] }),
      "tracks": .array(share.contents.hasTracks ? tracks.filter { $0.file != nil }.map(ShareVisitResource.track) : []),
      "cues": .array(cues.map(ShareVisitResource.cue)), "comments": .bool(share.isOpenToComments),
    ]
  }

  private static func track(_ track: Track) -> JSONValue {
    [
      "id": .string(track.id.description), "name": .string(track.participant.name.description),
      "part": .optional(track.part),
    ]
  }

  private static func cue(_ cue: Cue) -> JSONValue {
    [
      "position": .measure(cue.position.seconds), "text": .string(cue.text),
      "name": .optional(cue.comment?.name.description),
    ]
  }

  private func enter(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    try ShareVisitResource.checkOrigin(request)
    let opened = try await shares.find(context)
    let password = try await request.fields(["password"], limit: limits.body).string("password")
    var headers: HTTPFields = [.cacheControl: "no-store"]
    if let pass = try await shares.pass(for: password, to: opened) {
      let isSecure = isSecure || request.headers[.origin]?.hasPrefix("https://") == true
      headers[.setCookie] = pass.field(
        at: MonotonicClock.wall, path: "/s/\(try context.part("secret"))", isSecure: isSecure)
    }
    return .empty(.noContent, headers: headers)
  }

  private func comment(_ request: Request, _ context: ExchangeContext) async throws -> Response {
    try ShareVisitResource.checkOrigin(request)
    let opened = try await shares.open(request, context)
    guard opened.share.isOpenToComments else {
      throw Problem(RoomRefusal(.forbidden, "this link takes no comments"))
    }
    let fields = try await request.fields(["name", "text", "position"], limit: limits.body)
    let comment = CueComment(share: opened.share.id, name: try fields.displayName("name"))
    let (text, position) = (try fields.string("text"), try fields.position("position"))
    try shares.turnstile.quotas.begin(.comment, opened.visitor)
    let cue = try await shares.library.addComment(to: opened.take.id, at: position, text: text, comment: comment)
    return Response(json: ShareVisitResource.cue(cue), status: .created)
  }

  /// A page of another origin sends neither passwords nor comments in its visitors' names.
  private static func checkOrigin(_ request: Request) throws(Problem) {
    guard let origin = request.headers[.origin] else { return }
    guard AccessCookie.isOwn(origin, of: request.head.authority) else {
      throw Problem(RoomRefusal(.forbidden, "only pages of this service may send this"))
    }
  }
}
