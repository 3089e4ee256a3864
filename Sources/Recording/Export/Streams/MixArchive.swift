// Arithmetic in this file is in range: it is about positions in takes, which are bounded where they are read.

import Music

/// An encoder of the sound of an archive in one file.
package protocol MixEncoder {
  /// What a player needs to know of it: AudioSpecificConfig of AAC, or nil for Opus.
  var configuration: [UInt8]? { get }
  /// Samples of a frame.
  var frameLength: Int { get }
  /// Samples by which the decoded sound lies behind.
  var delay: Int { get }
  /// In bits a second.
  var bitrate: UInt32 { get }
  /// Takes the stereo samples of exactly one frame, and gives at most one frame.
  func encode(_ samples: [Float]) throws -> [UInt8]?
}

/// Opus as an archive's mix.
package struct OpusMixEncoder: MixEncoder {
  private let encoder: OpusEncoder
  package let configuration: [UInt8]? = nil
  package let frameLength = 960
  package let delay = OpusPacket.encoderLookahead
  package let bitrate: UInt32 = 160_000

  /// - Throws: `OpusFailure`.
  package init() throws(OpusFailure) {
    encoder = try OpusEncoder(OpusEncoder.Settings(channels: 2, bitrate: 160_000, complexity: 8))
  }

  package func encode(_ samples: [Float]) throws -> [UInt8]? { try encoder.encode(samples) }
}

/// Makes the composed file of an archive: the mixes of its spans, one after the other, in MP4.
struct MixArchive {
  private let order: StreamArchiveOrder
  private let spans: [ArchivedSpan]
  private let target: TakeFolder

  static let fileName = "archive.mp4"
  private static let partName = "span.flac"
  private static let block = 48_000

  init(_ order: StreamArchiveOrder, _ spans: [ArchivedSpan], target: TakeFolder) {
    (self.order, self.spans, self.target) = (order, spans, target)
  }

  private var length: Int64 { spans.last.map { $0.base + Int64($0.range.count) } ?? 0 }

  /// - Throws: `ExportProblem`, `FileProblem`, errors of the encoder and of `progress`; no file is left then.
  func write(_ encoder: any MixEncoder, progress: (Double?) throws -> Void) throws -> StreamArchiveFile {
    let writer = try MP4Writer(
      MixArchive.fileName, in: target, codec: encoder.configuration.map { .aac($0) } ?? .opus,
      frameLength: encoder.frameLength, delay: encoder.delay, length: length, bitrate: encoder.bitrate,
      title: order.name ?? "")
    defer { try? target.remove(MixArchive.partName) }
    let file: FinishedFile
    do {
      var frames = FrameCutter(encoder, writer)
      for span in spans {
        try read(span) { samples in
          try frames.add(samples)
          try progress(Double(frames.taken) / Double(max(1, length)))
        }
      }
      try frames.finish(MP4Writer.frames(of: length, delay: encoder.delay, frameLength: encoder.frameLength))
      file = try writer.finish()
    } catch {
      writer.abandon()
      throw error
    }
    return try StreamArchiveFile(file, in: target, length: SamplePosition(length)) { try progress(nil) }
  }

  /// Gives the span's mix to `body` in blocks of stereo samples, exactly as long as the span.
  private func read(_ span: ArchivedSpan, _ body: ([Float]) throws -> Void) throws {
    var left = Int64(span.range.count)
    if let (name, folder, start) = try sound(of: span) {
      let reader = try SoundFileReader(name, in: folder)
      guard reader.rate == Int(SamplePosition.rate) else {
        throw ExportProblem.wrongRate(file: name, rate: reader.rate)
      }
      try reader.seek(to: min(start, reader.frameCount))
      while left > 0 {
        let samples = try reader.read(frames: Int(min(left, Int64(MixArchive.block))))
        guard !samples.isEmpty else { break }
        left -= Int64(samples.count / reader.channels)
        try body(reader.channels == 2 ? samples : samples.flatMap { [$0, $0] })
      }
    }
    while left > 0 {
      let frames = min(left, Int64(MixArchive.block))
      try body([Float](repeating: 0, count: 2 * Int(frames)))
      left -= frames
    }
  }

  /// The file with the span's mix, and where the span begins in it; nil for silence.
  private func sound(of span: ArchivedSpan) throws -> (String, TakeFolder, Int64)? {
    let audible = span.manifest.audibleTracks
    let hidden = audible.filter { !span.permits($0.participant.id) }
    if hidden.isEmpty {
      guard let mix = span.manifest.files.first(where: { $0.role == .mix }) else { return nil }
      return (mix.name, span.folder, span.range.lowerBound)
    }
    guard hidden.count < audible.count else { return nil }
    var settings = MixSettings()
    for track in hidden { settings.channels[track.number] = MixSettings.Channel(isMuted: true) }
    settings.range = SamplePosition(span.range.lowerBound)..<SamplePosition(span.range.upperBound)
    let mix = MixDown(of: span.folder, manifest: span.manifest, cues: [])
    let made = try mix.write(
      MixArchive.partName, in: target, settings: settings, shifts: try mix.shifts(for: .asPlayed), format: .flac24,
      rate: Int(SamplePosition.rate), title: "")
    return (made.file.name, target, 0)
  }
}

/// Cuts samples into the frames of an encoder.
private struct FrameCutter {
  private let encoder: any MixEncoder
  private let writer: MP4Writer
  private var waiting: [Float] = []
  /// Samples taken so far.
  private(set) var taken: Int64 = 0
  private var made = 0

  init(_ encoder: any MixEncoder, _ writer: MP4Writer) {
    (self.encoder, self.writer) = (encoder, writer)
  }

  mutating func add(_ samples: [Float]) throws {
    taken += Int64(samples.count / 2)
    waiting += samples
    let frame = 2 * encoder.frameLength
    var start = 0
    while waiting.count - start >= frame {
      try encode(Array(waiting[start..<(start + frame)]))
      start += frame
    }
    waiting.removeFirst(start)
  }

  private mutating func encode(_ samples: [Float]) throws {
    guard let frame = try encoder.encode(samples) else { return }
    try writer.add(frame)
    made += 1
  }

  /// Encodes silence after the end until there are `count` frames.
  mutating func finish(_ count: Int) throws {
    let frame = 2 * encoder.frameLength
    // An encoder holds two frames back at most; one that gives nothing would be asked for ever.
    var patience = 4
    while made < count, patience > 0 {
      let silence = [Float](repeating: 0, count: frame - waiting.count)
      let before = made
      try encode(waiting + silence)
      waiting = []
      if made == before { patience -= 1 }
    }
  }
}
