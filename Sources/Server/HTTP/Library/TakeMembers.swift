import Library
import Music
import Recording
import Signaling

/// The members of a take that a request asks for: `fields=id,title`, `expand=tracks`.
package struct TakeMembers {
  /// The members of a take in a list, in order.
  package static let ofList = [
    "id", "number", "state", "room", "song", "startedAt", "endedAt", "duration", "trackCount", "session", "title",
    "rating", "favourite", "notes", "tags", "loudness", "deletedAt", "revision",
  ]
  /// The further members of a single take.
  static let ofOne = ["cues", "refinement", "objects"]
  private static let expansions = ["tracks"]

  private let fields: [String]?
  private let hasTracks: Bool

  /// - Throws: `Problem` for a member that takes do not have.
  init(_ list: ListQuery, more: [String] = []) throws(Problem) {
    fields = try list.words("fields", among: TakeMembers.ofList + more)
    hasTracks = try list.words("expand", among: TakeMembers.expansions) != nil
  }

  /// True if nothing was asked for.
  var areUsual: Bool { fields == nil && !hasTracks }

  /// The members of `whole`, in its order; the tracks are last.
  func chosen(of whole: JSONObject, _ take: Take, in library: Library) async throws -> JSONObject {
    var object = whole
    if let fields {
      object = JSONObject(whole.members.filter { fields.contains($0.name) }.map { ($0.name, $0.value) })
    }
    if hasTracks {
      let lossless = await LosslessTracks.known(of: take, in: library.root)
      object["tracks"] = .array(try await library.index.tracks(of: take.id).map { Representation.track($0, lossless) })
    }
    return object
  }
}
