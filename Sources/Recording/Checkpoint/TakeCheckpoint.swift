import Foundation
import Machines
import Music

/// A render at some moment, with which another process continues after a loss of power (docs/decisions/0028).
///
/// It stands beside the journal, and describes files that were on the disk before. It is used once: a render that did
/// not survive its use begins at the beginning.
struct TakeCheckpoint: Codable {
  /// The file's name beside the journal.
  static let name = "render-checkpoint"
  /// Shortest stretch of music between two checkpoints.
  static let interval = MonotonicTime.Span.seconds(30)
  /// The music so far divided by the shortest stretch until the next one: half a minute in the first hour.
  static let share: Int64 = 120
  /// Largest file that is read, in bytes; a day of sixteen musicians needs some 150 MB.
  private static let greatestSize = 512 << 20
  /// Length of the line at the beginning: SHA-256 of all that follows, in hexadecimal digits.
  private static let headLength = 65
  /// Bytes of the JSON's length, which follows; behind the JSON stands its `PackedStore`.
  private static let lengthSize = 8

  var stamp: String
  var take: TakeID
  var options: RenderOptions
  /// Behind the last frame that the render has read.
  var journal: JournalPlace
  var render: RollingRender.State
  var files: TakeFiles.Parts

  /// Names of the unfinished files that it describes.
  var partNames: Set<String> {
    let parts = Array(files.tracks.values) + [files.mix].compactMap { $0 }
    return Set(parts.flatMap { [$0.sound.file, $0.peaks?.file].compactMap { $0?.file } })
  }

  /// Takes the checkpoint of `folder` away, and returns it if this process can continue there.
  static func take(from folder: TakeFolder, of take: TakeID, options: RenderOptions) -> TakeCheckpoint? {
    guard folder.has(name) else { return nil }
    let read = try? folder.read(name, limit: greatestSize)
    // Before it is decoded: a process that dies of that must not do so at every start. If it remains, it still
    // describes the beginnings of the files, or is found not to.
    try? folder.remove(name)
    guard let stamp = RenderStamp.current, let bytes = read, bytes.count >= headLength + lengthSize,
      Array(bytes[..<headLength]) == head(of: bytes[headLength...])
    else { return nil }
    let start = headLength + lengthSize
    let length = bytes[headLength..<start].reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    guard let length = Int(exactly: length), length <= bytes.count - start else { return nil }
    let decoder = JSONDecoder.withInfinity()
    decoder.userInfo[PackedStore.key] = PackedStore(Data(bytes[(start + length)...]))
    struct Owner: Decodable {
      var stamp: String
      var take: TakeID
    }
    let json = Data(bytes[start..<start + length])
    // The rest of another executable's may have any shape.
    guard let owner = try? decoder.decode(Owner.self, from: json), owner.stamp == stamp, owner.take == take,
      let checkpoint = try? decoder.decode(TakeCheckpoint.self, from: json), checkpoint.options == options
    else { return nil }
    return checkpoint
  }

  /// Writes it into `folder` in the place of the one before.
  /// - Throws: `FileProblem`, `EncodingError`; then the one before remains.
  func write(in folder: TakeFolder) throws {
    let encoder = JSONEncoder.withInfinity()
    let store = PackedStore()
    encoder.userInfo[PackedStore.key] = store
    let json = try encoder.encode(self)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(TakeCheckpoint.headLength + TakeCheckpoint.lengthSize + json.count + store.bytes.count)
    bytes += [UInt8](repeating: 0, count: TakeCheckpoint.headLength)
    let length = UInt64(json.count)
    bytes += stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: length >> UInt64($0)) }
    bytes += json
    bytes += store.bytes
    let head = TakeCheckpoint.head(of: bytes[TakeCheckpoint.headLength...])
    bytes.replaceSubrange(..<TakeCheckpoint.headLength, with: head)
    do {
      try folder.write(bytes, as: TakeCheckpoint.name)
    } catch {
      // On a full disk, it would be in the way of the music.
      try? folder.remove(TakeFolder.partName(TakeCheckpoint.name))
      throw error
    }
  }

  private static func head(of content: ArraySlice<UInt8>) -> [UInt8] {
    let sum = SHA256()
    content.withUnsafeBytes { sum.update($0) }
    let digits = sum.finish().map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    return Array((digits + "\n").utf8)
  }
}
