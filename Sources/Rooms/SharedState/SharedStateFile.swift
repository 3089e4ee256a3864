import Foundation
import Music
import Recording
import Signaling

/// The file of one room's persistent objects: `_library/shared/<room>.jsonl`, a header and then one line for each
/// change message. Lines, and so change messages, are written atomically.
struct SharedStateFile {
  static let folder = "_library/shared"
  static let currentVersion = 1
  /// More than the state of a room plus its pending changes can need.
  private static let maximumBytes = 512 << 20
  /// Digits of the room's hash in the file name: rooms with similar names must not share a file.
  private static let digits = 16

  let room: RoomName
  let folder: TakeFolder
  let name: String

  init(of room: RoomName, in root: String) throws(FileProblem) {
    self.room = room
    folder = try TakeFolder.obtain(SharedStateFile.folder, in: root)
    name = SharedStateFile.name(of: room)
  }

  /// The file name of a room; canonically equivalent names share one.
  static func name(of room: RoomName) -> String {
    let text = room.description.precomposedStringWithCanonicalMapping
    let hash = SHA256.hash(Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    return "\(FileName.portable(text, fallback: "room"))-\(hash.prefix(digits)).jsonl"
  }

  /// The objects read, and whether a line was damaged.
  struct Contents {
    var objects: [SharedObjectName: SharedObject] = [:]
    var length = 0
    var damagedLines = 0
  }

  /// - Throws: `FileProblem`: a disk error, a newer version, another room's file.
  func read() throws(FileProblem) -> Contents {
    var contents = Contents()
    guard let bytes = try folder.lines(of: name, limit: SharedStateFile.maximumBytes) else { return contents }
    contents.length = bytes.count
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n")).enumerated() {
      let json = (try? JSONValue(parsing: Array(line), limits: .received))?.object
      if index == 0, let json {
        try check(head: json)
        continue
      }
      if let json, let record = try? SharedObjectRecord(json) {
        contents.objects.replay(record)
      } else {
        contents.damagedLines += 1
      }
    }
    return contents
  }

  private func check(head: JSONObject) throws(FileProblem) {
    guard let version = head["version"]?.integer, version <= Int64(SharedStateFile.currentVersion) else {
      throw FileProblem(
        path: folder.label(name), operation: .decode, code: 0,
        detail: "this release reads version \(SharedStateFile.currentVersion)")
    }
    guard head["room"]?.string == room.description else {
      throw FileProblem(path: folder.label(name), operation: .decode, code: 0, detail: "it belongs to another room")
    }
  }

  /// Appends lines; returns the new length of the file.
  func append(_ records: [SharedObjectRecord]) throws(FileProblem) -> Int {
    var bytes = folder.has(name) ? [] : head
    for record in records { bytes += line(record.json) }
    return Int(try folder.append(lines: bytes, to: name))
  }

  /// Atomically rewrites the whole file; returns its new length.
  func replace(_ objects: [SharedObjectName: SharedObject]) throws(FileProblem) -> Int {
    guard !objects.isEmpty else {
      try folder.remove(name)
      return 0
    }
    var bytes = head
    for object in objects.values.sorted(by: { $0.name < $1.name }) {
      bytes += line(SharedObjectRecord.object(object).json)
    }
    try folder.write(bytes, as: name)
    return bytes.count
  }

  /// Keeps unreadable data beside the file, for inspection.
  func setAside() throws(FileProblem) {
    try folder.write(try folder.read(name, limit: SharedStateFile.maximumBytes), as: name + ".damaged")
  }

  private var head: [UInt8] {
    line(["version": .integer(Int64(SharedStateFile.currentVersion)), "room": .string(room.description)])
  }

  private func line(_ json: JSONObject) -> [UInt8] { JSONValue.object(json).bytes + [UInt8(ascii: "\n")] }
}
