import Signaling

/// A take after an edit, in a line for people.
struct EditedTake {
  private let take: TakeView

  init(_ json: JSONObject) {
    take = TakeView(json)
  }

  var text: String {
    var parts = ["take \(take.number) in room \"\(take.room.printable)\""]
    if let song = take.song { parts[0] += " of \"\(song.printable)\"" }
    if let title = take.title { parts.append("\"\(title.printable)\"") }
    if take.rating != nil { parts.append(Reading.stars(take.rating)) }
    if take.isFavourite { parts.append("favourite") }
    if !take.tags.isEmpty { parts.append("tags \(take.tags.map(\.printable).joined(separator: ", "))") }
    if take.isDeleted { parts.append("in the trash") }
    return "\(take.id): \(parts.joined(separator: "; ")); revision \(take.revision)"
  }
}
