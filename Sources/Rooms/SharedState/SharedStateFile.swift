import Foundation
import Music
import Recording
import Signaling

/// What is kept of one room's persistent objects: `_library/shared/<room>.jsonl`, a head and then one line for each
/// change message. A line is there as a whole or not at all, so is a change message.
struct SharedStateFile {
  static let folder = "_library/shared"
  static let currentVersion = 1
  /// More than the state of a room and as much of its changes can need.
  private static let maximumBytes = 512 << 20
  /// Digits of the room's hash in the file's name: rooms whose names look alike must not share a file.
  private static let digits = 16

  let room: RoomName
  let folder: TakeFolder
  let name: String

  init(of room: RoomName, in root: String) throws(FileProblem) {
    self.room = room
    folder = try TakeFolder.obtain(SharedStateFile.folder, in: root)
    name = SharedStateFile.name(of: room)
  }

  /// Names that are equal have one file, however their accents are encoded.
  static func name(of room: RoomName) -> String {
    let text = room.description.precomposedStringWithCanonicalMapping
    let hash = SHA256.hash(Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    return "\(FileName.portable(text, fallback: "room"))-\(hash.prefix(digits)).jsonl"
  }

  /// What was read, and whether a line was damaged.
  struct Contents {
    var objects: [SharedObjectName: SharedObject] = [:]
    var length = 0
    var damagedLines = 0
  }

  /// - Throws: `FileProblem`: the disk, a newer version, another room's file.
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
      throw FileProblem(path: folder.label(name), operation: .decode, code: 0, detail: "it is another room's")
    }
  }

  /// Adds lines; the file's length afterwards.
  func append(_ records: [SharedObjectRecord]) throws(FileProblem) -> Int {
    var bytes = folder.has(name) ? [] : head
    for record in records { bytes += line(record.json) }
    return Int(try folder.append(lines: bytes, to: name))
  }

  /// Writes everything anew, in one step; the file's length afterwards.
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

  /// Keeps what could not be read beside the file, for people.
  func setAside() throws(FileProblem) {
    try folder.write(try folder.read(name, limit: SharedStateFile.maximumBytes), as: name + ".damaged")
  }

  private var head: [UInt8] {
    line(["version": .integer(Int64(SharedStateFile.currentVersion)), "room": .string(room.description)])
  }

  private func line(_ json: JSONObject) -> [UInt8] { JSONValue.object(json).bytes + [UInt8(ascii: "\n")] }
}
