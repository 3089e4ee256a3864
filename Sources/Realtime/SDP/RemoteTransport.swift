/// The peer's transport parameters: ICE credentials, fingerprints, setup and candidates.
///
/// A line of the section itself takes precedence, then one of the section leading its bundle (RFC 9143 §7.1.3), then
/// one of the session.
struct RemoteTransport: Sendable, Hashable {
  var credentials: NegotiatedSession.ICECredentials
  var fingerprints: [Fingerprint]
  /// The raw value of `a=setup`.
  var setup: String?
  var isLite: Bool
  var trickles: Bool
  /// Valid RTP candidates, with "candidate:"; others are ignored, as RFC 8839 §5.1 requires.
  var candidates: [String]
  var candidatesAreComplete: Bool

  init(of description: SessionDescription, section index: Int) throws(NegotiationError) {
    let levels = Self.levels(of: description, section: index)
    func first(_ name: String) -> String? {
      levels.lazy.compactMap { $0.first(name) }.first
    }
    func all(_ name: String) -> [String] {
      levels.lazy.map { $0.all(name) }.first { !$0.isEmpty } ?? []
    }

    guard let fragment = first("ice-ufrag"), let password = first("ice-pwd") else { throw .noICECredentials }
    guard Self.isICEText(fragment, length: 4...256), Self.isICEText(password, length: 22...256) else {
      throw .malformedICECredentials
    }
    let lines = all("fingerprint")
    let fingerprints = lines.compactMap { Fingerprint(parsing: $0) }
    guard !fingerprints.isEmpty else { throw .noFingerprint(onlyWeak: !lines.isEmpty) }

    self.credentials = NegotiatedSession.ICECredentials(usernameFragment: fragment, password: password)
    self.fingerprints = fingerprints
    setup = first("setup")
    isLite = description.attributes.has("ice-lite")
    trickles = all("ice-options").contains { $0.split(separator: " ").contains("trickle") }
    candidates = all("candidate").compactMap { text in
      guard let candidate = try? ICECandidate(parsing: text), candidate.component == 1 else { return nil }
      return "candidate:" + ICECandidate.strip(text)
    }
    candidatesAreComplete = levels.contains { $0.has("end-of-candidates") }
  }

  private static func levels(of description: SessionDescription, section index: Int) -> [[SDPAttribute]] {
    guard description.media.indices.contains(index) else { return [description.attributes] }
    let section = description.media[index]
    var levels = [section.attributes]
    if let mid = section.mid, let leader = description.bundle(of: mid)?.first, leader != mid,
      let leading = description.media.first(where: { $0.mid == leader })
    {
      levels.append(leading.attributes)
    }
    levels.append(description.attributes)
    return levels
  }

  /// True if `text` has the characters of ICE credentials (RFC 8839 §5.4).
  private static func isICEText(_ text: String, length: ClosedRange<Int>) -> Bool {
    length.contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
          UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "+"), UInt8(ascii: "/"):
          true
        default: false
        }
      }
  }
}
