import Music
import Signaling

/// What a merge patch (RFC 7396) changes of a song; what it does not name stays.
package struct SongPatch: Sendable {
  static let fields = ["title", "composers", "key", "tempo", "notes"]

  private var title: String?
  private var composers: [String]?
  private var key: String??
  private var tempo: TempoMap??
  private var notes: String??

  init(_ fields: BodyFields) throws(Problem) {
    if fields.has("title") { title = try fields.string("title") }
    if fields.has("composers") { composers = try fields.optionalStrings("composers") ?? [] }
    if fields.has("key") { key = .some(try fields.optionalString("key")) }
    if fields.has("tempo") { tempo = .some(try SongPatch.tempo(fields)) }
    if fields.has("notes") { notes = .some(try fields.optionalString("notes")) }
  }

  /// For callers in this process, who are refused as REST refuses.
  package init(_ object: JSONObject) throws(RESTFailure) {
    do throws(Problem) {
      try self.init(try BodyFields(object, permitted: SongPatch.fields))
    } catch {
      throw RESTFailure(error)
    }
  }

  package func apply(to song: inout Song) {
    if let title { song.title = title }
    if let composers { song.composers = composers }
    if let key { song.key = key }
    if let tempo { song.tempo = tempo }
    if let notes { song.notes = notes }
  }

  private static func tempo(_ fields: BodyFields) throws(Problem) -> TempoMap? {
    let permitted = ["position", "beatsPerMinute", "beatsPerBar", "beatUnit"]
    guard let changes = try fields.optionalObjects("tempo", permitted: permitted) else { return nil }
    var map = TempoMap(changes: [])
    for change in changes {
      map.changes.append(
        TempoMap.Change(
          position: try change.optionalPosition("position") ?? .zero,
          beatsPerMinute: try change.number("beatsPerMinute"),
          beatsPerBar: Int(try change.optionalInteger("beatsPerBar", in: 1...64) ?? 4),
          beatUnit: Int(try change.optionalInteger("beatUnit", in: 1...64) ?? 4)))
    }
    return map
  }
}
