// Arithmetic in this file is in range: it is about positions in takes, which are bounded where they are read.

import Foundation
import Music

/// Makes an archive of individual streams: a ZIP with a WebM file for each stream and one manifest.
///
/// The Opus packets are those that were sent. Each has the time at which the take's tracks play it, so that the files
/// are aligned with these, and with each other.
struct StreamArchive {
  private let order: StreamArchiveOrder
  private let spans: [ArchivedSpan]
  private let target: TakeFolder

  static let fileName = "archive.zip"
  /// Samples of a millisecond.
  private static let millisecond: Int64 = 48
  /// A packet that begins this long before the end of the one before it is a copy: of the seam between two takes. 5 ms.
  private static let overlap: Int64 = 240

  init(_ order: StreamArchiveOrder, _ spans: [ArchivedSpan], target: TakeFolder) {
    (self.order, self.spans, self.target) = (order, spans, target)
  }

  var length: Int64 { spans.last.map { $0.base + Int64($0.range.count) } ?? 0 }

  /// - Throws: `FileProblem`, `JournalDamage`, `RenderProblem`, `OpusFailure`, `ZIPProblem`, and errors of `progress`; no
  ///   file is left then.
  func write(progress: (Double?) throws -> Void) throws -> StreamArchiveFile {
    var files = StreamFiles(order, in: target)
    defer { files.remove() }
    for span in spans {
      var frames = 0
      try PlacedPackets.read(
        span.folder, manifest: span.manifest,
        proceed: {
          frames += 1
          if frames % 1_024 == 0 { try progress(nil) }
        },
        { packet in
          guard span.range.contains(packet.place), span.permits(packet.track.participant.id) else { return }
          let place = span.place(of: packet.place)
          let file = try files.file(for: packet, in: span, at: place)
          guard place >= file.end - StreamArchive.overlap else { return }
          try file.add(packet, at: place, in: span)
        })
      try progress(span.base == 0 ? nil : Double(span.base) / Double(max(1, length)))
    }
    let streams = try files.finish()
    let manifest = StreamManifest(order, streams: streams, spans: spans)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let modified = spans.last?.manifest.take.endedAt ?? order.createdAt
    var members = [
      ZIPArchive.Member(
        name: "\(order.id).json", source: .bytes(Array(try encoder.encode(manifest)) + [UInt8(ascii: "\n")]),
        modified: modified)
    ]
    for stream in streams {
      members.append(
        ZIPArchive.Member(name: stream.file.name, source: .file(stream.file.name, in: target), modified: modified))
    }
    let archive = try ZIPArchive(members).write(StreamArchive.fileName, in: target) { try progress($0) }
    return try StreamArchiveFile(archive, in: target, length: SamplePosition(length)) { try progress(nil) }
  }
}

/// The WebM files of an archive while they are written, by their streams.
struct StreamFiles {
  private let order: StreamArchiveOrder
  private let folder: TakeFolder
  private var files: [String: StreamFile] = [:]
  /// The stream of each source of each musician.
  private var streams: [Source: StreamArchiveOrder.Stay] = [:]

  private struct Source: Hashable {
    var participant: ParticipantID
    var number: UInt32
    /// A further track of the same sender.
    var track: Int
    var take: TakeID
  }

  /// How long after its first packet a stream may have been noticed, in seconds.
  private static let notice = Duration.seconds(2)

  init(_ order: StreamArchiveOrder, in folder: TakeFolder) {
    (self.order, self.folder) = (order, folder)
  }

  /// The file of a packet's stream, which is begun with its first packet.
  mutating func file(
    for packet: PlacedPackets.Packet, in span: ArchivedSpan, at place: Int64
  ) throws(FileProblem) -> StreamFile {
    let source = Source(
      participant: packet.track.participant.id, number: packet.source, track: packet.number,
      take: span.manifest.take.id)
    let stay = streams[source] ?? stay(of: packet, in: span)
    streams[source] = stay
    if let file = files[stay.stream] { return file }
    let channels = span.manifest.tracks.first { $0.number == packet.number }?.channels ?? 2
    let labels = MatroskaWriter.Labels(title: stay.name, software: order.software)
    let file = StreamFile(
      stay, track: packet.track, channels: channels, start: place,
      writer: try MatroskaWriter("\(stay.stream).webm", in: folder, channels: channels, labels: labels))
    files[stay.stream] = file
    return file
  }

  /// The last stream of the musician that had begun when the packet came.
  private func stay(of packet: PlacedPackets.Packet, in span: ArchivedSpan) -> StreamArchiveOrder.Stay {
    let participant = packet.track.participant
    let own = order.stays.filter { $0.participant == participant.id }
    let begun = own.last { $0.from <= packet.arrival + StreamFiles.notice } ?? own.first
    var stay =
      begun
      ?? StreamArchiveOrder.Stay(
        stream: packet.track.trackID.description, participant: participant.id, name: participant.name.description,
        connectionData: participant.name.description, from: packet.arrival)
    // Stems of one sender are files of their own: their packets are at the same times.
    let isTaken =
      files[stay.stream].map { $0.track.trackID != packet.track.trackID && $0.take == span.order.take } ?? false
    if isTaken { stay.stream += "-\(packet.number)" }
    return stay
  }

  /// Ends all files.
  /// - Throws: `FileProblem`.
  func finish() throws(FileProblem) -> [FinishedStream] {
    var finished: [FinishedStream] = []
    for file in files.values.sorted(by: { ($0.start, $0.stay.stream) < ($1.start, $1.stay.stream) }) {
      finished.append(try file.finish())
    }
    return finished
  }

  /// Removes the files, whether finished or not: the ZIP has them.
  func remove() {
    for file in files.values { file.abandon(in: folder) }
  }
}

/// The WebM file of one stream.
final class StreamFile {
  let stay: StreamArchiveOrder.Stay
  let track: JournalTrack
  let channels: Int
  /// On the archive's time line.
  let start: Int64
  private let writer: MatroskaWriter
  /// One past the last sample.
  private(set) var end: Int64
  private(set) var gaps: [StreamManifest.Gap] = []
  /// The take of the latest packet.
  private(set) var take: TakeID?
  private var isSilenceAnnounced = false

  private static let mostGaps = 10_000
  /// Shorter ones are the bending of clocks: 5 ms.
  private static let shortestGap: Int64 = 240

  init(
    _ stay: StreamArchiveOrder.Stay, track: JournalTrack, channels: Int, start: Int64, writer: MatroskaWriter
  ) {
    (self.stay, self.track, self.channels, self.start, self.writer) = (stay, track, channels, start, writer)
    end = start
  }

  func add(_ packet: PlacedPackets.Packet, at place: Int64, in span: ArchivedSpan) throws(FileProblem) {
    if place - end > StreamFile.shortestGap, gaps.count < StreamFile.mostGaps {
      gaps.append(
        StreamManifest.Gap(
          startSample: end, stopSample: place,
          cause: isSilenceAnnounced ? "silence" : cause(from: end, to: place, of: packet.number, in: span)))
    }
    // Rounded on the archive's time line, so that file and offset together are half a millisecond off at most.
    let time = StreamManifest.milliseconds(place) - StreamManifest.milliseconds(start)
    try writer.add(packet.payload, at: time, length: StreamManifest.milliseconds(Int64(packet.opus.duration)))
    end = max(end, place + Int64(packet.opus.duration))
    isSilenceAnnounced = packet.opus.isDiscontinuous
    take = span.order.take
  }

  /// Why there are no packets, as the take says.
  private func cause(from: Int64, to: Int64, of number: Int, in span: ArchivedSpan) -> String? {
    let gaps = span.manifest.tracks.first { $0.number == number }?.gaps ?? []
    return gaps.first { gap in
      let start = span.place(of: gap.start.samples)
      return start < to && start + gap.length.samples > from
    }?.cause.rawValue
  }

  func finish() throws(FileProblem) -> FinishedStream {
    FinishedStream(
      stay: stay, track: track, channels: channels, start: start, end: end, gaps: gaps, file: try writer.finish())
  }

  func abandon(in folder: TakeFolder) {
    writer.abandon()
    try? folder.remove("\(stay.stream).webm")
  }
}

/// A stream whose file is complete.
struct FinishedStream {
  var stay: StreamArchiveOrder.Stay
  var track: JournalTrack
  var channels: Int
  var start: Int64
  var end: Int64
  var gaps: [StreamManifest.Gap]
  var file: FinishedFile
}
