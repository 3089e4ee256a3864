import Machines

/// The layers below RTP: what DTLS and SRTP make of the datagrams of one path.
///
/// Also knows the two ways without a handshake: keys that the signaling brought (SDES, RFC 4568) and no keys at all.
struct SecurePath: ~Copyable {
  /// What the path has to say.
  enum Event: Sendable, Hashable {
    case send([UInt8])
    /// Media may flow; the profile is nil on a path without encryption.
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
  /// Nil where the keys do not come from a handshake.
  private let dtls: DTLSSession?
  /// Nil before the keys are there, and always on a plain path.
  private var srtp: SRTPContext?
  private var events = OutputQueue<Event>()
  /// DTLS that came before the path was up.
  private var heldHandshake: [[UInt8]] = []
  /// Media that overtook the last flight of the handshake.
  private var heldMedia: [HeldDatagram] = []
  private(set) var refusals = RefusalCounts()

  /// Chromium's ClientHello is two datagrams, repeated every 50 ms at first; more than this is not a handshake.
  private static let mostHeldHandshake = 16
  /// As a DTLS client our last flight may be answered and followed by media in either order: 64 packets are 640 ms.
  private static let mostHeldMedia = 64

  /// A path whose keys come from a DTLS handshake.
  init(dtls: DTLSSession) {
    self.dtls = dtls
  }

  /// A path whose keys came with the signaling.
  init(srtp: SRTPContext) {
    dtls = nil
    self.srtp = srtp
  }

  /// A path without encryption, for a closed network.
  init() {
    dtls = nil
  }

  var isConnected: Bool { state == .connected }
  var deadline: MonotonicTime? { dtls?.deadline }

  mutating func next() -> Event? { events.next() }

  /// ICE found a pair (or the transport needs none): what was held is fed now, and a client begins.
  ///
  /// Feeding DTLS earlier would lose our answer, and OpenSSL would wait for its timer before it answers again.
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

  /// Takes a datagram that is DTLS by its first byte.
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

  /// The plain bytes of a media datagram, or nil when it was dropped (and counted) or kept for later.
  /// They are good until the next call.
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

  /// Media that came too early, once the keys are there; empty ever after.
  mutating func takeHeldMedia() -> [HeldDatagram] {
    guard state == .connected, !heldMedia.isEmpty else { return [] }
    let held = heldMedia
    heldMedia = []
    return held
  }

  /// The bytes to send for one RTP packet of ours, good until the next call; nil before the path is connected, and
  /// where the packet is not one.
  func seal(rtp packet: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    guard state == .connected else { return nil }
    guard let srtp else { return packet }
    return try? srtp.protect(rtp: packet)
  }

  /// The bytes to send for one RTCP compound of ours.
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

  /// Counts what the layers above refuse, so that all refusals stand in one place.
  mutating func refuse(_ reason: WritableKeyPath<RefusalCounts, Int>) { refusals[keyPath: reason] += 1 }

  /// True where the keys come from a handshake, whose close_notify tells the end.
  var hasHandshake: Bool { dtls != nil }
  var isOver: Bool { state == .over }

  /// Says close_notify; nothing is sent or opened afterwards.
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
