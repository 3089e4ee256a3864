/// A header extension element to be written (RFC 8285).
package struct RTPHeaderExtension: Hashable, Sendable {
  /// The longest element that either form can hold, in bytes.
  static let lengthLimit = 255

  /// The negotiated id, 1...255; 1...14 fits the one-byte form.
  package var id: UInt8
  package var data: ArraySlice<UInt8>

  /// Creates an element; data beyond 255 bytes is cut off, because no form can hold it.
  package init(id: UInt8, data: some Sequence<UInt8>) {
    self.id = id
    self.data = ArraySlice(data.prefix(Self.lengthLimit))
  }

  package static func audioLevel(_ level: AudioLevel, id: UInt8) -> RTPHeaderExtension {
    RTPHeaderExtension(id: id, data: CollectionOfOne(level.byte))
  }

  package static func absoluteCaptureTime(_ time: AbsoluteCaptureTime, id: UInt8) -> RTPHeaderExtension {
    RTPHeaderExtension(id: id, data: time.bytes)
  }

  package static func mid(_ mid: String, id: UInt8) -> RTPHeaderExtension {
    RTPHeaderExtension(id: id, data: mid.utf8)
  }

  /// True for an id between 1 and 14 with 1 to 16 bytes of data (RFC 8285 §4.2).
  var fitsOneByteForm: Bool { (1...14).contains(id) && (1...16).contains(data.count) }
}

/// The audio level of a packet as measured by its sender (RFC 6464).
package struct AudioLevel: Hashable, Sendable {
  /// True if the sender believes that the packet contains voice.
  package var hasVoice: Bool
  /// Level in dBov below full scale: 0 is loudest, 127 is silence.
  package var belowFullScale: UInt8

  package init(hasVoice: Bool, belowFullScale: UInt8) {
    self.hasVoice = hasVoice
    self.belowFullScale = min(belowFullScale, 127)
  }

  /// Parses the byte defined in RFC 6464 §3.
  package init(byte: UInt8) {
    hasVoice = byte & 0x80 != 0
    belowFullScale = byte & 0x7F
  }

  package var byte: UInt8 { belowFullScale | (hasVoice ? 0x80 : 0) }
}

/// The capture time of a packet's first sample, on its sender's wall clock (the abs-capture-time extension).
///
/// Browsers send it once per second if negotiated; it matches the RTP clock exactly, better than a sender report.
package struct AbsoluteCaptureTime: Hashable, Sendable {
  /// The short form of the element, without the offset, in bytes.
  static let shortLength = 8
  /// The long form, with the offset, in bytes.
  static let longLength = 16

  package var captured: NTPTime
  /// Signed Q32.32 seconds by which the capturer's clock is ahead of the sender's, if included.
  package var clockOffset: Int64?

  package init(captured: NTPTime, clockOffset: Int64? = nil) {
    self.captured = captured
    self.clockOffset = clockOffset
  }

  /// Parses the element; nil if it is shorter than its short form.
  init?(parsing bytes: Span<UInt8>, at range: Range<Int>) {
    guard range.count >= Self.shortLength, range.upperBound <= bytes.count else { return nil }
    captured = NTPTime(bits: bytes.bigEndian64(at: range.lowerBound))
    if range.count >= Self.longLength {
      clockOffset = Int64(bitPattern: bytes.bigEndian64(at: range.lowerBound &+ Self.shortLength))
    } else {
      clockOffset = nil
    }
  }

  /// The element's bytes: 8, or 16 with the offset.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.longLength)
    bytes.appendBigEndian64(captured.bits)
    if let clockOffset { bytes.appendBigEndian64(UInt64(bitPattern: clockOffset)) }
    return bytes
  }
}

/// Form and size of the header extension for a set of elements, computed before writing.
struct ExtensionArea {
  private(set) var isOneByte = true
  private var elementBytes = 0
  private var elementCount = 0

  init() {}

  init(_ elements: [RTPHeaderExtension]) {
    for element in elements where element.id > 0 {
      add(length: element.data.count, fitsOneByteForm: element.fitsOneByteForm)
    }
  }

  /// Adds one element to the size.
  mutating func add(length: Int, fitsOneByteForm: Bool) {
    elementBytes &+= length
    elementCount &+= 1
    if !fitsOneByteForm { isOneByte = false }
  }

  /// Bytes of all elements with their headers, without padding.
  private var bodyLength: Int { elementBytes &+ elementCount &* (isOneByte ? 1 : 2) }

  /// Total bytes including the four-byte header and padding; 0 without elements.
  var length: Int { elementCount == 0 ? 0 : 4 &+ paddedLength }

  private var paddedLength: Int { (bodyLength &+ 3) & ~3 }

  /// Appends the four bytes before the elements.
  func appendHead(to bytes: inout [UInt8]) {
    bytes.appendBigEndian16(isOneByte ? RTPHeader.oneByteProfile : RTPHeader.twoByteProfile)
    bytes.appendBigEndian16(UInt16(truncatingIfNeeded: paddedLength / 4))
  }

  /// Appends one element in the chosen form.
  func append(id: UInt8, _ data: some Collection<UInt8>, to bytes: inout [UInt8]) {
    if isOneByte {
      bytes.append(id &<< 4 | UInt8(truncatingIfNeeded: data.count &- 1))
    } else {
      bytes.append(id)
      bytes.append(UInt8(truncatingIfNeeded: data.count))
    }
    bytes.append(contentsOf: data)
  }

  /// Appends zero bytes up to the 32-bit boundary.
  func appendPadding(to bytes: inout [UInt8]) {
    for _ in bodyLength..<paddedLength { bytes.append(0) }
  }

  func append(_ elements: [RTPHeaderExtension], to bytes: inout [UInt8]) {
    guard elementCount > 0 else { return }
    appendHead(to: &bytes)
    for element in elements where element.id > 0 { append(id: element.id, element.data, to: &bytes) }
    appendPadding(to: &bytes)
  }
}
