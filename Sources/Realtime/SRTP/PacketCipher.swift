/// Protects or opens packets of one direction: of SRTP, or of SRTCP, which has keys of its own (RFC 3711 sections 3.1
/// and 3.4, RFC 7714 sections 8 and 9). It keeps no account of them; `SRTPContext` does.
struct PacketCipher: ~Copyable {
  enum Kind { case rtp, rtcp }

  /// What belongs to a packet beside its bytes.
  struct Parameters {
    /// Bytes at the beginning that stay readable, as the header does.
    let clear: Int
    let ssrc: UInt32
    let index: Int64
    /// SRTP: the rollover counter, which is authenticated and not sent. SRTCP: the E flag and the index.
    let word: UInt32
  }

  /// The E flag of SRTCP: the packet is encrypted (RFC 3711 section 3.4).
  static let encrypted: UInt32 = 1 << 31
  /// The most that a packet grows by, in bytes.
  static let longestTrailer = EVPCipher.tagLength + Self.wordLength
  private static let wordLength = 4

  /// Bytes behind the content of a protected packet.
  let trailer: Int
  private let kind: Kind
  private let keys: SessionKeys
  private let cipher: EVPCipher
  /// Nil in Galois/counter mode, which authenticates itself.
  private let authentication: HMACSHA1?

  /// Nil if OpenSSL runs out of memory.
  init?(_ material: borrowing KeyMaterial, kind: Kind, protects: Bool) {
    guard let keys = SessionKeys.derived(from: material, for: kind) else { return nil }
    self.init(material.profile, kind: kind, keys: keys, protects: protects)
  }

  init?(_ profile: SRTPProfile, kind: Kind, keys: consuming SessionKeys, protects: Bool) {
    let usesCounterMode = profile == .aes128CMSHA180
    guard let cipher = EVPCipher(usesCounterMode ? .counter : .galoisCounter, key: keys.key, encrypts: protects) else {
      return nil
    }
    if usesCounterMode {
      authentication = HMACSHA1(key: keys.authentication)
    } else {
      authentication = nil
    }
    trailer = profile.tagLength + (kind == .rtcp ? Self.wordLength : 0)
    self.kind = kind
    self.cipher = cipher
    self.keys = keys
  }

  /// Protects a packet of at least `clear` bytes; `output` has `trailer` bytes more than the packet. False if OpenSSL
  /// refuses.
  func protect(
    _ packet: UnsafeRawBufferPointer, _ parameters: Parameters, into output: UnsafeMutableRawPointer
  ) -> Bool {
    let (clear, count, word) = (parameters.clear, packet.count, parameters.word)
    guard let input = packet.baseAddress, start(parameters) else { return false }
    let end = output + count
    output.copyMemory(from: input, byteCount: clear)
    switch authentication {
    case .some(let authentication):
      guard cipher.apply(input + clear, to: output + clear, count: count &- clear) else { return false }
      store(word, at: end)
      authentication.sign(output, count: count, and: word, tag: end + wordLength)
      return true
    case .none:
      guard cipher.authenticate(input, count: clear), authenticate(word),
        cipher.apply(input + clear, to: output + clear, count: count &- clear), cipher.finish(tag: end)
      else { return false }
      store(word, at: end + EVPCipher.tagLength)
      return true
    }
  }

  /// Opens a packet of at least `clear` bytes and the trailer; `output` has as many. False if it is not authentic.
  func open(
    _ packet: UnsafeRawBufferPointer, _ parameters: Parameters, into output: UnsafeMutableRawPointer
  ) -> Bool {
    // in range: the caller has compared them.
    let (clear, count) = (parameters.clear, packet.count - trailer)
    guard let input = packet.baseAddress else { return false }
    let end = input + count
    switch authentication {
    case .some(let authentication):
      guard authentication.verify(input, count: count, and: parameters.word, tag: end + wordLength),
        start(parameters), cipher.apply(input + clear, to: output + clear, count: count &- clear)
      else { return false }
    case .none:
      // Decrypts first; what is not authentic is not returned.
      guard start(parameters), cipher.authenticate(input, count: clear), authenticate(parameters.word),
        cipher.apply(input + clear, to: output + clear, count: count &- clear), cipher.verify(tag: end)
      else { return false }
    }
    output.copyMemory(from: input, byteCount: clear)
    return true
  }

  private var wordLength: Int { kind == .rtcp ? Self.wordLength : 0 }

  private func start(_ parameters: Parameters) -> Bool {
    cipher.start(PacketNonce(salt: keys.salt, ssrc: parameters.ssrc, index: parameters.index))
  }

  /// Adds the index of SRTCP to what is authenticated (RFC 7714 section 9.2).
  private func authenticate(_ word: UInt32) -> Bool {
    guard kind == .rtcp else { return true }
    return withUnsafeBytes(of: word.bigEndian) { cipher.authenticate($0.baseAddress, count: $0.count) }
  }

  private func store(_ word: UInt32, at place: UnsafeMutableRawPointer) {
    guard kind == .rtcp else { return }
    place.storeBytes(of: word.bigEndian, as: UInt32.self)
  }
}
