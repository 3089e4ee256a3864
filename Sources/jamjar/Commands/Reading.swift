import Foundation
import Music

/// How times and measures are written for people.
enum Reading {
  /// "2026-11-21 06:59:03".
  static func started(_ take: Take) -> String {
    String(take.startedAt.description.prefix(19).map { $0 == "T" ? " " : $0 })
  }

  /// "4:05.250", "-" where it is not known.
  static func length(_ length: SamplePosition?) -> String {
    length.map { position($0) } ?? "-"
  }

  /// A place on the time line: "4:05.250", with hours only where there are some.
  static func position(_ position: SamplePosition) -> String {
    let milliseconds = (position.samples * 1_000 + SamplePosition.rate / 2) / SamplePosition.rate
    let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
    let seconds = String(format: "%02d.%03d", Int(milliseconds / 1_000 % 60), Int(milliseconds % 1_000))
    return hours > 0 ? "\(hours):\(String(format: "%02d", Int(minutes))):\(seconds)" : "\(minutes):\(seconds)"
  }

  /// A number with so many digits behind the point, "-" where there is none.
  static func fixed(_ value: Double?, _ digits: Int) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.\(digits)f", value)
  }
}
