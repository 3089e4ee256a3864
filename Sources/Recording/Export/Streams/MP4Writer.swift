// Arithmetic in this file is in range: it counts bytes and samples of a file that is being written.

import Music

/// Writes one track of sound into an MP4 file (ISO/IEC 14496-12) whose index comes first, so that players begin before they
/// have all of it.
///
/// The number of frames is known from the start; the index is written at the end, into the room that was left for it.
final class MP4Writer {
  enum Codec: Hashable, Sendable {
    /// AAC with its AudioSpecificConfig (ISO/IEC 14496-3).
    case aac([UInt8])
    /// Opus (the "Opus in ISOBMFF" encapsulation).
    case opus
  }

  /// Frames of a chunk: about a second.
  private static let chunk = 50
  private static let rate: UInt32 = 48_000

  private let output: OutputFile
  private let name: String
  private let codec: Codec
  /// Samples of each frame.
  private let frameLength: Int
  /// Samples of the encoder's delay, which players leave out.
  private let delay: Int
  /// Samples of the sound.
  private let length: Int64
  private let bitrate: UInt32
  private let frameCount: Int
  private let title: String
  private var sizes: [UInt32] = []
  private var chunks: [Int64] = []
  private let moviePlace: Int64
  private let dataPlace: Int64

  /// The number of frames for a sound with the encoder's delay.
  static func frames(of length: Int64, delay: Int, frameLength: Int) -> Int {
    Int((length + Int64(delay) + Int64(frameLength) - 1) / Int64(frameLength))
  }

  /// - Throws: `FileProblem`.
  init(
    _ name: String, in folder: TakeFolder, codec: Codec, frameLength: Int, delay: Int, length: Int64, bitrate: UInt32,
    title: String
  ) throws(FileProblem) {
    output = try OutputFile(name, in: folder)
    self.name = name
    (self.codec, self.frameLength, self.delay, self.length) = (codec, frameLength, delay, length)
    (self.bitrate, self.title) = (bitrate, title)
    frameCount = MP4Writer.frames(of: length, delay: delay, frameLength: frameLength)
    let type = MP4Box("ftyp", Array("M4A ".utf8) + MP4Box.number(0, 4) + Array("M4A isomiso2mp42".utf8))
    moviePlace = Int64(type.bytes.count)
    // As long as it will be: every number in it has its width.
    let chunkCount = (frameCount + MP4Writer.chunk - 1) / MP4Writer.chunk
    let movie = MP4Writer.movie(
      codec, sizes: [UInt32](repeating: 0, count: frameCount), chunks: [Int64](repeating: 0, count: chunkCount),
      frameLength: frameLength, delay: delay, length: length, bitrate: bitrate, title: title)
    dataPlace = moviePlace + Int64(movie.count)
    do throws(FileProblem) {
      try output.put(type.bytes + movie)
      // A length of 64 bits follows.
      try output.put(MP4Box.number(1, 4) + Array("mdat".utf8) + MP4Box.number(0, 8))
    } catch {
      output.abandon()
      throw error
    }
  }

  /// Adds a frame; those beyond the announced number are left out.
  /// - Throws: `FileProblem`.
  func add(_ frame: [UInt8]) throws(FileProblem) {
    guard sizes.count < frameCount else { return }
    if sizes.count % MP4Writer.chunk == 0 { chunks.append(output.length) }
    sizes.append(UInt32(clamping: frame.count))
    try output.put(frame)
  }

  /// Ends the file.
  /// - Throws: `FileProblem`; no file is left then.
  func finish() throws(FileProblem) -> FinishedFile {
    do throws(FileProblem) {
      guard sizes.count == frameCount else {
        throw FileProblem(
          path: output.path, operation: .write, code: 0,
          detail: "it has \(sizes.count) frames of \(frameCount): the encoder made too few")
      }
      try output.put(MP4Box.number(UInt64(output.length - dataPlace), 8), at: dataPlace + 8)
      try output.put(
        MP4Writer.movie(
          codec, sizes: sizes, chunks: chunks, frameLength: frameLength, delay: delay, length: length,
          bitrate: bitrate, title: title), at: moviePlace)
      let (size, digest) = try output.finish()
      return FinishedFile(name: name, size: size, digest: digest)
    } catch {
      output.abandon()
      throw error
    }
  }

  func abandon() { output.abandon() }

  // MARK: The index

  private static func movie(
    _ codec: Codec, sizes: [UInt32], chunks: [Int64], frameLength: Int, delay: Int, length: Int64, bitrate: UInt32,
    title: String
  ) -> [UInt8] {
    let media = UInt64(sizes.count * frameLength)
    let sound = UInt64(max(0, length))
    let matrix: [UInt8] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000].flatMap { MP4Box.number($0, 4) }
    let times = [UInt8](repeating: 0, count: 16)
    let head = MP4Box(
      full: "mvhd", version: 1,
      times + MP4Box.number(UInt64(rate), 4) + MP4Box.number(sound, 8) + MP4Box.number(0x1_0000, 4)
        + MP4Box.number(0x100, 2) + [UInt8](repeating: 0, count: 10) + matrix + [UInt8](repeating: 0, count: 24)
        + MP4Box.number(2, 4))
    // Enabled, and in the movie.
    let track = MP4Box(
      full: "tkhd", version: 1, flags: 3,
      times + MP4Box.number(1, 4) + MP4Box.number(0, 4) + MP4Box.number(sound, 8) + [UInt8](repeating: 0, count: 12)
        + MP4Box.number(0x100, 2) + MP4Box.number(0, 2) + matrix + MP4Box.number(0, 8))
    let edit = MP4Box(
      full: "elst", version: 1,
      MP4Box.number(1, 4) + MP4Box.number(sound, 8) + MP4Box.number(UInt64(delay), 8) + MP4Box.number(0x1_0000, 4))
    let mediaHead = MP4Box(
      full: "mdhd", version: 1,
      times + MP4Box.number(UInt64(rate), 4) + MP4Box.number(media, 8) + MP4Box.number(0x55C4, 2) + MP4Box.number(0, 2))
    let handler = MP4Box(
      full: "hdlr",
      MP4Box.number(0, 4) + Array("soun".utf8) + [UInt8](repeating: 0, count: 12) + Array("Sound".utf8) + [0]
    )
    let local = MP4Box(full: "url ", flags: 1, [])
    let data = MP4Box("dinf", MP4Box(full: "dref", MP4Box.number(1, 4) + local.bytes).bytes)
    let table = samples(codec, sizes: sizes, chunks: chunks, frameLength: frameLength, bitrate: bitrate)
    let information = MP4Box("minf", MP4Box(full: "smhd", MP4Box.number(0, 4)).bytes + data.bytes + table)
    let mediaBox = MP4Box("mdia", mediaHead.bytes + handler.bytes + information.bytes)
    let trackBox = MP4Box("trak", track.bytes + MP4Box("edts", edit.bytes).bytes + mediaBox.bytes)
    return MP4Box("moov", head.bytes + trackBox.bytes + user(title)).bytes
  }

  private static func samples(
    _ codec: Codec, sizes: [UInt32], chunks: [Int64], frameLength: Int, bitrate: UInt32
  ) -> [UInt8] {
    let count = UInt64(sizes.count)
    var entry = [UInt8](repeating: 0, count: 6) + MP4Box.number(1, 2) + [UInt8](repeating: 0, count: 8)
    entry += MP4Box.number(2, 2) + MP4Box.number(16, 2) + MP4Box.number(0, 4) + MP4Box.number(UInt64(rate) << 16, 4)
    let format: MP4Box
    var groups: [UInt8] = []
    switch codec {
    case .aac(let configuration):
      format = MP4Box("mp4a", entry + MP4Box(full: "esds", descriptors(configuration, bitrate)).bytes)
    case .opus:
      let head = [0, 2] + MP4Box.number(312, 2) + MP4Box.number(UInt64(rate), 4) + [0, 0, 0]
      format = MP4Box("Opus", entry + MP4Box("dOps", head).bytes)
      // Four packets of 20 ms let a decoder settle: 80 ms.
      let distance = Array("roll".utf8) + MP4Box.number(2, 4) + MP4Box.number(1, 4) + MP4Box.number(0xFFFC, 2)
      let members = Array("roll".utf8) + MP4Box.number(1, 4) + MP4Box.number(count, 4) + MP4Box.number(1, 4)
      groups = MP4Box(full: "sgpd", version: 1, distance).bytes + MP4Box(full: "sbgp", members).bytes
    }
    let durations = MP4Box.number(1, 4) + MP4Box.number(count, 4) + MP4Box.number(UInt64(frameLength), 4)
    var runs: [UInt8] = []
    let whole = sizes.count / chunk
    let rest = sizes.count % chunk
    var runCount: UInt64 = 0
    if whole > 0 {
      runs += MP4Box.number(1, 4) + MP4Box.number(UInt64(chunk), 4) + MP4Box.number(1, 4)
      runCount += 1
    }
    if rest > 0 {
      runs += MP4Box.number(UInt64(whole + 1), 4) + MP4Box.number(UInt64(rest), 4) + MP4Box.number(1, 4)
      runCount += 1
    }
    var table = MP4Box(full: "stsd", MP4Box.number(1, 4) + format.bytes).bytes
    table += MP4Box(full: "stts", durations).bytes
    table += MP4Box(full: "stsc", MP4Box.number(runCount, 4) + runs).bytes
    table += MP4Box(full: "stsz", MP4Box.number(0, 4) + MP4Box.number(count, 4) + MP4Box.list(sizes)).bytes
    table += MP4Box(full: "co64", MP4Box.number(UInt64(chunks.count), 4) + MP4Box.list(chunks)).bytes
    return MP4Box("stbl", table + groups).bytes
  }

  /// The elementary stream descriptor of AAC (ISO/IEC 14496-1 section 7.2.6.5).
  private static func descriptors(_ configuration: [UInt8], _ bitrate: UInt32) -> [UInt8] {
    func descriptor(_ tag: UInt8, _ contents: [UInt8]) -> [UInt8] { [tag, UInt8(clamping: contents.count)] + contents }
    let rates = MP4Box.number(UInt64(bitrate), 4) + MP4Box.number(UInt64(bitrate), 4)
    let decoder = [0x40, 0x15, 0, 0x18, 0] + rates + descriptor(5, configuration)
    return descriptor(3, MP4Box.number(1, 2) + [0] + descriptor(4, decoder) + descriptor(6, [2]))
  }

  /// The title, where iTunes and others look for it.
  private static func user(_ title: String) -> [UInt8] {
    guard !title.isEmpty else { return [] }
    let text = MP4Box("data", MP4Box.number(1, 4) + MP4Box.number(0, 4) + Array(title.utf8))
    let name = MP4Box(name: [0xA9] + Array("nam".utf8), text.bytes)
    let handler = MP4Box(
      full: "hdlr", MP4Box.number(0, 4) + Array("mdirappl".utf8) + [UInt8](repeating: 0, count: 9))
    return MP4Box("udta", MP4Box(full: "meta", handler.bytes + MP4Box("ilst", name.bytes).bytes).bytes).bytes
  }
}

/// A box of ISO/IEC 14496-12.
private struct MP4Box {
  let bytes: [UInt8]

  init(name: [UInt8], _ contents: [UInt8]) {
    bytes = MP4Box.number(UInt64(contents.count + 8), 4) + name + contents
  }

  init(_ name: String, _ contents: [UInt8]) { self.init(name: Array(name.utf8), contents) }

  /// One with a version and flags.
  init(full name: String, version: UInt8 = 0, flags: UInt64 = 0, _ contents: [UInt8]) {
    self.init(name, [version] + MP4Box.number(flags, 3) + contents)
  }

  static func number(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
  }

  static func list(_ values: [some FixedWidthInteger]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(values.count * 8)
    for value in values { withUnsafeBytes(of: value.bigEndian) { bytes += $0 } }
    return bytes
  }
}
