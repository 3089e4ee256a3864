import Foundation
import Music
import Recording
import Signaling

/// Parses the body that begins an import.
struct ImportFields {
  /// Most files.
  let limit: Int

  static let names = ["room", "song", "at", "align", "fromStart", "again", "name", "files"]
  private static let fileFields = ["name", "modifiedAt"]
  /// Longest name of a file, in bytes: parts of it get suffixes.
  private static let longestName = 200
  /// Endings of what can be imported.
  private static let endings = ImportPlanner.endings.union(["rpp", "zip"])

  /// - Throws: `Problem` naming the field.
  func job(_ fields: BodyFields, at now: WallTime) throws(Problem) -> ImportJob {
    let text = try fields.string("room")
    let room: RoomName
    do throws(NameError) { room = try RoomName(checking: text) } catch {
      throw Problem.invalid("room", value: text, error.description)
    }
    var wish = ImportJob.Wish()
    wish.song = try title(fields, "song")
    wish.origin = try title(fields, "name")
    wish.startedAt = try ImportFields.time(fields.optionalString("at"), "at")
    wish.aligns = try fields.optionalBool("align") ?? false
    wish.ignoresTimes = try fields.optionalBool("fromStart") ?? false
    wish.repeats = try fields.optionalBool("again") ?? false
    return ImportJob(id: ImportID(at: now), room: room, wish: wish, files: try files(fields), createdAt: now)
  }

  private func title(_ fields: BodyFields, _ name: String) throws(Problem) -> String? {
    guard let text = try fields.optionalString(name), !text.isEmpty else { return nil }
    do throws(ValueProblem) { try TextKind.title.check(text) } catch {
      throw Problem.invalid(name, value: text, error.description, permitted: [error.permitted])
    }
    return text
  }

  private static func time(_ text: String?, _ field: String) throws(Problem) -> WallTime? {
    guard let text else { return nil }
    let range = Backup.beginnings
    guard let time = WallTime(text), range.contains(time) else {
      throw Problem.invalid(
        field, value: text,
        "\"\(field)\" must be a time of RFC 3339, such as 2026-11-21T19:04:05.123Z, from 1970 to 2199",
        permitted: ["\(range.lowerBound)…\(range.upperBound)"])
    }
    return time
  }

  private func files(_ fields: BodyFields) throws(Problem) -> [ImportJob.File] {
    let objects = try fields.optionalObjects("files", permitted: ImportFields.fileFields) ?? []
    guard (1...limit).contains(objects.count) else {
      throw fields.invalid("files", mustBe: "a list of 1 to \(limit) objects with the names of the files")
    }
    var files: [ImportJob.File] = []
    var names: Set<String> = []
    for object in objects {
      let name = try object.string("name")
      try ImportFields.check(name)
      guard names.insert(name).inserted else {
        throw Problem.invalid("files.name", value: name, "two files are called \"\(name.prefix(64))\"; rename one")
      }
      let time = try ImportFields.time(object.optionalString("modifiedAt"), "modifiedAt")
      files.append(ImportJob.File(name: name, modifiedAt: time))
    }
    return files
  }

  /// A name is one of a file on the disk: it must lead nowhere else, and say what the file is.
  private static func check(_ name: String) throws(Problem) {
    let isPlain = !name.hasPrefix(".") && !name.contains("/") && !name.unicodeScalars.contains { $0.value < 0x20 }
    guard isPlain, (1...longestName).contains(name.utf8.count) else {
      throw Problem.invalid(
        "files.name", value: name,
        "the name of a file has 1 to \(longestName) bytes, no slash or control character, and no dot in front")
    }
    let ending = URL(fileURLWithPath: name).pathExtension.lowercased()
    if let what = ImportPlanner.foreign[ending] {
      throw Problem.invalid("files.name", value: name, "\"\(name.prefix(64))\" is \(what)")
    }
    guard endings.contains(ending) else {
      throw Problem.invalid(
        "files.name", value: name, "\"\(name.prefix(64))\" is nothing that can be imported", permitted: endings.sorted()
      )
    }
  }
}
