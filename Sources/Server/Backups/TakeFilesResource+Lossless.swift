import Hummingbird
import Music
import NIOPosix
import Recording

extension TakeFilesResource {
  /// The file that the parameter `source` means: the track's own, or its lossless version.
  func choose(_ own: String, of track: Track, in take: Take, by request: Request) async throws -> String {
    guard let text = request.query("source") else { return own }
    guard let source = TrackSource(rawValue: text) else {
      throw Problem.invalid(
        "source", value: text, "there is no source \"\(text.prefix(64))\" of a track",
        permitted: TrackSource.allCases.map(\.rawValue))
    }
    guard source == .lossless else { return own }
    guard let entry = await LosslessTracks.known(of: take, in: recordings)?.entry(of: track) else {
      throw Problem.notFound(
        "the track of \(track.participant.name) has no lossless version; \"lossless\" of GET "
          + "/v1/takes/\(take.id)/tracks tells which have one")
    }
    return entry.sound.name
  }
}

extension LosslessTracks {
  /// The lossless tracks of a take; nil where there are none, or what tells of them cannot be read: the tracks
  /// themselves are there all the same.
  static func known(of take: Take, in root: String) async -> LosslessTracks? {
    try? await NIOThreadPool.singleton.runIfActive {
      try LosslessTracks(of: take.id, in: TakeFolder(existing: take.folder, in: root))
    }
  }
}
