import COpenSSL

/// AES of OpenSSL with one key, which starts anew for each packet by its nonce alone. Each operation is false where
/// OpenSSL refuses, which it does only if it runs out of memory, or buffers overlap in part.
struct EVPCipher: ~Copyable {
  enum Mode { case counter, galoisCounter }

  /// Length of the key, in bytes.
  static let keyLength = 16
  /// Length of the tag of Galois/counter mode, in bytes.
  static let tagLength = 16

  private let context: OpaquePointer
  /// Where the nonce starts among the 16 bytes.
  private let nonceStart: Int

  /// - Parameters:
  ///   - key: 16 bytes.
  ///   - encrypts: false to decrypt; in counter mode both are the same.
  init?(_ mode: Mode, key: UnsafeRawBufferPointer, encrypts: Bool) {
    guard key.count == Self.keyLength, let context = EVP_CIPHER_CTX_new() else { return nil }
    let cipher = mode == .counter ? EVP_aes_128_ctr() : EVP_aes_128_gcm()
    let bytes = key.assumingMemoryBound(to: UInt8.self).baseAddress
    guard EVP_CipherInit_ex(context, cipher, nil, bytes, nil, encrypts ? 1 : 0) == 1 else {
      EVP_CIPHER_CTX_free(context)
      return nil
    }
    self.context = context
    nonceStart = mode == .counter ? 0 : 2
  }

  deinit {
    // Overwrites the round keys as well.
    EVP_CIPHER_CTX_free(context)
  }

  /// Begins a packet. Minus one leaves the direction as it is.
  func start(_ nonce: PacketNonce) -> Bool {
    nonce.withUnsafeBytes { bytes in
      let start = bytes.baseAddress?.advanced(by: nonceStart).assumingMemoryBound(to: UInt8.self)
      return EVP_CipherInit_ex(context, nil, nil, nil, start, -1) == 1
    }
  }

  /// Adds bytes that are authenticated and not encrypted, before all others; Galois/counter mode only.
  func authenticate(_ bytes: UnsafeRawPointer?, count: Int) -> Bool {
    var done: Int32 = 0
    let input = bytes?.assumingMemoryBound(to: UInt8.self)
    return EVP_CipherUpdate(context, nil, &done, input, Int32(truncatingIfNeeded: count)) == 1
  }

  /// Encrypts or decrypts `count` bytes, which may stay where they are.
  func apply(_ bytes: UnsafeRawPointer, to output: UnsafeMutableRawPointer, count: Int) -> Bool {
    guard count > 0 else { return true }
    var done: Int32 = 0
    let (input, start) = (bytes.assumingMemoryBound(to: UInt8.self), output.assumingMemoryBound(to: UInt8.self))
    return EVP_CipherUpdate(context, start, &done, input, Int32(truncatingIfNeeded: count)) == 1
  }

  /// Ends a packet that was encrypted, and writes its tag of 16 bytes.
  func finish(tag: UnsafeMutableRawPointer) -> Bool {
    var done: Int32 = 0
    // In this mode nothing is left to write at the end.
    return EVP_CipherFinal_ex(context, tag.assumingMemoryBound(to: UInt8.self), &done) == 1
      && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(Self.tagLength), tag) == 1
  }

  /// Ends a packet that was decrypted; true only if it has this tag of 16 bytes, compared in constant time.
  func verify(tag: UnsafeRawPointer) -> Bool {
    // OpenSSL copies the tag, though its parameter is not constant.
    let expected = UnsafeMutableRawPointer(mutating: tag)
    var (done, nothing): (Int32, UInt8) = (0, 0)
    return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(Self.tagLength), expected) == 1
      && EVP_CipherFinal_ex(context, &nothing, &done) == 1
  }
}
