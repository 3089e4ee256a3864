import Music
import Recording
import Signaling

extension ExportJob {
  /// The file beside a finished export that describes it to later processes.
  static let recordName = "export.json"
  /// Maximum size of such a file, in bytes.
  static let maximumRecord = 65_536

  /// Reads the record of a finished export; nil if it is not one of ours.
  init?(record: [UInt8]) {
    guard let object = (try? JSONValue(parsing: record))?.object, let id = object["id"]?.string,
      ExportJob.isIdentifier(id), let take = object["take"]?.string.flatMap({ TakeID($0) }),
      let room = object["room"]?.string.flatMap({ RoomName($0) }),
      let kind = object["kind"]?.string.flatMap(ExportKind.init(rawValue:)), let format = object["format"]?.string,
      let rate = object["rate"]?.integer, (1...1_000_000).contains(rate), let name = object["name"]?.string,
      let file = object["file"]?.string, let size = object["size"]?.integer, size >= 0,
      let created = object["createdAt"]?.string.flatMap({ WallTime($0) }),
      let finished = object["finishedAt"]?.string.flatMap({ WallTime($0) })
    else { return nil }
    self.init(
      id: id, take: take, room: room, kind: kind, format: format, rate: Int(rate), downloadName: name, state: .done,
      progress: 1, createdAt: created, finishedAt: finished, file: file, size: size, problem: nil)
  }

  var record: [UInt8] {
    let length: JSONValue = size.map { .integer($0) } ?? .null
    let object: JSONValue = [
      "id": .string(id), "take": .string(take.description), "room": .string(room.description),
      "kind": .string(kind.rawValue), "format": .string(format), "rate": .integer(Int64(rate)),
      "name": .string(downloadName), "file": .optional(file), "size": length,
      "createdAt": .string(createdAt.description), "finishedAt": .optional(finishedAt?.description),
    ]
    return Array(object.text.utf8)
  }

  /// True for 32 lower-case hexadecimal digits, the only names of export folders.
  static func isIdentifier(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
