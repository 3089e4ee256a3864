/// The reason why an offer cannot be answered, or an answer not accepted, and the correction.
package enum NegotiationError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The fault in `a=setup`.
  package enum SetupFault: Sendable, Hashable {
    case noRoleInOffer
    case noRoleInAnswer
    case turnsRunningHandshakeRound
  }

  case noAudio
  case noOpus
  case noDTLS
  case noRTCPMux
  case noICECredentials
  case malformedICECredentials
  /// No usable fingerprint; `onlyWeak` if there were some, but none of SHA-256 or better that could be parsed.
  case noFingerprint(onlyWeak: Bool)
  case directionMismatch(role: Negotiation.Role, found: NegotiatedSession.Direction)
  case setupConflict(SetupFault)
  case repeatedMid
  /// The answer has a different number of sections than the offer.
  case sectionCount(offered: Int, answered: Int)
  /// A section of the answer has another kind, transport or mid; counted from 1.
  case sectionMismatch(section: Int)
  /// The peer refused the audio section (port 0).
  case audioRefused
  case payloadTypeMoved(offered: UInt8, answered: UInt8)

  /// A stable code for clients to switch on.
  package var code: String {
    switch self {
    case .noAudio: "no-audio"
    case .noOpus: "no-opus"
    case .noDTLS: "no-dtls"
    case .noRTCPMux: "no-rtcp-mux"
    case .noICECredentials: "no-ice-credentials"
    case .malformedICECredentials: "malformed-ice-credentials"
    case .noFingerprint: "no-fingerprint"
    case .directionMismatch: "direction-mismatch"
    case .setupConflict: "setup-conflict"
    case .repeatedMid: "repeated-mid"
    case .sectionCount, .sectionMismatch: "answer-mismatch"
    case .audioRefused: "audio-refused"
    case .payloadTypeMoved: "payload-type-moved"
    }
  }

  /// A sentence for the sender of the description; it quotes no address and no secret.
  package var description: String {
    switch self {
    case .noAudio: "There is no active audio section; add an audio track or transceiver."
    case .noOpus:
      "No audio section names Opus; it needs \"a=rtpmap:<type> opus/48000/2\" with a payload type of the m= line "
        + "that is not 64 to 95."
    case .noDTLS: "The audio section is not for DTLS-SRTP; its protocol should be \"UDP/TLS/RTP/SAVPF\"."
    case .noRTCPMux: "RTP and RTCP must share one port; add \"a=rtcp-mux\"."
    case .noICECredentials: "There are no ICE credentials; add \"a=ice-ufrag\" and \"a=ice-pwd\"."
    case .malformedICECredentials:
      "The ICE credentials are malformed; a=ice-ufrag has 4 to 256 and a=ice-pwd 22 to 256 letters, digits, + or /."
    case .noFingerprint(let onlyWeak):
      (onlyWeak ? "The certificate fingerprints are too weak or malformed" : "There is no certificate fingerprint")
        + "; add \"a=fingerprint:sha-256\" with 32 bytes."
    case .directionMismatch(let role, let found):
      switch role {
      case .receiveFromPeer:
        "The audio section says \(found.rawValue), but we are here to receive; it should say sendonly or sendrecv."
      case .sendToPeer:
        "The audio section says \(found.rawValue), but we are here to send; it should say recvonly or sendrecv."
      case .exchangeWithPeer:
        "The audio section says \(found.rawValue), but audio must flow both ways; it should say sendrecv."
      }
    case .setupConflict(.noRoleInOffer): "The offer's a=setup should say actpass, active or passive."
    case .setupConflict(.noRoleInAnswer): "The answer's a=setup should say active or passive."
    case .setupConflict(.turnsRunningHandshakeRound):
      "The a=setup of the new offer reverses the existing DTLS roles; it should say actpass."
    case .repeatedMid: "Two sections have the same a=mid; each section needs its own."
    case .sectionCount(let offered, let answered):
      "The answer has \(answered) sections, but the offer has \(offered); every section of the offer must be answered."
    case .sectionMismatch(let section):
      "Section \(section) of the answer differs from the offer in media, protocol or a=mid; they should be the same."
    case .audioRefused: "The other side refused the audio section; its port should not be 0."
    case .payloadTypeMoved(let offered, let answered):
      "The answer gives Opus the payload type \(answered), but the offer gave \(offered); it should keep the offer's."
    }
  }
}
