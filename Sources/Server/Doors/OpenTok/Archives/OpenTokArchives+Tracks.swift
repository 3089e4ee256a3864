import Music
import Recording
import Signaling

extension OpenTokArchives {
  /// A lossless track of a take of an archive.
  struct ArchivedTrack: Sendable {
    var take: TakeID
    /// The take's folder.
    var folder: String
    var track: Track
    /// Where the span lies in the archive, and its first sample in the track's file.
    var start: Int64
    var end: Int64
    var first: Int64
  }

  /// The lossless tracks of an archive, in order. Takes that were deleted have none.
  func tracks(of archive: OpenTokArchive) async throws -> [ArchivedTrack] {
    var tracks: [ArchivedTrack] = []
    var base: Int64 = 0
    for span in archive.spans {
      guard let take = try await index.take(span.take), take.deletedAt == nil, let whole = take.length?.samples else {
        continue
      }
      let first = min(max(0, span.from.samples), whole)
      let last = min(max(first, span.to?.samples ?? whole), whole)
      guard first < last else { continue }
      let length = last &- first
      for track in try await index.tracks(of: take.id) where span.only?.contains(track.participant.id) ?? true {
        tracks.append(
          ArchivedTrack(
            take: take.id, folder: take.folder, track: track, start: base, end: base &+ length, first: first))
      }
      base &+= length
    }
    return tracks
  }
}
