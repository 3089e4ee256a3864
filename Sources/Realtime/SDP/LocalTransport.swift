/// The transport parameters in our descriptions: ICE credentials, certificate fingerprint and candidates.
package struct LocalTransport: Sendable, Hashable {
  package var credentials: NegotiatedSession.ICECredentials
  /// Fingerprint of the certificate used by our DTLS session.
  package var fingerprint: Fingerprint
  /// Candidates in text form, with or without "a=" and "candidate:".
  package var candidates: [String]
  /// True if no candidates will follow by trickle.
  package var candidatesAreComplete: Bool

  package init(
    credentials: NegotiatedSession.ICECredentials, fingerprint: Fingerprint, candidates: [String] = [],
    candidatesAreComplete: Bool = false
  ) {
    self.credentials = credentials
    self.fingerprint = fingerprint
    self.candidates = candidates
    self.candidatesAreComplete = candidatesAreComplete
  }

  /// The transport attributes of our section, with the `a=setup` value of the exchange.
  func attributes(setup: DTLSSetup) -> [SDPAttribute] {
    var attributes = [
      SDPAttribute("ice-ufrag", credentials.usernameFragment),
      SDPAttribute("ice-pwd", credentials.password),
      SDPAttribute("ice-options", "trickle"),
      SDPAttribute("fingerprint", fingerprint.description),
      SDPAttribute("setup", setup.rawValue),
    ]
    // in range: a list
    attributes += candidates.map { SDPAttribute("candidate", ICECandidate.strip($0)) }
    if candidatesAreComplete { attributes.append(SDPAttribute("end-of-candidates")) }
    return attributes
  }
}

/// The values of `a=setup` (RFC 4145 §4): the side that opens the DTLS handshake.
enum DTLSSetup: String, Sendable, Hashable {
  case active
  case passive
  /// Either side; only in offers.
  case actpass
  /// Neither side yet; not used in WebRTC (RFC 8842 §5.2).
  case holdconn

  init(_ role: NegotiatedSession.DTLSRole) {
    self = role == .client ? .active : .passive
  }

  /// Our role for an offer. Passive if we may choose: the server's cipher preference then applies, and Chromium sends
  /// its ClientHello before our answer arrives.
  ///
  /// `keeping` is the role of the running association, which a new offer over the same transport must not reverse
  /// (RFC 8842 §5.5).
  static func role(
    answering offered: String?, keeping: NegotiatedSession.DTLSRole?
  ) throws(NegotiationError) -> NegotiatedSession.DTLSRole {
    // A missing setup line means active (RFC 4145 §4.1), but libwebrtc derivatives mean actpass; with both we may be
    // passive.
    let setup = offered.map { DTLSSetup(rawValue: $0.lowercased()) } ?? .actpass
    switch (setup, keeping) {
    case (.actpass, let kept): return kept ?? .server
    case (.active, nil), (.active, .server): return .server
    case (.passive, nil), (.passive, .client): return .client
    case (.active, .client), (.passive, .server): throw .setupConflict(.turnsRunningHandshakeRound)
    case (.holdconn, _), (nil, _): throw .setupConflict(.noRoleInOffer)
    }
  }

  /// Our role after an answer to our actpass.
  static func role(answered: String?) throws(NegotiationError) -> NegotiatedSession.DTLSRole {
    // A missing line is handled as in libwebrtc: the answerer is active.
    switch answered.map({ DTLSSetup(rawValue: $0.lowercased()) }) ?? .active {
    case .active: return .server
    case .passive: return .client
    case .actpass, .holdconn, nil: throw .setupConflict(.noRoleInAnswer)
    }
  }
}
