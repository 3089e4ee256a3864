/// Form and size of the header extension area for a set of elements, computed before anything is written.
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

  /// Counts one element in.
  mutating func add(length: Int, fitsOneByteForm: Bool) {
    elementBytes &+= length
    elementCount &+= 1
    if !fitsOneByteForm { isOneByte = false }
  }

  /// Element bytes with their heads, without padding.
  private var bodyLength: Int { elementBytes &+ elementCount &* (isOneByte ? 1 : 2) }

  /// Bytes of the whole area with its four-byte head and padding; 0 where there is no element.
  var length: Int { elementCount == 0 ? 0 : 4 &+ paddedLength }

  private var paddedLength: Int { (bodyLength &+ 3) & ~3 }

  /// The four bytes before the elements.
  func appendHead(to bytes: inout [UInt8]) {
    bytes.appendBigEndian16(isOneByte ? RTPHeader.oneByteProfile : RTPHeader.twoByteProfile)
    bytes.appendBigEndian16(UInt16(truncatingIfNeeded: paddedLength / 4))
  }

  /// One element in the area's form.
  func append(id: UInt8, _ data: some Collection<UInt8>, to bytes: inout [UInt8]) {
    if isOneByte {
      bytes.append(id &<< 4 | UInt8(truncatingIfNeeded: data.count &- 1))
    } else {
      bytes.append(id)
      bytes.append(UInt8(truncatingIfNeeded: data.count))
    }
    bytes.append(contentsOf: data)
  }

  /// The zero bytes up to the 32-bit border.
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
