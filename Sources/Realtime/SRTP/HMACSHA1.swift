import COpenSSL

/// The authentication of RFC 3711 section 4.2.1 with one key, in separate memory that is overwritten on release.
struct HMACSHA1: ~Copyable {
  /// Length of the tag in bytes: the beginning of the code of 20.
  static let tagLength = 10

  private let state: UnsafeMutablePointer<copenssl_hmac_sha1>

  /// - Parameter key: up to 64 bytes.
  init(key: UnsafeRawBufferPointer) {
    state = .allocate(capacity: 1)
    copenssl_hmac_sha1_init(state, key.baseAddress, key.count)
  }

  deinit {
    OPENSSL_cleanse(state, MemoryLayout<copenssl_hmac_sha1>.size)
    state.deallocate()
  }

  /// Writes the tag of `count` bytes, and of a number in network byte order behind them.
  func sign(_ bytes: UnsafeRawPointer, count: Int, and number: UInt32, tag: UnsafeMutableRawPointer) {
    withCode(of: bytes, count: count, and: number) { tag.copyMemory(from: $0, byteCount: Self.tagLength) }
  }

  /// True if that is their tag; takes as long wherever it differs.
  func verify(_ bytes: UnsafeRawPointer, count: Int, and number: UInt32, tag: UnsafeRawPointer) -> Bool {
    withCode(of: bytes, count: count, and: number) { CRYPTO_memcmp($0, tag, Self.tagLength) == 0 }
  }

  private func withCode<Result>(
    of bytes: UnsafeRawPointer, count: Int, and number: UInt32, _ body: (UnsafeRawPointer) -> Result
  ) -> Result {
    var code = InlineArray<20, UInt8>(repeating: 0)
    var number = number.bigEndian
    copenssl_hmac_sha1_code(state, bytes, count, &number, &code)
    return body(&code)
  }
}
