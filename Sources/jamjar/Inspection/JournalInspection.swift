import Machines
import Music
import Recording
import Signaling

/// Statistics of a journal's contents.
struct JournalInspection {
  let path: String
  let header: JournalHeader
  /// Length of the file in bytes.
  let size: Int64
  /// Bytes of whole frames.
  let goodLength: Int64
  /// Bytes of an incomplete frame at the end: torn, or still being written.
  let tornBytes: Int64
  let damages: [JournalDamage]
  /// Bytes unreadable because of damage.
  let skippedBytes: Int64
  /// Frames missing from the numbering, and frames of a newer release.
  let missingFrames: Int
  let unknownFrames: Int
  private(set) var counts: [String: Int] = [:]
  /// Times of the first and the last frame.
  private(set) var first: MonotonicTime?
  private(set) var last: MonotonicTime?
  private(set) var end: JournalEnd?
  private(set) var tracks: [Int: TrackInspection] = [:]

  /// Reads a whole journal.
  ///
  /// - Parameter each: called with every frame as it is read, and the journal's header.
  /// - Throws: `FileProblem`; `JournalDamage` if not even the header can be read.
  init(_ file: JournalFile, each: (JournalFrame, JournalHeader) -> Void = { _, _ in }) throws {
    var follower = JournalFollower(file)
    var counts: [String: Int] = [:]
    var tracks: [Int: TrackInspection] = [:]
    while let frame = try follower.next(isComplete: true) {
      if let header = follower.header { each(frame, header) }
      counts[frame.kindName, default: 0] += 1
      first = first ?? frame.time
      last = frame.time
      // Frames after an end were appended by mistake or by a recovery: only the last end counts.
      if case .end(_, let reason) = frame { end = reason } else { end = nil }
      if let track = frame.track { tracks[track, default: TrackInspection(number: track)].take(frame) }
    }
    guard let header = follower.header else {
      throw JournalDamage.damagedHeader("the file ends within it (\(file.size) bytes)")
    }
    path = file.path
    self.header = header
    size = file.size
    goodLength = follower.goodLength
    tornBytes = Int64(follower.pendingBytes)
    damages = follower.damages
    skippedBytes = follower.skippedBytes
    missingFrames = follower.missingFrames
    unknownFrames = follower.unknownFrames
    self.counts = counts
    self.tracks = tracks
  }

  /// Seconds from the take's zero.
  func seconds(_ time: MonotonicTime?) -> Double? { time.map { ($0 - header.zero).seconds } }

  /// Tracks by number.
  var orderedTracks: [TrackInspection] { tracks.values.sorted { $0.number < $1.number } }

  var json: JSONValue {
    func measure(_ value: Double?) -> JSONValue { value.map(JSONValue.measure) ?? .null }
    return [
      "path": .string(path), "version": .integer(Int64(header.version)), "take": .string(header.take.description),
      "number": .integer(Int64(header.number)), "room": .string(header.room.description),
      "session": .string(header.session.description),
      "song": header.song.map { ["id": .string($0.id.description), "title": .string($0.title)] } ?? .null,
      "startedAt": .string(header.startedAt.description), "software": .string(header.software),
      "options": .object(JSONObject(header.options.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })),
      "size": .integer(size), "goodLength": .integer(goodLength), "tornBytes": .integer(tornBytes),
      "damages": .array(damages.map { ["offset": .integer($0.offset), "reason": .string($0.description)] }),
      "skippedBytes": .integer(skippedBytes), "missingFrames": .integer(Int64(missingFrames)),
      "unknownFrames": .integer(Int64(unknownFrames)),
      "frames": .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, .integer(Int64($0.value))) })),
      "first": measure(seconds(first)), "last": measure(seconds(last)), "end": .optional(end.map { "\($0)" }),
      "tracks": .array(orderedTracks.map { $0.json(from: header.zero) }),
    ]
  }
}
