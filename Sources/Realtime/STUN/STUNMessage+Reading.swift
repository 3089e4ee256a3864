extension STUNMessage {
  /// An address and a port.
  package struct Place: Hashable, Sendable, CustomStringConvertible {
    package var address: IPAddress
    package var port: UInt16

    package init(_ address: IPAddress, port: UInt16) {
      self.address = address
      self.port = port
    }

    package var description: String {
      if case .v6 = address { return "[\(address.text)]:\(port)" }
      return "\(address.text):\(port)"
    }
  }

  /// A refusal and its reason in the server's words.
  package struct Refusal: Hashable, Sendable {
    package var code: Int
    package var reason: String
  }

  /// How the server sees the client.
  package var mappedAddress: Place? { place(of: AttributeKind.xorMappedAddress) }
  /// The address at the relay that is now the client's.
  package var relayedAddress: Place? { place(of: AttributeKind.xorRelayedAddress) }
  package var realm: [UInt8]? { self[AttributeKind.realm] }
  package var nonce: [UInt8]? { self[AttributeKind.nonce] }
  package var data: [UInt8]? { self[AttributeKind.data] }

  package var refusal: Refusal? {
    guard let value = self[AttributeKind.errorCode], value.count >= 4 else { return nil }
    let code = Int(value[2] & 7) &* 100 &+ Int(value[3])
    return Refusal(code: code, reason: String(decoding: value.dropFirst(4).prefix(128), as: UTF8.self))
  }

  /// An address that is hidden from gateways which rewrite what looks like one (RFC 8489 section 14.2).
  private func place(of kind: UInt16) -> Place? {
    guard let value = self[kind], value.count == 8 || value.count == 20 else { return nil }
    let mask = STUNMessage.mask(transaction)
    let span = value.span
    let port = span.bigEndian16(at: 2) ^ UInt16(truncatingIfNeeded: STUNMessage.cookie &>> 16)
    let clear = zip(value.dropFirst(4), mask).map { $0 ^ $1 }
    switch (value[1], clear.count) {
    case (1, 4): return Place(.v4(clear.span.bigEndian32(at: 0)), port: port)
    case (2, 16): return Place(.v6((0..<8).map { clear.span.bigEndian16(at: $0 &* 2) }), port: port)
    default: return nil
    }
  }

  private static func mask(_ transaction: [UInt8]) -> [UInt8] {
    var mask: [UInt8] = []
    mask.appendBigEndian32(cookie)
    mask.append(contentsOf: transaction)
    return mask
  }

  /// The peer's address for a permission and for data that is sent to it.
  package static func peer(_ place: Place, transaction: [UInt8]) -> Attribute {
    var address: [UInt8] = []
    var family: UInt8 = 1
    switch place.address {
    case .v4(let number): address.appendBigEndian32(number)
    case .v6(let groups):
      family = 2
      for group in groups { address.appendBigEndian16(group) }
    }
    var value: [UInt8] = [0, family]
    value.appendBigEndian16(place.port ^ UInt16(truncatingIfNeeded: cookie &>> 16))
    value.append(contentsOf: zip(address, mask(transaction)).map { $0 ^ $1 })
    return Attribute(AttributeKind.xorPeerAddress, value)
  }

  /// UDP, as the transport between relay and peer (RFC 8656 section 18.8).
  package static let requestsUDP = Attribute(AttributeKind.requestedTransport, [17, 0, 0, 0])
  /// The end of an allocation.
  package static let endsAllocation = Attribute(AttributeKind.lifetime, [0, 0, 0, 0])

  package static func data(_ bytes: [UInt8]) -> Attribute { Attribute(AttributeKind.data, bytes) }
}

extension IPAddress {
  /// The address as people write it; IPv6 in the form of RFC 5952.
  package var text: String {
    switch self {
    case .v4(let number):
      return [24, 16, 8, 0].map { "\(number &>> $0 & 0xFF)" }.joined(separator: ".")
    case .v6(let groups):
      let words = groups.map { String($0, radix: 16) }
      guard let gap = IPAddress.longestGap(groups) else { return words.joined(separator: ":") }
      return words[..<gap.lowerBound].joined(separator: ":") + "::" + words[gap.upperBound...].joined(separator: ":")
    }
  }

  /// The first of the longest runs of two or more zeros.
  private static func longestGap(_ groups: [UInt16]) -> Range<Int>? {
    var longest: Range<Int>?
    var start = 0
    for (index, group) in groups.enumerated() {
      if group != 0 { start = index &+ 1 }
      let run = start..<index &+ 1
      if run.count >= 2, run.count > longest?.count ?? 0 { longest = run }
    }
    return longest
  }
}
