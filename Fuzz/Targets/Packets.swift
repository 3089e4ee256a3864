import Machines
import Realtime
import Recording

extension FuzzTarget {
  /// An RTP packet: header, extensions, redundant audio, the header of Opus.
  static let rtp = FuzzTarget("rtp", longest: 2_048) { bytes in
    guard let packet = try? RTPPacket(parsing: bytes) else { return }
    let header = packet.header
    try promise(packet.contributors.count == header.contributorCount, "the contributors are others than announced")
    var elements: [RTPHeaderExtension] = []
    for id in UInt8.min ... .max {
      guard let data = packet.extensionElement(id) else { continue }
      elements.append(RTPHeaderExtension(id: id, data: data))
      _ = (packet.audioLevel(id), packet.absoluteCaptureTime(id), packet.mid(id))
    }
    let writer = RTPWriter(
      payloadType: header.payloadType, marker: header.marker, sequenceNumber: header.sequenceNumber,
      timestamp: header.timestamp, ssrc: header.ssrc)
    let again = try? RTPPacket(parsing: writer.packet(extensions: elements, payload: packet.payload))
    try promise(again?.payload == packet.payload, "the payload is another once it was written")
    for element in elements {
      try promise(again?.extensionElement(element.id) == element.data, "extension \(element.id) is another")
    }
    _ = OpusPacket(packet.payload.span)
    guard let red = try? RedundantAudio(parsing: packet.payload) else { return }
    let total = red.redundant.reduce(red.primary.count) { $0 + $1.payload.count }
    try promise(total <= packet.payload.count, "the blocks are longer than the payload")
    let written = try red.payload()
    try promise((try? RedundantAudio(parsing: written[...])) == red, "the blocks are others once they were written")
    if let opus = OpusPacket(red.primary.span) {
      try promise((1...OpusPacket.longest).contains(opus.duration), "a packet of \(opus.duration) samples")
    }
  }

  /// A datagram of RTCP packets.
  static let rtcp = FuzzTarget("rtcp", longest: 2_048) { bytes in
    guard let packets = try? RTCPCompound.parse(bytes) else { return }
    let written = RTCPCompound.write(packets)
    // A byte of a name that is no UTF-8 becomes three.
    try promise(written.count <= 4 * bytes.count + 64, "\(bytes.count) bytes became \(written.count)")
    let again = try? RTCPCompound.parse(written)
    try promise(again?.count == packets.count, "there are other packets once they were written")
  }

  /// The answer of a STUN or TURN server, and that of a time server.
  static let stun = FuzzTarget("stun", longest: 2_048) { bytes in
    _ = ClockQuestion(at: NTPTime(bits: 1)).ahead(bytes, heard: NTPTime(bits: .max))
    guard let message = try? STUNMessage(parsing: bytes) else { return }
    _ = (message.relayedAddress, message.refusal, message.realm, message.nonce, message.data)
    let again = try? STUNMessage(parsing: message.bytes)
    try promise(again == message, "the message is another once it was written")
    if let place = message.mappedAddress {
      try promise(IPAddress(parsing: place.address.text) == place.address, "the address \(place) cannot be read again")
      let back = STUNMessage(
        .sendIndication, transaction: message.transaction,
        [
          .init(0x0020, STUNMessage.peer(place, transaction: message.transaction).value)
        ])
      try promise(back.mappedAddress == place, "the address \(place) is another once it was hidden")
    }
  }

  /// Packets after authentication: what a musician with good keys may send, over minutes of virtual time, forwarded to
  /// a listener. Input: a time step of 4 ms and a block for each datagram.
  static let peer = FuzzTarget("peer", longest: 16_384) { bytes in
    var input = FuzzInput(bytes)
    let extensions = extensionIDs(input.byte())
    let source = Forwarder.Source(opusPayloadType: 111, redPayloadType: 63, extensions: extensions)
    var musician = PeerSession(plain: PeerSession.Configuration(localSSRC: 1, cname: "fuzz", maySend: true))
    var listener = PeerSession(
      plain: PeerSession.Configuration(localSSRC: 2, cname: "fuzz", maySend: true),
      forwarding: Forwarder.Configuration(ssrc: 2, payloadType: 111, mid: "0", extensions: extensions))
    var now = MonotonicTime(nanoseconds: 0)
    musician.pathConnected(at: now)
    listener.pathConnected(at: now)
    func step(_ number: UInt8) { now = now + .milliseconds(4 * Int64(number)) }
    while true {
      step(input.byte())
      guard let datagram = input.block() else { break }
      if let due = musician.deadline, due <= now { musician.advance(to: now) }
      if let due = listener.deadline, due <= now { listener.advance(to: now) }
      datagram.withUnsafeBytes { _ = musician.receive($0, at: now) }
      // What a listener says may be as hostile.
      datagram.withUnsafeBytes { _ = listener.receive($0, at: now) }
      while let output = musician.next() {
        switch output {
        case .rtp(let packet): listener.forward(packet, from: source, at: now)
        case .send(let bytes): try promise(bytes.count <= 1_500, "a datagram of \(bytes.count) bytes")
        default: break
        }
      }
      while listener.next() != nil {}
    }
    musician.finish(at: now)
    while musician.next() != nil {}
  }

  /// Header extensions with ids that the input chooses.
  private static func extensionIDs(_ number: UInt8) -> NegotiatedSession.ExtensionIDs {
    NegotiatedSession.ExtensionIDs(mid: number & 7, audioLevel: number >> 3 & 7, absoluteCaptureTime: number >> 5 | 8)
  }

  private static let certificate = try? DTLSCertificate()

  /// Datagrams to a peer that waits for a DTLS handshake: records, and everything that RFC 7983 tells apart from them.
  static let dtls = FuzzTarget("dtls", longest: 8_192) { bytes in
    guard let certificate else { throw FuzzFault("there is no certificate") }
    var input = FuzzInput(bytes)
    let negotiated = NegotiatedSession(
      remoteCredentials: .init(usernameFragment: "u", password: "p"), remoteFingerprints: [certificate.fingerprint],
      dtlsRole: input.byte() & 1 == 0 ? .server : .client, mid: "0", direction: .sendAndReceive, opusPayloadType: 111)
    let configuration = PeerSession.Configuration(localSSRC: 1, cname: "fuzz", negotiated: negotiated)
    var session = try PeerSession(negotiated: negotiated, certificate: certificate, configuration: configuration)
    var now = MonotonicTime(nanoseconds: 0)
    session.pathConnected(at: now)
    while let datagram = input.block() {
      now = now + .milliseconds(10)
      datagram.withUnsafeBytes { _ = session.receive($0, at: now) }
      while let output = session.next() {
        if case .connected = output { throw FuzzFault("a handshake without the peer's certificate succeeded") }
        if case .rtp = output { throw FuzzFault("a packet came through without keys") }
      }
    }
    session.close()
  }
}
