import ArgumentParser
import Music
import Signaling

/// Edits takes: title, rating, tags, notes and song.
struct TakesEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Name, rate or tag takes, write notes, or move them to another song.",
    discussion:
      "Other fields stay as they are. Works on the data folder, even while a service is running, or over REST.")

  @OptionGroup var takes: TakesArgument
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
  @Option(name: .long, help: "Move it to the song with this title or id, or to none.", completion: .song)
  var song: String?
  @Option(name: .long, help: "Move it to the song with this title, which is created if there is none.")
  var newSong: String?
  @OptionGroup var changes: ChangeOptions
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print the take as JSON.")
  var json = false

  func validate() throws {
    if let rating, rating != "none", !(Int(rating).map { TakeAnnotations.ratings.contains($0) } ?? false) {
      throw ValidationError("--rating is \(rating); permitted: 1 to 5, or none")
    }
    if title == nil, rating == nil, favourite == nil, notes == nil, tag.isEmpty, untag.isEmpty, song == nil,
      newSong == nil
    {
      throw ValidationError("nothing to change; give --title, --rating, --favourite, --notes, --tag or --song")
    }
    if song != nil, newSong != nil { throw ValidationError("--song and --new-song exclude each other; give one") }
  }

  func run() async throws {
    try await takes.each(on: shelf, changes, "edit", json: json, jsonOfOne: true) { book, id, found in
      var patch: JSONObject = [:]
      if let title { patch["title"] = TakesEditCommand.value(title) }
      if let rating { patch["rating"] = Int64(rating).map { .integer($0) } ?? .null }
      if let favourite { patch["favourite"] = .bool(favourite) }
      if let notes { patch["notes"] = TakesEditCommand.value(notes) }
      if let song { patch["song"] = song == "none" ? .null : ["id": .string(try await knownSong(song, in: book))] }
      if let newSong { patch["song"] = ["title": .string(newSong)] }
      var revision: Int?
      if !tag.isEmpty || !untag.isEmpty {
        patch["tags"] = .array(tags(after: found.tags).map { .string($0) })
        // The edit replaces the whole list: tags added by others in the meantime must not be lost.
        revision = Int(found.revision)
      }
      return try await book.edit(id, patch, ifRevision: revision)
    }
  }

  private func tags(after present: [String]) -> [String] {
    let gone = Set(untag.map { $0.lowercased() })
    var tags = present.filter { !gone.contains($0.lowercased()) }
    for tag in tag where !tags.contains(where: { $0.lowercased() == tag.lowercased() }) { tags.append(tag) }
    return tags
  }

  /// The identifier of a song in the book, so that a mistyped title does not become a song.
  private func knownSong(_ text: String, in book: any SongBook) async throws -> String {
    do {
      return try await book.findSong(text).id.description
    } catch let failure as CommandFailure where failure.exitCode == ExitCodes.noInput {
      let near = try await book.songs(near: text).map { "\"\($0)\"" }.joined(separator: " or ")
      throw CommandFailure(
        failure.exitCode,
        "\(failure); \(near.isEmpty ? "" : "did you mean \(near)? ")--new-song makes a new one")
    }
  }

  private static func value(_ text: String) -> JSONValue { text == "none" || text.isEmpty ? .null : .string(text) }
}
