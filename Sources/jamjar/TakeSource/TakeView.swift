import Music
import Signaling

/// A take as REST returns it, parsed for display.
struct TakeView {
  let json: JSONObject

  init(_ json: JSONObject) {
    self.json = json
  }

  private func text(_ name: String) -> String { json[name]?.string ?? "" }

  var id: String { text("id") }
  var room: String { text("room") }
  var state: String { text("state") }
  var startedAt: String { text("startedAt") }
  var number: Int64 { json["number"]?.integer ?? 0 }
  /// In seconds, nil until it is known.
  var duration: Double? { json["duration"]?.double }
  var trackCount: Int64 { json["trackCount"]?.integer ?? 0 }
  var song: String? { json["song"]?.object?["title"]?.string }
  var title: String? { json["title"]?.string }
  /// 1 to 5; nil if unrated.
  var rating: Int64? { json["rating"]?.integer }
  var isFavourite: Bool { json["favourite"]?.bool ?? false }
  var tags: [String] { json["tags"]?.array?.compactMap(\.string) ?? [] }
  var notes: String? { json["notes"]?.string }
  var isDeleted: Bool { json["deletedAt"]?.string != nil }
  /// Increases with every edit.
  var revision: Int64 { json["revision"]?.integer ?? 0 }
  var cues: [JSONObject] { json["cues"]?.array?.compactMap(\.object) ?? [] }
}

extension TakeView {
  /// - Throws: `CommandFailure` if the source shows a take without one.
  func identifier(in source: any TakeSource) throws(CommandFailure) -> TakeID {
    guard let id = TakeID(id) else {
      throw CommandFailure(ExitCodes.unavailable, "\(source.place) shows a take without an id")
    }
    return id
  }
}
