import COpenSSL
import Machines
import Music

/// Passwords of links, by OpenSSL's scrypt (RFC 7914). Slow on purpose, so never on a thread of Swift's pool.
extension PasswordHash {
  /// N = 2^15 with r = 8: 32 MiB and some 60 ms each, which makes guessing a stolen file's passwords dear.
  private static let usualCost = 1 << 15
  private static let blockSize: UInt64 = 8
  private static let length = 32
  /// Most memory that one hash may take, in bytes: that of the greatest cost in `TakeShares.check`, and a little more.
  private static let memory: UInt64 = 2 << 30

  /// The permitted lengths of a password, in bytes.
  package static let permitted = 6...200

  /// Hashes `password` with a salt of its own; nil if memory runs out.
  package static func make(of password: String) -> PasswordHash? {
    let salt = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    return scrypt(password, salt: salt, cost: usualCost).map {
      PasswordHash(salt: salt, hash: $0, cost: usualCost)
    }
  }

  func fits(_ password: String) -> Bool {
    guard PasswordHash.permitted.contains(password.utf8.count),
      let found = PasswordHash.scrypt(password, salt: salt, cost: cost)
    else { return false }
    return ConstantTime.equal(found, hash)
  }

  private static func scrypt(_ password: String, salt: [UInt8], cost: Int) -> [UInt8]? {
    guard let cost = UInt64(exactly: cost) else { return nil }
    var out = [UInt8](repeating: 0, count: length)
    let bytes = password.utf8.map { CChar(bitPattern: $0) }
    let done = EVP_PBE_scrypt(bytes, bytes.count, salt, salt.count, cost, blockSize, 1, memory, &out, out.count)
    return done == 1 ? out : nil
  }
}
