import Hummingbird
import Music
import Recording
import Rooms
import Signaling

/// The files of finished takes: tracks, mix, peaks, manifest; by name of the domain, never by a path from outside.
struct TakeFilesResource {
  let index: any TakeIndex
  /// The data folder.
  let recordings: String

  /// Endings of sound files that the recorder writes, the usual one first.
  private static let soundEndings = ["flac", "wav"]

  var resources: [Resource] {
    [
      Resource("/v1/takes/:take/mix").on(.get) { request, context in
        let take = try await finished(context)
        return try await sendFirst(
          of: TakeFilesResource.soundEndings.map { TakeFolder.mixName(ending: $0) }, of: take, as: "mix", request)
      },
      Resource("/v1/takes/:take/peaks").on(.get) { request, context in
        let take = try await finished(context)
        let mix = TakeFolder.mixName(ending: TakeFilesResource.soundEndings[0])
        return try await sendFirst(of: [TakeFolder.peaksName(for: mix)], of: take, as: "mix peaks", request)
      },
      Resource("/v1/takes/:take/manifest").on(.get) { request, context in
        let take = try await finished(context)
        return try await sendFirst(of: [TakeFolder.manifestName], of: take, as: nil, request)
      },
      Resource("/v1/takes/:take/tracks/:track/audio").on(.get) { request, context in
        let (take, track, file) = try await finishedTrack(context)
        return try await sendFirst(of: [file], of: take, as: TakeFilesResource.title(of: track), request)
      },
      Resource("/v1/takes/:take/tracks/:track/peaks").on(.get) { request, context in
        let (take, track, file) = try await finishedTrack(context)
        return try await sendFirst(
          of: [TakeFolder.peaksName(for: file)], of: take, as: TakeFilesResource.title(of: track) + " peaks", request)
      },
    ]
  }

  private func finished(_ context: ExchangeContext) async throws -> Take {
    let id: TakeID = try context.identifier("take")
    guard let take = try await index.take(id) else { throw Problem.unknownTake(id.description) }
    guard take.state == .ready || take.state == .incomplete else { throw Problem.notReady(take) }
    return take
  }

  private func finishedTrack(_ context: ExchangeContext) async throws -> (Take, Track, file: String) {
    let take = try await finished(context)
    let id: TrackID = try context.identifier("track")
    guard let track = try await index.tracks(of: take.id).first(where: { $0.id == id }) else {
      throw Problem.notFound("the take has no track \(id); GET /v1/takes/\(take.id)/tracks lists them")
    }
    guard let file = track.file else {
      throw Problem.notFound("the track of \(track.participant.name) has no file: no audio of theirs could be rendered")
    }
    return (take, track, file)
  }

  private func sendFirst(
    of names: [String], of take: Take, as title: String?, _ request: Request
  ) async throws -> Response {
    for name in names {
      do {
        let file = try await RecordedFile.open(name, in: take.folder, of: recordings)
        let ending = name.split(separator: ".").last.map(String.init) ?? "dat"
        let download = title.map { "\(TakeFilesResource.title(of: take)) - \($0).\(ending)" }
        return try FileResponse(file: file, contentType: MediaTypeName.of(file: name), downloadName: download)
          .response(to: request)
      } catch RecordedFile.Failure.missing {
        continue
      }
    }
    throw Problem.notFound("the take's folder has no \(names.joined(separator: " or ")); render the take again")
  }

  private static func title(of take: Take) -> String {
    "\(take.room) - \(take.song?.title ?? "untitled") \(take.number)"
  }

  private static func title(of track: Track) -> String {
    "\(track.participant.name)\(track.part.map { " (\($0))" } ?? "")"
  }
}
