import Foundation
import Music

/// Formats times and measurements for users.
enum Reading {
  /// "2026-11-21 06:59:03".
  static func started(_ take: Take) -> String {
    String(take.startedAt.description.prefix(19).map { $0 == "T" ? " " : $0 })
  }

  /// "2026-11-21 06:59:03" from a time in REST's format; "-" for nil.
  static func time(_ text: String?) -> String {
    text.map { String($0.prefix(19).map { $0 == "T" ? " " : $0 }) } ?? "-"
  }

  /// "4:05.250" from seconds; "-" if unknown.
  static func length(seconds: Double?) -> String {
    length(seconds.flatMap { SamplePosition(seconds: $0) })
  }

  /// "★★★☆☆"; empty if unrated.
  static func stars(_ rating: Int64?) -> String {
    guard let rating, (1...5).contains(rating) else { return "" }
    return String(repeating: "★", count: Int(rating)) + String(repeating: "☆", count: 5 - Int(rating))
  }

  /// "1.2 GB", in powers of ten.
  static func bytes(_ count: Int64) -> String {
    var value = Double(count)
    for unit in ["bytes", "kB", "MB", "GB"] {
      if value < 1_000 { return "\(fixed(value, unit == "bytes" ? 0 : 1)) \(unit)" }
      value /= 1_000
    }
    return "\(fixed(value, 1)) TB"
  }

  /// "4:05.250"; "-" if unknown.
  static func length(_ length: SamplePosition?) -> String {
    length.map { position($0) } ?? "-"
  }

  /// A position on the time line: "4:05.250", with hours only if needed.
  static func position(_ position: SamplePosition) -> String {
    let milliseconds = (position.samples * 1_000 + SamplePosition.rate / 2) / SamplePosition.rate
    let (hours, minutes) = (milliseconds / 3_600_000, milliseconds / 60_000 % 60)
    let seconds = String(format: "%02d.%03d", Int(milliseconds / 1_000 % 60), Int(milliseconds % 1_000))
    return hours > 0 ? "\(hours):\(String(format: "%02d", Int(minutes))):\(seconds)" : "\(minutes):\(seconds)"
  }

  /// A number with this many decimal places; "-" for nil.
  static func fixed(_ value: Double?, _ digits: Int) -> String {
    guard let value, value.isFinite else { return "-" }
    return String(format: "%.\(digits)f", value)
  }
}
