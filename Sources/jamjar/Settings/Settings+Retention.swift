import Library
import Music

extension Settings {
  /// Maximum retention period in days: a hundred years.
  static let days = 0...36_500

  static func readRetention(_ reader: inout SettingsReader) -> RetentionPolicy {
    var policy = RetentionPolicy()
    policy.trashDays = reader.whole(.trashDays, in: days, default: policy.trashDays)
    if let text = reader.text(.retentionDays) {
      for part in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let rule = rule(String(part).trimmed) else {
          reader.problem(.retentionDays, text, "days from 0 to 36500, or rooms with days: Cellar=30,*=90")
          break
        }
        if let room = rule.room { policy.daysByRoom[room] = rule.days } else { policy.days = rule.days }
      }
    }
    if let text = reader.text(.retentionKeep) {
      policy.keepsFavourites = false
      policy.keepsRatings = nil
      for word in text.split(separator: ",", omittingEmptySubsequences: false).map({ String($0).trimmed.lowercased() })
      {
        switch word {
        case "favourites": policy.keepsFavourites = true
        case "rated": policy.keepsRatings = 1
        case "rated-1", "rated-2", "rated-3", "rated-4", "rated-5": policy.keepsRatings = Int(word.suffix(1))
        case "nothing": break
        default: reader.problem(.retentionKeep, text, "favourites, rated, rated-1 to rated-5, nothing")
        }
      }
    }
    return policy
  }

  /// Parses "90", "*=90" or "Cellar=30"; the room is nil for the first two.
  private static func rule(_ text: String) -> (room: RoomName?, days: Int)? {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false).map { String($0).trimmed }
    guard let last = parts.last, let count = Int(last), days.contains(count), parts.count <= 2 else { return nil }
    guard parts.count == 2, parts[0] != "*" else { return (nil, count) }
    guard let room = RoomName(parts[0]) else { return nil }
    return (room, count)
  }
}
