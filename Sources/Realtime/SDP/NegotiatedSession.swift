import Machines

/// What offer and answer agreed on: everything that ICE, DTLS, SRTP and RTP need to know of the other side.
package struct NegotiatedSession: Sendable, Hashable {
  /// Which side opens the DTLS handshake (RFC 5763, RFC 8842).
  package enum DTLSRole: Sendable, Hashable {
    /// We send the ClientHello (`a=setup:active` is ours).
    case client
    /// We wait for the ClientHello (`a=setup:passive` is ours).
    case server
  }

  /// Which way audio flows, seen from us.
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

  /// Header extension ids in use (RFC 8285), nil where not negotiated.
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
  /// True where the other side is an ICE-lite agent.
  package var remoteIsLite: Bool
  /// SHA-256 (or better) certificate fingerprints that the other side announced; one must match.
  package var remoteFingerprints: [Fingerprint]
  package var dtlsRole: DTLSRole
  /// `a=candidate` values (without "a=") that came inside the description.
  package var remoteCandidates: [String]
  /// True when the other side said `a=end-of-candidates`.
  package var remoteCandidatesComplete: Bool

  /// The `a=mid` of the audio section, which candidates name.
  package var mid: String
  package var direction: Direction
  /// RTP payload type of Opus in both directions.
  package var opusPayloadType: UInt8
  /// RTP payload type of RED (RFC 2198), where both sides take it.
  package var redPayloadType: UInt8?
  package var extensions: ExtensionIDs
  /// Generic NACK (RFC 4585) was agreed.
  package var nackAgreed: Bool
  /// Reduced-size RTCP (RFC 5506) was agreed.
  package var reducedSizeRTCP: Bool
  /// The other side says that it sends stereo (`sprop-stereo=1`).
  package var remoteSendsStereo: Bool
  /// The SSRC the other side announced by `a=ssrc`, where it did.
  package var remoteSSRC: UInt32?

  /// Which section of the description is ours, counted from 0; trickled candidates name it where they name no mid.
  package var mediaIndex: Int
  /// The other side takes candidates after the description (`a=ice-options:trickle`).
  package var remoteTrickles: Bool
  /// What the other side wishes to receive, and whether it sends stereo (RFC 7587 §6.1).
  package var remoteOpus: OpusParameters
  /// The packet length that the other side wishes for (`a=ptime`).
  package var remotePacketTime: MonotonicTime.Span?
  /// The other side put RED before Opus: it wishes for redundant audio, and Chromium then sends it.
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
  /// True where who wrote this direction sends (`peerSends`) or receives (not).
  func allows(peerSends: Bool) -> Bool {
    switch self {
    case .sendAndReceive: true
    case .sendOnly: peerSends
    case .receiveOnly: !peerSends
    case .inactive: false
    }
  }
}
