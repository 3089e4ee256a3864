import Music

/// A take after an edit, in a line for people.
struct EditedTake {
  private let take: Take

  init(_ take: Take) {
    self.take = take
  }

  var text: String {
    let said = take.annotations
    var parts = ["take \(take.number) in room \"\(take.room)\""]
    if let song = take.song { parts[0] += " of \"\(song.title.printable)\"" }
    if let title = said.title { parts.append("\"\(title.printable)\"") }
    if let rating = said.rating { parts.append(Reading.stars(Int64(rating))) }
    if said.isFavourite { parts.append("favourite") }
    if !said.tags.isEmpty { parts.append("tags \(said.tags.map(\.printable).joined(separator: ", "))") }
    if take.deletedAt != nil { parts.append("in the trash") }
    return "\(take.id): \(parts.joined(separator: "; ")); revision \(take.revision)"
  }
}
