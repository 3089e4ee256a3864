import Hummingbird
import Music
import NIOPosix
import Recording

extension TakeFilesResource {
  /// The file for the parameter `source`: the track itself or its lossless version.
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
  /// The lossless tracks of a take; nil if there are none or their list cannot be read. The ordinary tracks exist in
  /// either case.
  static func known(of take: Take, in root: String) async -> LosslessTracks? {
    try? await NIOThreadPool.singleton.runIfActive {
      try LosslessTracks(of: take.id, in: TakeFolder(existing: take.folder, in: root))
    }
  }
}
