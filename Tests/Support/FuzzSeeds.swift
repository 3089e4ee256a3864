import Foundation

/// Seeds for tests with random input: a few in every run, as many as one likes by `script/fuzz --seeds`.
package enum FuzzSeeds {
  /// How many seeds `script/fuzz --seeds` asks for.
  private static let variable = "JAMJAR_SEEDS"

  /// 1 to `count`, or to the number that the environment names.
  package static func upTo(_ count: UInt64) -> [UInt64] {
    let wanted = ProcessInfo.processInfo.environment[variable].flatMap(UInt64.init) ?? count
    return Array(1...max(1, wanted))
  }
}
