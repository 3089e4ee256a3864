import Glibc
import HTTPTypes
import Hummingbird
import Music
import Recording
import Rooms
import Signaling

/// The files of finished takes: tracks, mix, peaks, manifest. Requests name them in terms of the domain, never by path.
struct TakeFilesResource {
  let index: any TakeIndex
  /// The data folder.
  let recordings: String
  let listening: ListeningRoad
  /// Where sound files may be that are not here.
  var objects: Objects?

  /// Endings of sound files that the recorder writes, the usual one first.
  private static let soundEndings = ["flac", "wav"]
  /// Longest outline to convert to JSON, in bytes: a day of music.
  private static let maximumPeaks = 40 << 20

  var resources: [Resource] {
    [
      Resource("/v1/takes/:take/mix").on(.get, .readTake) { request, context in
        try await sendMix(of: try await finished(context), request)
      },
      Resource("/v1/takes/:take/peaks").on(.get, .readTake) { request, context in
        try await sendPeaks(
          of: TakeFilesResource.mixNames[0], of: try await finished(context), as: "mix peaks", request)
      },
      Resource("/v1/takes/:take/manifest").on(.get, .readTake) { request, context in
        let take = try await finished(context)
        return try await send(firstOf: [TakeFolder.manifestName], of: take, as: nil, request)
      },
      Resource("/v1/takes/:take/quality").on(.get, .readTake) { request, context in
        try request.checkQuery(only: [])
        return try await sendQuality(of: try await finished(context), request)
      },
      Resource("/v1/takes/:take/archive").on(.get, .readTake) { request, context in
        let take = try await finished(context)
        let name = TakeFilesResource.title(of: take)
        return try await sendArchive(
          of: [(take, TakeFilesResource.folderName(name))], named: name,
          hasOriginals: try TakeFilesResource.wantsOriginals(request), request)
      },
      Resource("/v1/sessions/:session/archive").on(.get, .readTake) { request, context in
        try await sendSession(request, context)
      },
      Resource("/v1/takes/:take/tracks/:track/audio").on(.get, .readTake) { request, context in
        let (take, track, file) = try await finishedTrack(request, context)
        return try await sendAudio(of: track, file: file, in: take, request)
      },
      Resource("/v1/takes/:take/tracks/:track/listening/:segment").on(.get, .readTake) { request, context in
        try request.checkQuery(only: ["source"])
        let (take, _, file) = try await finishedTrack(request, context)
        return try await segment(of: file, in: take, request, context)
      },
      Resource("/v1/takes/:take/mix/listening/:segment").on(.get, .readTake) { request, context in
        let take = try await finished(context)
        let (_, name) = try await open(firstOf: TakeFilesResource.mixNames, of: take)
        return try await segment(of: name, in: take, request, context)
      },
      Resource("/v1/takes/:take/tracks/:track/peaks").on(.get, .readTake) { request, context in
        let (take, track, file) = try await finishedTrack(request, context)
        return try await sendPeaks(of: track, file: file, in: take, request)
      },
    ]
  }

  func sendMix(of take: Take, _ request: Request) async throws -> Response {
    try await sendSound(firstOf: TakeFilesResource.mixNames, of: take, as: "mix", request)
  }

  func sendMixPeaks(of take: Take, _ request: Request) async throws -> Response {
    try await sendPeaks(of: TakeFilesResource.mixNames[0], of: take, as: "mix peaks", request)
  }

  func sendAudio(of track: Track, file: String, in take: Take, _ request: Request) async throws -> Response {
    try await sendSound(firstOf: [file], of: take, as: TakeFilesResource.title(of: track), request)
  }

  func sendPeaks(of track: Track, file: String, in take: Take, _ request: Request) async throws -> Response {
    try await sendPeaks(of: file, of: take, as: TakeFilesResource.title(of: track) + " peaks", request)
  }

  /// The answer to a file that is missing or has something else in its place; nil for other problems. It names the file
  /// alone, because a path would tell of the machine.
  static func damaged(_ problem: FileProblem) -> Problem? {
    let name = problem.path.split(separator: "/").last.map(String.init) ?? ""
    if problem.isMissing { return Problem.notFound("\"\(name)\" is missing; run jamjar catalog check for details") }
    if problem.operation == .decode {
      return Problem.notFound("\"\(name)\" is damaged; run jamjar catalog check for details")
    }
    guard problem.isNotAFile else { return nil }
    return Problem.notFound(
      "\"\(name)\" is a link or no file, and nothing but files is sent; run jamjar catalog check for details")
  }

  private static let mixNames = soundEndings.map { TakeFolder.mixName(ending: $0) }

  private func finished(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await index.take(id) else { throw Problem.unknownTake(id.description) }
    guard take.state == .ready || take.state == .incomplete else { throw Problem.notReady(take) }
    return take
  }

  private func finishedTrack(_ request: Request, _ context: ExchangeContext) async throws -> (Take, Track, file: String)
  {
    let take = try await finished(context)
    let id: TrackID = try context.identifier("track")
    guard let track = try await index.tracks(of: take.id).first(where: { $0.id == id }) else {
      throw Problem.notFound("the take has no track \(id); GET /v1/takes/\(take.id)/tracks lists them")
    }
    guard let file = track.file else {
      throw Problem.notFound("the track of \(track.participant.name) has no file: none of its audio could be rendered")
    }
    return (take, track, try await choose(file, of: track, in: take, by: request))
  }

  /// The first existing file of `names`, with its name.
  func open(firstOf names: [String], of take: Take) async throws -> (RecordedFile, name: String) {
    if let found = try await openHere(firstOf: names, of: take) {
      await objects?.noteReading(of: take)
      return found
    }
    if let found = try await keeping(Set(names), of: take, { try await openHere(firstOf: names, of: take) }) {
      return found
    }
    throw Problem.notFound("the take's folder has no \(names.joined(separator: " or ")); render the take again")
  }

  private func openHere(firstOf names: [String], of take: Take) async throws -> (RecordedFile, name: String)? {
    for name in names {
      do {
        return (try await RecordedFile.open(name, in: take.folder, of: recordings), name)
      } catch RecordedFile.Failure.missing {
        continue
      }
    }
    return nil
  }

  /// Brings those files back that are in the object store only, and opens them before they leave again.
  func keeping<Value>(
    _ names: Set<String>?, of take: Take, _ body: () async throws -> Value
  ) async throws -> Value {
    guard let objects else { return try await body() }
    return try await objects.keeping(names, in: take.folder, body)
  }

  private func send(
    firstOf names: [String], of take: Take, as title: String?, _ request: Request
  ) async throws -> Response {
    let (file, name) = try await open(firstOf: names, of: take)
    let ending = name.split(separator: ".").last.map(String.init) ?? "dat"
    return try FileResponse(
      file: file, contentType: MediaTypeName.of(file: name),
      downloadName: title.map { TakeFilesResource.download(take, $0, ending) }
    ).response(to: request)
  }

  /// A sound file, or the stretch requested by the query.
  private func sendSound(
    firstOf names: [String], of take: Take, as title: String, _ request: Request
  ) async throws -> Response {
    guard let stretch = try SoundStretch(request) else {
      return try await send(firstOf: names, of: take, as: title, request)
    }
    let (file, name) = try await open(firstOf: names, of: take)
    let contents = try await stretch.contents(of: file, name: name, in: take, of: recordings)
    return try FileResponse(
      file: contents, contentType: MediaTypeName.flac, downloadName: TakeFilesResource.download(take, title, "flac")
    ).response(to: request)
  }

  /// The rows of every track that was measured: none in takes of older releases, and in imported ones.
  private func sendQuality(of take: Take, _ request: Request) async throws -> Response {
    do {
      let file = try await RecordedFile.open(QualityFile.name, in: take.folder, of: recordings)
      return try FileResponse(file: file, contentType: MediaTypeName.json, downloadName: nil).response(to: request)
    } catch RecordedFile.Failure.missing {
      return Response(json: [
        "version": .integer(Int64(QualityFile.currentVersion)), "take": .string(take.id.description),
        "interval": .measure(QualityReading.interval), "tracks": [],
      ])
    }
  }

  /// The outline of a sound file: binary, or JSON on request.
  private func sendPeaks(of sound: String, of take: Take, as title: String, _ request: Request) async throws -> Response
  {
    let name = TakeFolder.peaksName(for: sound)
    guard try TakeFilesResource.wantsJSON(request) else {
      var response = try await send(firstOf: [name], of: take, as: title, request)
      response.headers[.vary] = "Accept"
      return response
    }
    let (file, _) = try await open(firstOf: [name], of: take)
    guard file.size <= Int64(TakeFilesResource.maximumPeaks),
      let json = Peaks.json(ofBinary: try await file.read(at: 0, count: Int(file.size)))
    else {
      throw Problem.notFound("the outline of \(sound) cannot be read; render the take again")
    }
    let contents = DerivedContents(
      bytes: json, modified: file.modified, tag: EntityTag("\(file.tag.value)-json"))
    var response = try FileResponse(
      file: contents, contentType: MediaTypeName.json,
      downloadName: TakeFilesResource.download(take, title, "json")
    ).response(to: request)
    response.headers[.vary] = "Accept"
    return response
  }

  /// True if the parameter `format`, or otherwise the field `Accept`, asks for JSON.
  private static func wantsJSON(_ request: Request) throws(Problem) -> Bool {
    try request.checkQuery(only: ["format", "source"])
    switch request.query("format") {
    case "json": return true
    case "binary": return false
    case let other?:
      throw Problem.invalid(
        "format", value: other, "there is no format \"\(other.prefix(64))\" of an outline",
        permitted: ["json", "binary"])
    case nil:
      let accept = request.headers[.accept] ?? ""
      return accept.lowercased().contains(MediaTypeName.json) && MediaTypeName.accepts(accept, MediaTypeName.json)
    }
  }

  /// True if the parameter `originals` says so.
  static func wantsOriginals(_ request: Request) throws(Problem) -> Bool {
    switch request.query("originals") {
    case "true": return true
    case "false", nil: return false
    case let other?:
      throw Problem.invalid(
        "originals", value: other, "\"originals\" is either true or false", permitted: ["true", "false"])
    }
  }

  private static func download(_ take: Take, _ title: String, _ ending: String) -> String {
    "\(TakeFilesResource.title(of: take)) - \(title).\(ending)"
  }

  static func title(of take: Take) -> String {
    "\(take.room) - \(take.song?.title ?? "untitled") \(take.number)"
  }

  private static func title(of track: Track) -> String {
    "\(track.participant.name)\(track.part.map { " (\($0))" } ?? "")"
  }
}
