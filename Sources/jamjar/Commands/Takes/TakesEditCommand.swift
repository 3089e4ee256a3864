import ArgumentParser
import Catalog
import Music
import Rooms

/// Changes what people say of a take.
struct TakesEditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Name, rate, tag a take, write notes, or move it to another song.",
    discussion: "What is not named stays as it is. Works on the data folder, beside a running service too.")

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
      let (shelf, library) = try await shelf.library()
      let found = try await shelf.take(take)
      let song = try await target(on: shelf, in: library)
      let (title, rating, favourite, notes) = (title, rating, favourite, notes)
      let (tag, gone) = (tag, Set(untag.map { $0.lowercased() }))
      let edited = try await library.edit(found.id) { edit in
        if let title { edit.annotations.title = TakesEditCommand.value(title) }
        if let rating { edit.annotations.rating = Int(rating) }
        if let favourite { edit.annotations.isFavourite = favourite }
        if let notes { edit.annotations.notes = TakesEditCommand.value(notes) }
        edit.annotations.tags.removeAll { gone.contains($0.lowercased()) }
        for tag in tag where !edit.annotations.tags.contains(where: { $0.lowercased() == tag.lowercased() }) {
          edit.annotations.tags.append(tag)
        }
        switch song {
        case .stays: break
        case .none: edit.song = nil
        case .of(let id): edit.song = id
        }
      }
      print(json ? BookJSON.take(edited).prettyText : EditedTake(edited).text)
    }
  }

  /// The song to which the take shall belong.
  private enum Target {
    case stays, none
    case of(SongID)
  }

  private func target(on shelf: TakeShelf, in library: Library) async throws -> Target {
    guard let text = song else { return .stays }
    if text == "none" { return .none }
    if let id = SongID(text), text.count == 26, let song = try await shelf.index.song(id) { return .of(song.id) }
    return .of(try await library.song(titled: text).id)
  }

  private static func value(_ text: String) -> String? { text == "none" || text.isEmpty ? nil : text }
}
