import Machines

/// The result of offer and answer: all parameters of the peer for ICE, DTLS, SRTP and RTP.
package struct NegotiatedSession: Sendable, Hashable {
  /// The side that opens the DTLS handshake (RFC 5763, RFC 8842).
  package enum DTLSRole: Sendable, Hashable {
    /// We send the ClientHello (`a=setup:active` is ours).
    case client
    /// We wait for the ClientHello (`a=setup:passive` is ours).
    case server
  }

  /// The direction of audio from our point of view.
  package enum Direction: String, Sendable, Hashable {
    case sendOnly = "sendonly"
    case receiveOnly = "recvonly"
    case sendAndReceive = "sendrecv"
    case inactive
  }

  /// ICE credentials of one side (RFC 8839 §5.4).
  package struct ICECredentials: Sendable, Hashable {
    package var usernameFragment: String
    package var password: String
    package init(usernameFragment: String, password: String) {
      self.usernameFragment = usernameFragment
      self.password = password
    }
  }

  /// Header extension ids in use (RFC 8285); nil if not negotiated.
  package struct ExtensionIDs: Sendable, Hashable {
    package var mid: UInt8?
    package var audioLevel: UInt8?
    package var absoluteCaptureTime: UInt8?
    package init(mid: UInt8? = nil, audioLevel: UInt8? = nil, absoluteCaptureTime: UInt8? = nil) {
      self.mid = mid
      self.audioLevel = audioLevel
      self.absoluteCaptureTime = absoluteCaptureTime
    }
  }

  package var remoteCredentials: ICECredentials
  /// True if the peer is an ICE-lite agent.
  package var remoteIsLite: Bool
  /// Certificate fingerprints announced by the peer, SHA-256 or better; one must match.
  package var remoteFingerprints: [Fingerprint]
  package var dtlsRole: DTLSRole
  /// `a=candidate` values (without "a=") in the description.
  package var remoteCandidates: [String]
  /// True if the peer sent `a=end-of-candidates`.
  package var remoteCandidatesComplete: Bool

  /// The `a=mid` of the audio section, used in candidates.
  package var mid: String
  package var direction: Direction
  /// RTP payload type of Opus in both directions.
  package var opusPayloadType: UInt8
  /// RTP payload type of RED (RFC 2198), if both sides support it.
  package var redPayloadType: UInt8?
  package var extensions: ExtensionIDs
  /// True if generic NACK (RFC 4585) was negotiated.
  package var nackAgreed: Bool
  /// True if reduced-size RTCP (RFC 5506) was negotiated.
  package var reducedSizeRTCP: Bool
  /// True if the peer announces stereo (`sprop-stereo=1`).
  package var remoteSendsStereo: Bool
  /// The SSRC announced by the peer in `a=ssrc`, if any.
  package var remoteSSRC: UInt32?

  /// Index of our section in the description, from 0; trickled candidates without a mid contain it.
  package var mediaIndex: Int
  /// True if the peer accepts candidates after the description (`a=ice-options:trickle`).
  package var remoteTrickles: Bool
  /// The peer's preferences for receiving, and whether it sends stereo (RFC 7587 §6.1).
  package var remoteOpus: OpusParameters
  /// The packet length requested by the peer (`a=ptime`).
  package var remotePacketTime: MonotonicTime.Span?
  /// True if the peer listed RED before Opus: it prefers redundant audio, and Chromium then sends it.
  package var remotePrefersRED: Bool

  package init(
    remoteCredentials: ICECredentials, remoteIsLite: Bool = false, remoteFingerprints: [Fingerprint],
    dtlsRole: DTLSRole, remoteCandidates: [String] = [], remoteCandidatesComplete: Bool = false,
    mid: String, direction: Direction, opusPayloadType: UInt8, redPayloadType: UInt8? = nil,
    extensions: ExtensionIDs = ExtensionIDs(), nackAgreed: Bool = false, reducedSizeRTCP: Bool = false,
    remoteSendsStereo: Bool = false, remoteSSRC: UInt32? = nil, mediaIndex: Int = 0, remoteTrickles: Bool = true,
    remoteOpus: OpusParameters = OpusParameters(), remotePacketTime: MonotonicTime.Span? = nil,
    remotePrefersRED: Bool = false
  ) {
    self.remoteCredentials = remoteCredentials
    self.remoteIsLite = remoteIsLite
    self.remoteFingerprints = remoteFingerprints
    self.dtlsRole = dtlsRole
    self.remoteCandidates = remoteCandidates
    self.remoteCandidatesComplete = remoteCandidatesComplete
    self.mid = mid
    self.direction = direction
    self.opusPayloadType = opusPayloadType
    self.redPayloadType = redPayloadType
    self.extensions = extensions
    self.nackAgreed = nackAgreed
    self.reducedSizeRTCP = reducedSizeRTCP
    self.remoteSendsStereo = remoteSendsStereo
    self.remoteSSRC = remoteSSRC
    self.mediaIndex = mediaIndex
    self.remoteTrickles = remoteTrickles
    self.remoteOpus = remoteOpus
    self.remotePacketTime = remotePacketTime
    self.remotePrefersRED = remotePrefersRED
  }
}

extension NegotiatedSession.Direction {
  /// True if the direction's author sends (`peerSends` true) or receives (false).
  func allows(peerSends: Bool) -> Bool {
    switch self {
    case .sendAndReceive: true
    case .sendOnly: peerSends
    case .receiveOnly: !peerSends
    case .inactive: false
    }
  }
}
