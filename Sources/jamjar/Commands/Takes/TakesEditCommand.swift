import ArgumentParser
import Music
import Signaling

/// Edits a take's title, rating, tags, notes and song.
struct TakesEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Name, rate, tag a take, write notes, or move it to another song.",
    discussion:
      "Other fields stay as they are. Works on the data folder, even while a service is running, or over REST.")

  @Argument(help: "Id of the take, the first 6 or more characters of it, or last.", completion: .take)
  var take: String
  @Option(name: .long, help: "The take's own title; none removes it.")
  var title: String?
  @Option(name: .long, help: "1 to 5, or none.")
  var rating: String?
  @Flag(name: .long, inversion: .prefixedNo, help: "Mark or unmark it as a favourite.")
  var favourite: Bool?
  @Option(name: .long, help: "Notes; none removes them.")
  var notes: String?
  @Option(name: .long, help: "Add a tag; can be given several times.")
  var tag: [String] = []
  @Option(name: .long, help: "Remove a tag, ignoring case; can be given several times.")
  var untag: [String] = []
  @Option(name: .long, help: "Move it to the song with this title or id, or to none. A new title creates a song.")
  var song: String?
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print the take as JSON.")
  var json = false

  func validate() throws {
    if let rating, rating != "none", !(Int(rating).map { TakeAnnotations.ratings.contains($0) } ?? false) {
      throw ValidationError("--rating is \(rating); permitted: 1 to 5, or none")
    }
    if title == nil, rating == nil, favourite == nil, notes == nil, tag.isEmpty, untag.isEmpty, song == nil {
      throw ValidationError("nothing to change; give --title, --rating, --favourite, --notes, --tag or --song")
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let book = try await shelf.book(forReadingOnly: false)
      let (id, found) = try await book.findTake(take)
      var patch: JSONObject = [:]
      if let title { patch["title"] = TakesEditCommand.value(title) }
      if let rating { patch["rating"] = Int64(rating).map { .integer($0) } ?? .null }
      if let favourite { patch["favourite"] = .bool(favourite) }
      if let notes { patch["notes"] = TakesEditCommand.value(notes) }
      if let song { patch["song"] = TakesEditCommand.target(song) }
      var revision: Int?
      if !tag.isEmpty || !untag.isEmpty {
        let take = TakeView(found)
        patch["tags"] = .array(tags(after: take.tags).map { .string($0) })
        // The edit replaces the whole list: tags added by others in the meantime must not be lost.
        revision = Int(take.revision)
      }
      let edited = try await book.edit(id, patch, ifRevision: revision)
      print(json ? JSONValue.object(edited).prettyText : EditedTake(edited).text)
    }
  }

  private func tags(after present: [String]) -> [String] {
    let gone = Set(untag.map { $0.lowercased() })
    var tags = present.filter { !gone.contains($0.lowercased()) }
    for tag in tag where !tags.contains(where: { $0.lowercased() == tag.lowercased() }) { tags.append(tag) }
    return tags
  }

  private static func target(_ text: String) -> JSONValue {
    if text == "none" { return .null }
    return SongID(text) != nil && text.count == 26 ? ["id": .string(text)] : ["title": .string(text)]
  }

  private static func value(_ text: String) -> JSONValue { text == "none" || text.isEmpty ? .null : .string(text) }
}
