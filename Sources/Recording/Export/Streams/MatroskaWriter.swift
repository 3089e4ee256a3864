// Arithmetic in this file is in range: it counts bytes and milliseconds of a file that is being written.

import Music

/// Writes Opus packets into a WebM file (RFC 9559) as they are, each at its own time: nothing is encoded again, and a time
/// without packets stays one.
final class MatroskaWriter {
  /// What a file is called, and how it is marked.
  struct Labels: Hashable, Sendable {
    var title: String
    /// Name and version of the program.
    var software: String
  }

  /// Longest cluster, in milliseconds: a block's time within it is a signed number of 16 bits.
  private static let longestCluster: Int64 = 5_000
  /// A cluster of this length gets no more packets, in bytes.
  private static let fullCluster = 1 << 20
  /// A decoder that begins in the middle settles within this time, in nanoseconds (RFC 7845 section 4.6).
  private static let seekPreRoll: UInt64 = 80_000_000

  private let output: OutputFile
  private let name: String
  private var cluster: [UInt8] = []
  private var clusterTime: Int64 = 0
  /// Where the clusters begin, from the segment's first byte, with their times.
  private var places: [(time: Int64, offset: Int64)] = []
  private var end: Int64 = 0
  /// Where the segment's length, its first byte and the length of the sound are.
  private let sizePlace: Int64
  private let segment: Int64
  private let durationPlace: Int64
  private(set) var packetCount = 0

  /// Begins the file `name` in `folder`.
  /// - Parameter channels: 1 or 2.
  /// - Throws: `FileProblem`.
  init(_ name: String, in folder: TakeFolder, channels: Int, labels: Labels) throws(FileProblem) {
    output = try OutputFile(name, in: folder)
    self.name = name
    var head = EBML.element(
      0x1A45_DFA3,
      EBML.number(0x4286, 1) + EBML.number(0x42F7, 1) + EBML.number(0x42F2, 4) + EBML.number(0x42F3, 8)
        + EBML.text(0x4282, "webm") + EBML.number(0x4287, 4) + EBML.number(0x4285, 2))
    head += EBML.identifier(0x1853_8067)
    sizePlace = Int64(head.count)
    head += EBML.longSize(0)
    segment = Int64(head.count)
    var facts = EBML.number(0x2AD7B1, 1_000_000)
    facts += EBML.text(0x4D80, labels.software) + EBML.text(0x5741, labels.software) + EBML.text(0x7BA9, labels.title)
    facts += EBML.float(0x4489, 0)
    let info = EBML.element(0x1549_A966, facts)
    // The length is the last element of the facts, and eight bytes long.
    durationPlace = segment + Int64(info.count) - 8
    head += info
    head += EBML.element(0x1654_AE6B, EBML.element(0xAE, MatroskaWriter.track(channels: channels)))
    do throws(FileProblem) {
      try output.put(head)
    } catch {
      output.abandon()
      throw error
    }
  }

  private static func track(channels: Int) -> [UInt8] {
    var entry = EBML.number(0xD7, 1) + EBML.number(0x73C5, 1) + EBML.number(0x83, 2) + EBML.number(0x9C, 0)
    entry += EBML.text(0x86, "A_OPUS")
    // The packets' times are those of the sound that they decode to, so there is nothing to skip.
    entry += EBML.element(0x63A2, OpusHead.bytes(channels: channels, preSkip: 0))
    entry += EBML.number(0x56AA, 0) + EBML.number(0x56BB, seekPreRoll)
    return entry + EBML.element(0xE1, EBML.float(0xB5, 48_000) + EBML.number(0x9F, UInt64(channels)))
  }

  /// Adds a packet.
  ///
  /// - Parameters:
  ///   - time: of its first sample, in milliseconds from the file's beginning; not before that of the packet before.
  ///   - length: of its sound, in milliseconds.
  /// - Throws: `FileProblem`.
  func add(_ packet: ArraySlice<UInt8>, at time: Int64, length: Int64) throws(FileProblem) {
    let isFull = time - clusterTime >= MatroskaWriter.longestCluster || cluster.count >= MatroskaWriter.fullCluster
    if packetCount == 0 || isFull {
      try endCluster()
      clusterTime = time
    }
    let offset = UInt16(truncatingIfNeeded: time - clusterTime)
    // Track 1, its time in the cluster, a key frame.
    cluster += EBML.identifier(0xA3) + EBML.size(packet.count + 4)
    cluster += [0x81, UInt8(truncatingIfNeeded: offset >> 8), UInt8(truncatingIfNeeded: offset), 0x80]
    cluster += packet
    end = max(end, time + length)
    packetCount += 1
  }

  private func endCluster() throws(FileProblem) {
    guard !cluster.isEmpty else { return }
    places.append((clusterTime, output.length - segment))
    try output.put(EBML.element(0x1F43_B675, EBML.number(0xE7, UInt64(max(0, clusterTime))) + cluster))
    cluster.removeAll(keepingCapacity: true)
  }

  /// Ends the file.
  /// - Throws: `FileProblem`; no file is left then.
  func finish() throws(FileProblem) -> FinishedFile {
    do throws(FileProblem) {
      try endCluster()
      var points: [UInt8] = []
      for (time, offset) in places {
        let position = EBML.number(0xF7, 1) + EBML.number(0xF1, UInt64(max(0, offset)))
        points += EBML.element(0xBB, EBML.number(0xB3, UInt64(max(0, time))) + EBML.element(0xB7, position))
      }
      // An element of cues has at least one.
      if !points.isEmpty { try output.put(EBML.element(0x1C53_BB6B, points)) }
      let length = output.length
      try output.put(EBML.longSize(UInt64(length - segment)), at: sizePlace)
      try output.put(EBML.bytes(Double(end).bitPattern, 8), at: durationPlace)
      let (size, digest) = try output.finish()
      return FinishedFile(name: name, size: size, digest: digest)
    } catch {
      output.abandon()
      throw error
    }
  }

  /// Removes the unfinished file.
  func abandon() { output.abandon() }
}

/// Elements of EBML (RFC 8794).
private enum EBML {
  /// An identifier, which contains its own length mark.
  static func identifier(_ identifier: UInt64) -> [UInt8] {
    bytes(identifier, (64 - identifier.leadingZeroBitCount + 7) / 8)
  }

  /// A length in as few bytes as possible; all bits set would mean an unknown one.
  static func size(_ count: Int) -> [UInt8] {
    let value = UInt64(max(0, count))
    var length = 1
    while length < 8, value >= (1 << UInt64(7 * length)) - 1 { length += 1 }
    return bytes(value | 1 << UInt64(7 * length), length)
  }

  /// A length in eight bytes, to be patched.
  static func longSize(_ count: UInt64) -> [UInt8] { bytes(count | 1 << 56, 8) }

  static func element(_ name: UInt64, _ contents: [UInt8]) -> [UInt8] {
    identifier(name) + size(contents.count) + contents
  }

  static func number(_ name: UInt64, _ value: UInt64) -> [UInt8] {
    element(name, bytes(value, max(1, (64 - value.leadingZeroBitCount + 7) / 8)))
  }

  static func float(_ name: UInt64, _ value: Double) -> [UInt8] { element(name, bytes(value.bitPattern, 8)) }

  static func text(_ name: UInt64, _ text: String) -> [UInt8] { element(name, Array(text.utf8)) }

  static func bytes(_ value: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * (count - 1 - $0))) }
  }
}

/// The identification header of Opus in containers (RFC 7845 section 5.1).
enum OpusHead {
  static func bytes(channels: Int, preSkip: UInt16) -> [UInt8] {
    // Version 1, the rate of the source, no gain, the mapping of one or two channels.
    Array("OpusHead".utf8) + [1, UInt8(clamping: channels)]
      + [UInt8(truncatingIfNeeded: preSkip), UInt8(truncatingIfNeeded: preSkip >> 8), 0x80, 0xBB, 0, 0, 0, 0, 0]
  }
}
