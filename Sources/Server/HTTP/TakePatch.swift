import Music
import Rooms
import Signaling

/// What a merge patch changes of a take; what it does not name stays.
package struct TakePatch: Sendable {
  static let fields = ["title", "rating", "favourite", "notes", "tags", "song"]

  private enum SongChange: Sendable {
    case none
    case known(SongID)
    /// Found by its title in any case, or made.
    case titled(String)
  }

  private var title: String??
  private var rating: Int??
  private var isFavourite: Bool?
  private var notes: String??
  private var tags: [String]?
  private var song: SongChange?

  init(_ fields: BodyFields) throws(Problem) {
    if fields.has("title") { title = .some(try fields.optionalString("title")) }
    if fields.has("rating") {
      let range = Int64(TakeAnnotations.ratings.lowerBound)...Int64(TakeAnnotations.ratings.upperBound)
      rating = .some(try fields.optionalInteger("rating", in: range).map { Int($0) })
    }
    if fields.has("favourite") { isFavourite = try fields.optionalBool("favourite") ?? false }
    if fields.has("notes") { notes = .some(try fields.optionalString("notes")) }
    if fields.has("tags") { tags = try fields.optionalStrings("tags") ?? [] }
    if fields.has("song") { song = try TakePatch.song(fields) }
  }

  /// For callers in this process, who are refused as REST refuses.
  package init(_ object: JSONObject) throws(RESTFailure) {
    do throws(Problem) {
      try self.init(try BodyFields(object, permitted: TakePatch.fields))
    } catch {
      throw RESTFailure(error)
    }
  }

  /// `{"id": …}` or `{"title": …}`, as a take shows it with either; null for no song.
  private static func song(_ fields: BodyFields) throws(Problem) -> SongChange {
    guard let members = try fields.optionalObject("song", permitted: ["id", "title"]) else { return .none }
    if let text = try members.optionalString("id") {
      guard let id = SongID(text) else {
        throw Problem.invalid("song.id", value: text, "\"song.id\" must be the id of a song, 26 characters")
      }
      return .known(id)
    }
    return .titled(try members.string("title"))
  }

  /// - Throws: `LibraryError`.
  package func apply(to take: TakeID, in library: Library, ifRevision: Int?) async throws -> Take {
    let song: SongID??
    switch self.song {
    case nil: song = nil
    case .some(.none): song = .some(nil)
    case .known(let id): song = .some(id)
    case .titled(let title): song = .some(try await library.song(titled: title).id)
    }
    return try await library.edit(take, ifRevision: ifRevision) { edit in
      if let title { edit.annotations.title = title }
      if let rating { edit.annotations.rating = rating }
      if let isFavourite { edit.annotations.isFavourite = isFavourite }
      if let notes { edit.annotations.notes = notes }
      if let tags { edit.annotations.tags = tags }
      if let song { edit.song = song }
    }
  }
}
