// Arithmetic in this file is in range: it is about positions in takes, which are bounded where they are read.

import Music

/// The manifest of an archive of individual streams: OpenTok's fields, and ours with positions in samples at 48 kHz.
struct StreamManifest: Hashable, Sendable, Encodable {
  /// A time without packets inside of a file.
  struct Gap: Hashable, Sendable, Codable {
    /// On the archive's time line.
    var startSample: Int64
    var stopSample: Int64
    /// `silence` if the sender announced it, otherwise that of the take's gap: `loss`, `disconnected`, … Nil if nothing says.
    var cause: String?
  }

  struct Stretch: Hashable, Sendable, Codable {
    var startSample: Int64
    var stopSample: Int64
  }

  /// A file of a stream.
  struct File: Hashable, Sendable, Encodable {
    var connectionData: String
    var filename: String
    var size: Int64
    /// In milliseconds from the archive's beginning.
    var startTimeOffset: Int64
    var stopTimeOffset: Int64
    var streamId: String
    var layoutClass = ""
    var hasAudio = true
    var hasVideo = false

    var codec = "opus"
    var sampleRate = 48_000
    var channels: Int
    var startSample: Int64
    var stopSample: Int64
    var gaps: [Gap]
    var mutes: [Stretch]
    /// Of the sender's clock against ours, in ppm; positive means fast. The times of the packets follow it.
    var clockDrift: Double?
    /// Half width of the interval of the true position of every sample, in milliseconds.
    var errorBound: Double?
    var digest: FileDigest
    var participant: String
    var participantName: String
  }

  /// A take of which the archive has a span. Its FLAC tracks begin at the take's zero.
  struct TakeSpan: Hashable, Sendable, Encodable {
    struct Track: Hashable, Sendable, Encodable {
      var participant: String
      var participantName: String
      var filename: String
    }

    var id: String
    /// Where the span lies in the archive.
    var startSample: Int64
    var stopSample: Int64
    /// The sample of the take's files that is the span's first.
    var firstSampleOfTake: Int64
    var tracks: [Track]
  }

  var createdAt: Int64
  var id: String
  var name: String?
  var sessionId: String
  var files: [File]
  var lengthSamples: Int64
  var software: String
  var takes: [TakeSpan]

  init(_ order: StreamArchiveOrder, streams: [FinishedStream], spans: [ArchivedSpan]) {
    createdAt = order.createdAt.milliseconds
    (id, name, sessionId, software) = (order.id, order.name, order.session, order.software)
    lengthSamples = spans.last.map { $0.base + Int64($0.range.count) } ?? 0
    files = streams.map { StreamManifest.file($0, spans) }
    takes = spans.map { span in
      let tracks = span.manifest.tracks.compactMap { track in
        track.file.map { file in
          TakeSpan.Track(
            participant: track.participant.id.description, participantName: track.participant.name.description,
            filename: file)
        }
      }
      return TakeSpan(
        id: span.manifest.take.id.description, startSample: span.base, stopSample: span.base + Int64(span.range.count),
        firstSampleOfTake: span.range.lowerBound, tracks: tracks)
    }
  }

  private static func file(_ stream: FinishedStream, _ spans: [ArchivedSpan]) -> File {
    let tracks = spans.flatMap(\.manifest.tracks).filter { $0.participant.id == stream.track.participant.id }
    let alignment = tracks.first { $0.id == stream.track.trackID }?.alignment
    let mutes = stream.stay.mutes.flatMap { mute in
      spans.compactMap { $0.part(from: mute.from, to: mute.to ?? stream.stay.to) }
    }
    return File(
      connectionData: stream.stay.connectionData, filename: stream.file.name, size: stream.file.size,
      startTimeOffset: milliseconds(stream.start), stopTimeOffset: milliseconds(stream.end),
      streamId: stream.stay.stream, channels: stream.channels, startSample: stream.start, stopSample: stream.end,
      gaps: stream.gaps, mutes: mutes.map { Stretch(startSample: $0.lowerBound, stopSample: $0.upperBound) },
      clockDrift: alignment?.drift, errorBound: alignment?.errorBound, digest: stream.file.digest,
      participant: stream.track.participant.id.description, participantName: stream.stay.name)
  }

  /// Samples in milliseconds, rounded; a half is rounded up.
  static func milliseconds(_ samples: Int64) -> Int64 { (samples + 24) / 48 }
}
