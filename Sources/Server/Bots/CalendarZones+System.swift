import Foundation
import Music
import Signaling

extension CalendarZones {
  /// The zones of this machine's database.
  static let system = CalendarZones { name, moment in
    guard let zone = zone(name) else { return nil }
    return zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(moment.seconds)))
  }

  private static func zone(_ name: String?) -> TimeZone? {
    guard let name else { return .current }
    // The database is files, and the name is a path there.
    let isPlain = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
      case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "_"), UInt8(ascii: "-"): true
      case UInt8(ascii: "+"): true
      default: false
      }
    }
    guard isPlain, !name.isEmpty, name.utf8.count <= 64, !name.hasPrefix("/") else { return nil }
    return TimeZone(identifier: name)
  }
}
