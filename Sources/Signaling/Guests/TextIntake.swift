import Machines

/// How much a foreign server may say: enough for any room, and too little to keep this machine busy or fill its memory.
package struct TextIntake: Sendable {
  /// In the long run, in texts a second and KiB a second; and at once.
  static let texts = 200
  static let burst = 4_000
  static let kibibytes = 512
  static let kibibytesAtOnce = 8_192

  private var texts = RateLimit(perSecond: TextIntake.texts, burst: TextIntake.burst)
  private var kibibytes = RateLimit(perSecond: TextIntake.kibibytes, burst: TextIntake.kibibytesAtOnce)

  package init() {}

  /// Counts a text; false if the server says too much.
  package mutating func admit(_ bytes: Int, at now: MonotonicTime) -> Bool {
    guard texts.admit(at: now) else { return false }
    for _ in 0..<max(bytes / 1_024, 0) where !kibibytes.admit(at: now) { return false }
    return true
  }
}
