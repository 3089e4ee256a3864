import ArgumentParser
import Music
import Signaling

/// Changes what people say of a take.
struct TakesEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Name, rate, tag a take, write notes, or move it to another song.",
    discussion:
      "What is not named stays as it is. Works on the data folder (beside a running service too) and over REST.")

  @Argument(help: "Id of the take, the first 6 or more characters of it, or last.", completion: .take)
  var take: String
  @Option(name: .long, help: "The take's own title; none takes it away.")
  var title: String?
  @Option(name: .long, help: "1 to 5, or none.")
  var rating: String?
  @Flag(name: .long, inversion: .prefixedNo, help: "Whether it is a favourite.")
  var favourite: Bool?
  @Option(name: .long, help: "Notes; none takes them away.")
  var notes: String?
  @Option(name: .long, help: "Add a tag; can be given several times.")
  var tag: [String] = []
  @Option(name: .long, help: "Remove a tag, in any case; can be given several times.")
  var untag: [String] = []
  @Option(name: .long, help: "Move it to the song of this title (which is made where there is none) or id, or to none.")
  var song: String?
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print the take as JSON.")
  var json = false

  func validate() throws {
    if let rating, rating != "none", !(Int(rating).map { TakeAnnotations.ratings.contains($0) } ?? false) {
      throw ValidationError("--rating is \(rating); permitted: 1 to 5, or none")
    }
    if title == nil, rating == nil, favourite == nil, notes == nil, tag.isEmpty, untag.isEmpty, song == nil {
      throw ValidationError("nothing is to be changed; give --title, --rating, --favourite, --notes, --tag or --song")
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
        // The list is replaced: what somebody else added meanwhile must not go with it.
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
