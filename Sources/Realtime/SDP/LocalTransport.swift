/// What our descriptions say of our own end: ICE credentials, certificate and candidates.
package struct LocalTransport: Sendable, Hashable {
  package var credentials: NegotiatedSession.ICECredentials
  /// Of the certificate that our DTLS session shows.
  package var fingerprint: Fingerprint
  /// Candidates as text, with or without "a=" and "candidate:".
  package var candidates: [String]
  /// True when no candidate will follow by trickle.
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

  /// The attributes of our section that tell the transport, with the `a=setup` word of the exchange.
  func attributes(setup: DTLSSetup) -> [SDPAttribute] {
    var attributes = [
      SDPAttribute("ice-ufrag", credentials.usernameFragment),
      SDPAttribute("ice-pwd", credentials.password),
      SDPAttribute("ice-options", "trickle"),
      SDPAttribute("fingerprint", fingerprint.description),
      SDPAttribute("setup", setup.rawValue),
    ]
    attributes += candidates.map { SDPAttribute("candidate", ICECandidate.strip($0)) }
    if candidatesAreComplete { attributes.append(SDPAttribute("end-of-candidates")) }
    return attributes
  }
}

/// The words of `a=setup` (RFC 4145 §4): who opens the DTLS handshake.
enum DTLSSetup: String, Sendable, Hashable {
  case active
  case passive
  /// Either; only in offers.
  case actpass
  /// Nobody yet; not for WebRTC (RFC 8842 §5.2).
  case holdconn

  init(_ role: NegotiatedSession.DTLSRole) {
    self = role == .client ? .active : .passive
  }

  /// Our role towards an offer, passive where we may choose: the server's choice of cipher counts, and Chromium's
  /// ClientHello is on its way before our answer is out.
  ///
  /// `keeping` is the role of the running association, which a new offer over the same transport must not turn round
  /// (RFC 8842 §5.5).
  static func role(
    answering offered: String?, keeping: NegotiatedSession.DTLSRole?
  ) throws(NegotiationError) -> NegotiatedSession.DTLSRole {
    // No setup line means active (RFC 4145 §4.1), but libwebrtc's kin mean actpass; both let us be passive.
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
    // A missing line is taken as libwebrtc takes it: the answerer is active.
    switch answered.map({ DTLSSetup(rawValue: $0.lowercased()) }) ?? .active {
    case .active: return .server
    case .passive: return .client
    case .actpass, .holdconn, nil: throw .setupConflict(.noRoleInAnswer)
    }
  }
}
