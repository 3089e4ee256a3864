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
