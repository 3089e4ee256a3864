import Realtime

/// The offer of a laboratory's musician who comes by WHIP: it sends Opus and hears nothing.
struct SecureOffer {
  let credentials: NegotiatedSession.ICECredentials
  let certificate: DTLSCertificate
  let text: String

  /// - Throws: `DTLSError` if OpenSSL makes no certificate.
  init(_ musician: RealMusician) throws {
    credentials = NegotiatedSession.ICECredentials(
      usernameFragment: SecureOffer.letters(8), password: SecureOffer.letters(24))
    certificate = try DTLSCertificate()
    let (opus, red) = (MusicianScore.payloadType, MusicianScore.redPayloadType)
    var lines = [
      "v=0", "o=- 1 1 IN IP4 127.0.0.1", "s=-", "t=0 0", "a=group:BUNDLE 0",
      "m=audio 9 UDP/TLS/RTP/SAVPF \(musician.sendsRedundancy ? "\(red) \(opus)" : "\(opus)")", "c=IN IP4 0.0.0.0",
      "a=ice-ufrag:\(credentials.usernameFragment)", "a=ice-pwd:\(credentials.password)",
      "a=fingerprint:\(certificate.fingerprint)", "a=setup:active", "a=mid:0", "a=sendonly", "a=rtcp-mux",
      "a=rtpmap:\(opus) opus/48000/2", "a=rtcp-fb:\(opus) nack",
    ]
    if musician.sendsRedundancy { lines += ["a=rtpmap:\(red) red/48000/2", "a=fmtp:\(red) \(opus)/\(opus)"] }
    if musician.stampsEvery != nil {
      lines.append(
        "a=extmap:\(MusicianScore.captureTimeExtension) http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time")
    }
    text = lines.map { $0 + "\r\n" }.joined()
  }

  /// What the recorder answered.
  /// - Throws: `SDPError` and `NegotiationError` where the answer is none to this offer.
  func accept(_ answer: String) throws -> NegotiatedSession {
    try Negotiation.accept(
      answer: SessionDescription(parsing: answer), to: SessionDescription(parsing: text), role: .sendToPeer)
  }

  private static func letters(_ count: Int) -> String {
    String((0..<count).map { _ in "abcdefghijklmnopqrstuvwxyz0123456789".randomElement() ?? "a" })
  }
}
