// Arithmetic in this file is in range: it counts the frames of one broadcast, whose length is bounded.

/// One frame of AAC, and where it lies.
package struct TimedFrame: Hashable, Sendable {
  package var aac: [UInt8]
  /// Of its first sample, at 48 kHz from the beginning.
  package var position: Int64
  /// True if the sound before it is missing.
  package var followsBreak: Bool

  package init(_ aac: [UInt8], at position: Int64, followsBreak: Bool = false) {
    (self.aac, self.position, self.followsBreak) = (aac, position, followsBreak)
  }
}

/// Cuts AAC frames into segments of HTTP Live Streaming: packed audio (RFC 8216 section 3.4), which is ADTS frames
/// behind an ID3 tag with their time. No container is needed. Pure.
package struct HLSSegmenter: Sendable {
  package struct Segment: Hashable, Sendable {
    package var number: Int
    package var bytes: [UInt8]
    /// In samples at 48 kHz.
    package var length: Int64
    package var followsBreak: Bool
  }

  private static let rate: Int64 = 48_000
  private let head: ADTSHead
  private let frameLength: Int64
  private let framesPerSegment: Int
  private var next = 0
  private var frames: [[UInt8]] = []
  private var position: Int64 = 0
  private var followsBreak = false

  /// - Parameters:
  ///   - configuration: the AudioSpecificConfig of the frames.
  ///   - frameLength: samples of each channel in a frame.
  ///   - seconds: about the length of a segment.
  package init(configuration: [UInt8], frameLength: Int64, seconds: Int64) {
    head = ADTSHead(configuration)
    self.frameLength = max(1, frameLength)
    framesPerSegment = Int(max(1, seconds * HLSSegmenter.rate / self.frameLength))
  }

  /// The segments that are complete with this frame: two if it follows a break.
  package mutating func add(_ frame: TimedFrame) -> [Segment] {
    var segments: [Segment] = []
    if frame.followsBreak, let segment = finish() { segments.append(segment) }
    if frames.isEmpty { (position, followsBreak) = (frame.position, frame.followsBreak) }
    frames.append(frame.aac)
    if frames.count >= framesPerSegment, let segment = finish() { segments.append(segment) }
    return segments
  }

  /// The last segment, which may be short; nil if there is no frame for it.
  package mutating func finish() -> Segment? {
    guard !frames.isEmpty else { return nil }
    var bytes = HLSSegmenter.tag(position)
    for frame in frames { bytes += head.bytes(before: frame.count) + frame }
    defer {
      next += 1
      frames = []
    }
    return Segment(number: next, bytes: bytes, length: Int64(frames.count) * frameLength, followsBreak: followsBreak)
  }

  /// The time of the first sample as an ID3 tag with a PRIV frame (RFC 8216 section 3.4): 33 bits at 90 kHz.
  private static func tag(_ position: Int64) -> [UInt8] {
    let owner = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
    let time = UInt64(bitPattern: max(0, position) * 15 / 8) & 0x1_FFFF_FFFF
    let value = (0..<8).map { UInt8(truncatingIfNeeded: time >> UInt64(56 - 8 * $0)) }
    let frame = Array("PRIV".utf8) + synchsafe(owner.count + value.count) + [0, 0] + owner + value
    return Array("ID3".utf8) + [4, 0, 0] + synchsafe(frame.count) + frame
  }

  /// Seven bits in each of four bytes.
  private static func synchsafe(_ size: Int) -> [UInt8] {
    [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: size >> $0) & 0x7F }
  }
}

/// The head of an ADTS frame (ISO 14496-3 section 1.A.2), of 7 bytes: without a checksum.
struct ADTSHead: Hashable, Sendable {
  private static let length = 7
  private let profile: UInt8
  private let rate: UInt8
  private let channels: UInt8

  /// - Parameter configuration: an AudioSpecificConfig of two bytes, of AAC LC at one of the standard rates.
  init(_ configuration: [UInt8]) {
    let (first, second) = configuration.count >= 2 ? (configuration[0], configuration[1]) : (0x11, 0x90)
    // An object type less one.
    profile = (first >> 3 &- 1) & 3
    rate = (first & 7) << 1 | second >> 7
    channels = second >> 3 & 7
  }

  /// - Parameter count: the frame's bytes.
  func bytes(before count: Int) -> [UInt8] {
    let length = (count + ADTSHead.length) & 0x1FFF
    return [
      0xFF, 0xF1, profile << 6 | rate << 2 | channels >> 2,
      (channels & 3) << 6 | UInt8(truncatingIfNeeded: length >> 11), UInt8(truncatingIfNeeded: length >> 3),
      UInt8(truncatingIfNeeded: length & 7) << 5 | 0x1F, 0xFC,
    ]
  }
}
