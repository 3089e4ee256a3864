import Music

/// The links to a take: `shares.json` in its folder, which moves to the trash and is purged with it.
///
/// Not a part of `annotations.json`, which archives contain: no hash of a secret leaves the service.
package struct TakeShares: TakeSidecar, Hashable {
  package static let currentVersion = 1
  package static let fileName = "shares.json"

  package var version = TakeShares.currentVersion
  package var take: TakeID
  package var shares: [Share]

  /// Creates an empty list.
  package init(take: TakeID) {
    self.take = take
    shares = []
  }

  package func check() throws(ValueProblem) {
    for share in shares {
      guard share.secretHash.count == 32 else {
        throw ValueProblem("secretHash", "\(share.secretHash.count) bytes", "32 bytes")
      }
      guard let password = share.password else { continue }
      // Whoever can write here could have the service compute for hours otherwise.
      guard (2...(1 << 20)).contains(password.cost), password.cost.nonzeroBitCount == 1 else {
        throw ValueProblem("password.cost", "\(password.cost)", "a power of two from 2 to 2^20")
      }
      guard password.hash.count == 32, (8...64).contains(password.salt.count) else {
        throw ValueProblem("password", "a hash of \(password.hash.count) bytes", "32 bytes with a salt of 8 to 64")
      }
    }
  }
}
