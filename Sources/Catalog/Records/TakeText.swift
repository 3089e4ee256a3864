import GRDB
import Machines
import Music

/// Writes takes as items of REST's list, the same text as `Representation.take`, without the take in between.
///
/// Nothing here is generic beyond this module, because a page calls all of it fifty times.
struct TakeText {
  /// The columns of `TakeReader` at their places, as far as the text needs them.
  static let columns = """
    SELECT takes.id, takes.number, takes.state, NULL, rooms.name, sessions.id, NULL, takes.started_at, takes.ended_at,
      takes.length, takes.track_count, NULL, takes.title, takes.rating, takes.is_favourite, takes.notes, takes.tags,
      takes.loudness, takes.deleted_at, takes.revision, takes.place, songs.id, songs.title
    """

  private let lengths = SamplePosition.permitted
  /// Nearly all takes are ready.
  private static let states = ([.ready] + TakeState.allCases).map { Array($0.rawValue.utf8) }

  func write(_ row: some ListRow, to json: inout JSONWriter) throws {
    json.literal(#"{"id":"#)
    try row.write(id: 0, to: &json)
    json.literal(#","number":"#)
    json.integer(try row[1])
    json.literal(#","state":"#)
    guard let state = row.bytes(2), TakeText.states.contains(where: { $0.elementsEqual(state) }) else {
      return try row.fail(2)
    }
    json.plain(most: state.count) { $0.update(fromContentsOf: state) }
    json.literal(#","room":"#)
    row.write(text: 4, to: &json)
    json.literal(#","song":"#)
    if row.isNull(21) {
      json.literal("null")
    } else {
      json.literal(#"{"id":"#)
      try row.write(id: 21, to: &json)
      json.literal(#","title":"#)
      row.write(text: 22, to: &json)
      json.literal("}")
    }
    json.literal(#","startedAt":"#)
    row.write(time: 7, to: &json)
    json.literal(#","endedAt":"#)
    row.write(time: 8, to: &json)
    json.literal(#","duration":"#)
    if let samples = row.integer(9) {
      guard lengths.contains(samples) else { return try row.fail(9) }
      json.measure(SamplePosition(samples).seconds)
    } else {
      json.literal("null")
    }
    json.literal(#","trackCount":"#)
    json.integer(try row[10])
    json.literal(#","session":"#)
    try row.write(id: 5, to: &json)
    json.literal(#","title":"#)
    row.write(text: 12, to: &json)
    json.literal(#","rating":"#)
    // 0 for none.
    let rating: Int64 = try row[13]
    if rating == 0 { json.literal("null") } else { json.integer(rating) }
    json.literal(#","favourite":"#)
    json.literal(try row[14] as Int64 != 0 ? "true" : "false")
    json.literal(#","notes":"#)
    row.write(text: 15, to: &json)
    json.literal(#","tags":["#)
    row.write(lines: 16, to: &json)
    json.literal(#"],"loudness":"#)
    if let loudness = row.number(17) { json.measure(loudness) } else { json.literal("null") }
    json.literal(#","deletedAt":"#)
    row.write(time: 18, to: &json)
    json.literal(#","revision":"#)
    json.integer(try row[19])
    json.literal("}")
  }
}

extension ListRow {
  func write(text column: Int32, to json: inout JSONWriter) {
    guard let bytes = bytes(column) else { return json.literal("null") }
    Self.write(bytes, to: &json)
  }

  /// The lines of a text as strings between commas.
  fileprivate func write(lines column: Int32, to json: inout JSONWriter) {
    guard let bytes = bytes(column) else { return }
    var isFirst = true
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if !isFirst { json.literal(",") }
      isFirst = false
      Self.write(UnsafeBufferPointer(rebasing: line), to: &json)
    }
  }

  func write(time column: Int32, to json: inout JSONWriter) {
    guard let milliseconds = integer(column) else { return json.literal("null") }
    let time = WallTime(milliseconds: milliseconds)
    json.plain(most: 24) { time.write(to: $0) }
  }

  func write(id column: Int32, to json: inout JSONWriter) throws {
    guard let id = ulid(column) else { return try fail(column) }
    json.plain(most: 26) { id.write(to: $0) }
  }

  private static func write(_ text: UnsafeBufferPointer<UInt8>, to json: inout JSONWriter) {
    var (all, escapes): (UInt8, Bool) = (0, false)
    for byte in text {
      all |= byte
      escapes = escapes || byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }
    if all >= 0x80 {
      // What is no UTF-8 is replaced, as in `text`.
      json.string(String(decoding: text, as: UTF8.self))
    } else if escapes {
      json.escaped(text)
    } else {
      json.plain(most: text.count) { $0.update(fromContentsOf: text) }
    }
  }
}
