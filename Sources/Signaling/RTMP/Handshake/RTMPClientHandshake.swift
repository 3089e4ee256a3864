// Arithmetic in this file is in range: lists are joined, and lengths are constants.

/// The client side of the handshake.
struct RTMPClientHandshake {
  /// Total length of the server's three parts.
  private static let answerLength = 1 + 2 * RTMPDigest.packetLength

  private let digest: RTMPDigest?
  private var noise: RTMPNoise
  /// C1, and its digest if there is one.
  private let packet: [UInt8]
  private let signed: [UInt8]?
  private var received: [UInt8] = []
  private(set) var isComplete = false

  /// With `digest`, packets are signed in schema 1, as in ffmpeg.
  init(seed: UInt64, digest: RTMPDigest?, clock: UInt32) {
    noise = RTMPNoise(seed: seed)
    self.digest = digest
    var packet: [UInt8] = []
    packet.append(clock, octets: 4)
    packet += digest == nil ? [0, 0, 0, 0] : [9, 0, 0x7C, 2]
    packet += noise.bytes(RTMPDigest.packetLength - 8)
    signed = digest?.sign(&packet, .one, key: RTMPDigest.clientKey)
    self.packet = packet
  }

  /// The first bytes from the client.
  var opening: [UInt8] { [RTMPServerHandshake.version] + packet }

  /// Consumes the bytes it needs and returns the bytes to send.
  mutating func receive(_ bytes: inout ArraySlice<UInt8>, clock: UInt32) throws(RTMPViolation) -> [UInt8] {
    guard !isComplete else { return [] }
    let taken = bytes.prefix(RTMPClientHandshake.answerLength - received.count)
    received.append(contentsOf: taken)
    bytes = bytes.dropFirst(taken.count)
    if let version = received.first, version != RTMPServerHandshake.version {
      throw RTMPViolation("the server's handshake has version \(version) instead of 3")
    }
    guard received.count == RTMPClientHandshake.answerLength else { return [] }
    isComplete = true
    let first = Array(received[1...RTMPDigest.packetLength])
    let second = Array(received[(1 + RTMPDigest.packetLength)...])
    if let digest, let signed, let found = digest.find(in: first, key: RTMPDigest.serverKey) {
      let body = Array(second.dropLast(RTMPDigest.digestLength))
      guard
        Array(second.suffix(RTMPDigest.digestLength))
          == digest.signature(of: body, answering: signed, key: RTMPDigest.serverKey)
      else { throw RTMPViolation("the server's signature does not match our digest") }
      let answer = noise.bytes(RTMPDigest.packetLength - RTMPDigest.digestLength)
      return answer + digest.signature(of: answer, answering: found.digest, key: RTMPDigest.clientKey)
    }
    guard second[8...] == packet[8...] else { throw RTMPViolation("the server did not echo our random bytes") }
    var answer = Array(first[..<4])
    answer.append(clock, octets: 4)
    return answer + first[8...]
  }
}
