/// A message of STUN (RFC 8489), TURN (RFC 8656) or ICE (RFC 8445), as far as a client needs them that asks one server or peer.
///
/// ```swift
/// let question = STUNMessage(.bindingRequest, transaction: random)
/// let answer = try STUNMessage(parsing: datagram)   // answer.mappedAddress: how the server sees us
/// ```
package struct STUNMessage: Hashable, Sendable {
  /// Method and class as the first two bytes have them.
  package struct Kind: Hashable, Sendable, RawRepresentable {
    package var rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let bindingRequest = Kind(rawValue: 0x0001)
    package static let bindingSuccess = Kind(rawValue: 0x0101)
    package static let allocateRequest = Kind(rawValue: 0x0003)
    package static let allocateSuccess = Kind(rawValue: 0x0103)
    package static let allocateError = Kind(rawValue: 0x0113)
    package static let refreshRequest = Kind(rawValue: 0x0004)
    package static let permissionRequest = Kind(rawValue: 0x0008)
    package static let permissionSuccess = Kind(rawValue: 0x0108)
    package static let sendIndication = Kind(rawValue: 0x0016)
    package static let dataIndication = Kind(rawValue: 0x0017)
  }

  package enum AttributeKind {
    static let username: UInt16 = 0x0006
    static let integrity: UInt16 = 0x0008
    static let errorCode: UInt16 = 0x0009
    static let lifetime: UInt16 = 0x000D
    static let xorPeerAddress: UInt16 = 0x0012
    static let data: UInt16 = 0x0013
    static let realm: UInt16 = 0x0014
    static let nonce: UInt16 = 0x0015
    static let xorRelayedAddress: UInt16 = 0x0016
    static let requestedTransport: UInt16 = 0x0019
    static let xorMappedAddress: UInt16 = 0x0020
    static let priority: UInt16 = 0x0024
    static let fingerprint: UInt16 = 0x8028
    static let iceControlled: UInt16 = 0x8029
    static let iceControlling: UInt16 = 0x802A
  }

  package struct Attribute: Hashable, Sendable {
    package var kind: UInt16
    package var value: [UInt8]

    package init(_ kind: UInt16, _ value: [UInt8]) {
      self.kind = kind
      self.value = value
    }
  }

  package var kind: Kind
  /// 12 bytes that the answer repeats.
  package var transaction: [UInt8]
  package var attributes: [Attribute]

  static let headerLength = 20
  static let cookie: UInt32 = 0x2112_A442
  /// Longest message that is read, in bytes: a datagram.
  package static let longest = 65_535

  /// - Parameter transaction: 12 random bytes; shorter ones are filled with zeros.
  package init(_ kind: Kind, transaction: [UInt8], _ attributes: [Attribute] = []) {
    self.kind = kind
    self.transaction = Array((transaction + [UInt8](repeating: 0, count: 12)).prefix(12))
    self.attributes = attributes
  }

  /// - Throws: `STUNProblem` for anything but one whole message.
  package init(parsing bytes: [UInt8]) throws(STUNProblem) {
    let span = bytes.span
    guard let length = STUNMessage.length(beginning: bytes) else { throw .notSTUN }
    guard span.count == length else { throw .incomplete }
    kind = Kind(rawValue: span.bigEndian16(at: 0))
    transaction = span.array(8..<20)
    attributes = []
    var place = STUNMessage.headerLength
    while place < span.count {
      guard span.count &- place >= 4 else { throw .incomplete }
      let size = Int(span.bigEndian16(at: place &+ 2))
      let end = place &+ 4 &+ size
      guard end <= span.count else { throw .incomplete }
      attributes.append(Attribute(span.bigEndian16(at: place), span.array(place &+ 4..<end)))
      // Attributes begin at multiples of four.
      place = (end &+ 3) & ~3
    }
  }

  /// The length of the message that begins here, in bytes, its header included; nil for what is no STUN.
  package static func length(beginning bytes: [UInt8]) -> Int? {
    let span = bytes.span
    guard span.count >= headerLength, span.bigEndian16(at: 0) & 0xC000 == 0, span.bigEndian32(at: 4) == cookie else {
      return nil
    }
    let rest = Int(span.bigEndian16(at: 2))
    return rest % 4 == 0 ? headerLength &+ rest : nil
  }

  /// The bytes of the message.
  package var bytes: [UInt8] { written(announcing: 0) }

  /// - Parameter further: bytes that will follow, counted in the header's length.
  func written(announcing further: Int) -> [UInt8] {
    var body: [UInt8] = []
    for attribute in attributes {
      let value = attribute.value.prefix(Int(UInt16.max))
      body.appendBigEndian16(attribute.kind)
      body.appendBigEndian16(UInt16(truncatingIfNeeded: value.count))
      body.append(contentsOf: value)
      body += [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
    }
    var message: [UInt8] = []
    message.appendBigEndian16(kind.rawValue)
    message.appendBigEndian16(UInt16(clamping: body.count &+ further))
    message.appendBigEndian32(STUNMessage.cookie)
    message.append(contentsOf: transaction)
    message.append(contentsOf: body)
    return message
  }

  package subscript(kind: UInt16) -> [UInt8]? { attributes.first { $0.kind == kind }?.value }
}

/// Bytes that are no message of STUN.
package enum STUNProblem: Error, Hashable, Sendable {
  case notSTUN, incomplete
}
