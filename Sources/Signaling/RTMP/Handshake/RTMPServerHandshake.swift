// Arithmetic in this file is in range: lists are joined, and lengths are constants.

/// The server side of the handshake: version and 1536 bytes in each direction, then an echo in each.
struct RTMPServerHandshake {
  /// The version we use, also in answers to other plausible versions.
  static let version: UInt8 = 3
  /// Values from here on belong to a text protocol rather than RTMP.
  static let firstTextVersion: UInt8 = 32

  private let digest: RTMPDigest?
  private var noise: RTMPNoise
  private var received: [UInt8] = []
  private var hasAnswered = false
  private(set) var isComplete = false

  /// Without `digest`, every client gets the simple handshake.
  init(seed: UInt64, digest: RTMPDigest?) {
    noise = RTMPNoise(seed: seed)
    self.digest = digest
  }

  /// Consumes the bytes it needs and returns the bytes to send; `clock` is our time in milliseconds.
  mutating func receive(_ bytes: inout ArraySlice<UInt8>, clock: UInt32) throws(RTMPViolation) -> [UInt8] {
    var answer: [UInt8] = []
    while !isComplete, !bytes.isEmpty {
      let wanted = hasAnswered ? RTMPDigest.packetLength : RTMPDigest.packetLength + 1
      let taken = bytes.prefix(wanted - received.count)
      received.append(contentsOf: taken)
      bytes = bytes.dropFirst(taken.count)
      if !hasAnswered, let first = received.first, first >= RTMPServerHandshake.firstTextVersion {
        throw RTMPViolation("the handshake begins with \(first): this is not RTMP")
      }
      guard received.count == wanted else { break }
      if hasAnswered {
        // The client's echo is not checked: some clients sign it instead.
        isComplete = true
      } else {
        answer = reply(to: Array(received.dropFirst()), clock)
        hasAnswered = true
      }
      received = []
    }
    return answer
  }

  /// S0, S1 and S2, which clients expect together.
  private mutating func reply(to packet: [UInt8], _ clock: UInt32) -> [UInt8] {
    var first: [UInt8] = []
    first.append(clock, octets: 4)
    // In a simple packet, the second number is 0.
    if packet[4..<8].contains(where: { $0 != 0 }), let digest,
      let found = digest.find(in: packet, key: RTMPDigest.clientKey)
    {
      first += [5, 0, 1, 1] + noise.bytes(RTMPDigest.packetLength - 8)
      _ = digest.sign(&first, found.schema, key: RTMPDigest.serverKey)
      let second = noise.bytes(RTMPDigest.packetLength - RTMPDigest.digestLength)
      return [RTMPServerHandshake.version] + first + second
        + digest.signature(of: second, answering: found.digest, key: RTMPDigest.serverKey)
    }
    first += [0, 0, 0, 0] + noise.bytes(RTMPDigest.packetLength - 8)
    var second = Array(packet[..<4])
    second.append(clock, octets: 4)
    return [RTMPServerHandshake.version] + first + second + packet[8...]
  }
}
