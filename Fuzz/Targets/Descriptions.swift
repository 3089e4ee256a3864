import Machines
import Realtime

extension FuzzTarget {
  private static let fingerprint = Fingerprint(
    algorithm: .sha256, digest: (0..<32).map { UInt8(truncatingIfNeeded: $0 &* 7) })
  private static let transport = LocalTransport(
    credentials: NegotiatedSession.ICECredentials(
      usernameFragment: "fuzz", password: "0123456789abcdefghijklmn"),
    fingerprint: fingerprint)
  private static let roles: [Negotiation.Role] = [.receiveFromPeer, .sendToPeer, .exchangeWithPeer]

  /// A session description, read, answered as an offer, and accepted as an answer.
  static let sdp = FuzzTarget("sdp", longest: 16_384) { bytes in
    guard let description = try? SDPParser.parse(bytes.span) else { return }
    let text = description.text
    if text.utf8.count <= SDPLimits().bytes {
      try promise((try? SDPParser.parse(text)) == description, "the description is another once it was written")
    }
    for role in roles {
      if let result = try? Negotiation.answer(
        to: description, role: role, transport: transport, cname: "fuzz", sessionID: 1)
      {
        try promise((try? SDPParser.parse(result.answer.text)) != nil, "our answer cannot be read")
        try promise(result.answer.media.count == description.media.count, "our answer has other sections")
      }
      let offer = Negotiation.offer(role: role, transport: transport, cname: "fuzz", sessionID: 1)
      _ = try? Negotiation.accept(answer: description, to: offer, role: role)
    }
  }

  /// The text of a candidate, of a fingerprint, and of an address.
  static let candidate = FuzzTarget("candidate", longest: 2_048) { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    _ = ICECandidate.isEndOfCandidates(text)
    _ = IPAddress(parsing: text)?.scope
    if let fingerprint = Fingerprint(parsing: text) {
      try promise(Fingerprint(parsing: fingerprint.description) == fingerprint, "the fingerprint is another")
    }
    guard let candidate = try? ICECandidate(parsing: text) else { return }
    _ = (candidate.scope, candidate.isMDNS, candidate.isUDP, candidate.generation, candidate.usernameFragment)
    // The written form has the word "candidate:", which may make it too long.
    guard candidate.description.utf8.count <= 1_024 else { return }
    try promise(
      (try? ICECandidate(parsing: candidate.description)) == candidate, "the candidate is another once it was written")
  }
}
