import Machines

/// The layers below RTP: processes the DTLS and SRTP datagrams of one path.
///
/// It also supports two kinds of path without a handshake: with keys from the signaling (SDES, RFC 4568), and without
/// keys.
struct SecurePath: ~Copyable {
  /// The output of the path.
  enum Event: Sendable, Hashable {
    case send([UInt8])
    /// Media may flow; the profile is nil for a path without encryption.
    case connected(SRTPProfile?)
    case failed(PeerFailure)
    case closed
  }

  private enum State: Hashable {
    /// The path is not up yet.
    case waiting
    case handshaking
    case connected
    case over
  }

  private var state = State.waiting
  /// Nil if the keys do not come from a handshake.
  private let dtls: DTLSSession?
  /// Nil until the keys are available, and always on a plain path.
  private var srtp: SRTPContext?
  private var events = OutputQueue<Event>()
  /// DTLS datagrams received before the path was up.
  private var heldHandshake: [[UInt8]] = []
  /// Media that overtook the last flight of the handshake.
  private var heldMedia: [HeldDatagram] = []
  private(set) var refusals = RefusalCounts()

  /// Chromium's ClientHello is two datagrams, initially repeated every 50 ms; more than this is not a handshake.
  private static let mostHeldHandshake = 16
  /// For a DTLS client, the answer to its last flight and media may arrive in either order: 64 packets are 640 ms.
  private static let mostHeldMedia = 64

  /// Creates a path with keys from a DTLS handshake.
  init(dtls: DTLSSession) {
    self.dtls = dtls
  }

  /// Creates a path with keys from the signaling.
  init(srtp: SRTPContext) {
    dtls = nil
    self.srtp = srtp
  }

  /// Creates a path without encryption, for a closed network.
  init() {
    dtls = nil
  }

  var isConnected: Bool { state == .connected }
  var deadline: MonotonicTime? { dtls?.deadline }

  mutating func next() -> Event? { events.next() }

  /// Reports that ICE found a pair (or that the transport needs none): held datagrams are processed, and a client
  /// starts.
  ///
  /// If DTLS were processed earlier, our answer would be lost and repeated only after OpenSSL's timer.
  mutating func connect(at now: MonotonicTime) {
    guard state == .waiting else { return }
    guard let dtls else {
      state = .connected
      return events.append(.connected(srtp?.profile))
    }
    state = .handshaking
    dtls.start(at: now)
    let held = heldHandshake
    heldHandshake = []
    for datagram in held { datagram.withUnsafeBytes { dtls.receive($0, at: now) } }
    collect()
  }

  /// Takes a datagram classified as DTLS by its first byte.
  mutating func receive(dtls datagram: UnsafeRawBufferPointer, at now: MonotonicTime) {
    guard let dtls else { return refusals.garbage += 1 }
    switch state {
    case .waiting:
      guard heldHandshake.count < Self.mostHeldHandshake, datagram.count <= SRTPContext.longestPacket else {
        return refusals.outOfSeason += 1
      }
      heldHandshake.append([UInt8](datagram))
    case .handshaking, .connected:
      dtls.receive(datagram, at: now)
      collect()
    case .over: refusals.outOfSeason += 1
    }
  }

  /// Decrypts a media datagram; nil if it was dropped (and counted) or kept for later. The result is valid until the
  /// next call.
  mutating func open(
    _ datagram: UnsafeRawBufferPointer, kind: DatagramKind, at now: MonotonicTime
  ) -> UnsafeRawBufferPointer? {
    guard state == .connected else {
      if state == .handshaking, heldMedia.count < Self.mostHeldMedia, datagram.count <= SRTPContext.longestPacket {
        heldMedia.append(HeldDatagram(bytes: [UInt8](datagram), arrival: now))
      } else {
        refusals.outOfSeason += 1
      }
      return nil
    }
    guard let srtp else {
      guard datagram.count <= SRTPContext.longestPacket else {
        refusals.malformed += 1
        return nil
      }
      return datagram
    }
    do throws(SRTPError) {
      return kind == .rtp ? try srtp.unprotect(rtp: datagram) : try srtp.unprotect(rtcp: datagram)
    } catch {
      refusals.count(error)
      return nil
    }
  }

  /// Returns media that arrived too early, once the keys are available; empty afterwards.
  mutating func takeHeldMedia() -> [HeldDatagram] {
    guard state == .connected, !heldMedia.isEmpty else { return [] }
    let held = heldMedia
    heldMedia = []
    return held
  }

  /// Protects one RTP packet of ours; the result is valid until the next call. Nil before the path is connected, or
  /// if the packet is malformed.
  func seal(rtp packet: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard state == .connected else { return nil }
    guard let srtp else { return packet }
    return try? srtp.protect(rtp: packet)
  }

  /// Protects one RTCP compound of ours.
  func seal(rtcp compound: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard state == .connected else { return nil }
    guard let srtp else { return compound }
    return try? srtp.protect(rtcp: compound)
  }

  mutating func advance(to now: MonotonicTime) {
    guard let dtls, let due = dtls.deadline, due <= now else { return }
    dtls.advance(to: now)
    collect()
  }

  /// Counts refusals of the layers above, so that all counts are in one place.
  mutating func refuse(_ reason: WritableKeyPath<RefusalCounts, Int>) { refusals[keyPath: reason] += 1 }

  /// True if the keys come from a handshake, so that close_notify signals the end.
  var hasHandshake: Bool { dtls != nil }
  var isOver: Bool { state == .over }

  /// Sends close_notify; nothing is sent or accepted afterwards.
  mutating func close() {
    dtls?.close()
    collect()
    end()
  }

  private mutating func end() {
    state = .over
    heldHandshake = []
    heldMedia = []
  }

  private mutating func collect() {
    while let output = dtls?.next() {
      switch output {
      case .send(let datagram): events.append(.send(datagram))
      case .connected(let profile): install(profile)
      case .failed(let failure): fail(PeerFailure(failure))
      case .closed:
        events.append(.closed)
        end()
      }
    }
  }

  private mutating func install(_ profile: SRTPProfile) {
    guard let keys = dtls?.takeKeys() else { return fail(.keying("OpenSSL did not export them")) }
    do throws(SRTPError) {
      srtp = try SRTPContext(keys: keys)
    } catch {
      return fail(.keying(error.description))
    }
    state = .connected
    events.append(.connected(profile))
  }

  private mutating func fail(_ failure: PeerFailure) {
    events.append(.failed(failure))
    end()
  }
}
