import Synchronization

/// The keys and tokens that were right in this process, by fingerprints that are only good here.
///
/// Nobody who guesses gets anything in. A musician at the address of somebody who guesses goes on by what is known.
final class ProvenSecrets: Sendable {
  /// Most fingerprints: of all tokens of a busy day. Beyond that all are forgotten, which costs their holders a second at
  /// most, and only beside somebody who guesses.
  private static let capacity = 16_384

  private let prints = Mutex<Set<Int>>([])

  func contains(_ secret: String) -> Bool {
    let mark = ProvenSecrets.mark(of: secret)
    return prints.withLock { $0.contains(mark) }
  }

  func insert(_ secret: String) {
    let mark = ProvenSecrets.mark(of: secret)
    prints.withLock { prints in
      guard !prints.contains(mark) else { return }
      if prints.count >= ProvenSecrets.capacity { prints.removeAll(keepingCapacity: true) }
      prints.insert(mark)
    }
  }

  /// By the process' own random seed (SipHash), so that nobody outside can make two that are equal.
  private static func mark(of secret: String) -> Int {
    var hasher = Hasher()
    hasher.combine(secret)
    return hasher.finalize()
  }
}
