// Arithmetic in this file is in range: counts and places are compared with the file's size first.

import Glibc

/// The segments of one sound file of a take, in a file beside it: `01-ada-guitar.listen` for `01-ada-guitar.flac`.
///
/// The segments one after the other, then their places (8 bytes each, little-endian, one more than segments), then the
/// end: their number, size and time of change of the sound file, and a mark. A file that was made of another version of
/// the sound is as good as none.
package struct ListeningFile {
  private static let ending = ".listen"
  private static let mark = UInt64(littleEndianBytes: Array("jamlist1".utf8))
  private static let endSize = 32
  /// Longest segment: raw stereo would have less.
  private static let longest: Int64 = 1 << 20
  /// Most segments: beyond a month.
  private static let most: UInt64 = 1 << 21

  private let descriptor: Descriptor
  private let path: String
  /// Place of the table of places.
  private let table: Int64
  /// The number of segments.
  package let count: Int

  /// The file's name, given the sound's.
  package static func name(for sound: String) -> String { "\(sound.split(separator: ".").first ?? "track")\(ending)" }

  /// True for every file of the listening road, also unfinished ones.
  static func isPart(_ name: String) -> Bool { name.contains(ending + ".") && name.hasSuffix(TakeFolder.partSuffix) }

  /// Opens the segments of the file `sound`; nil if they have not been made of this very file.
  /// - Throws: `FileProblem` if the sound is missing or the disk fails.
  package init?(for sound: String, in folder: TakeFolder) throws(FileProblem) {
    let name = ListeningFile.name(for: sound)
    let source = try ListeningFile.stamp(of: sound, in: folder)
    do throws(FileProblem) {
      descriptor = try folder.open(name)
    } catch  where error.isMissing || error.isNotAFile {
      return nil
    }
    path = folder.label(name)
    let size = try descriptor.length(path: path)
    let end = ListeningFile.numbers(
      try descriptor.read(at: max(0, size - Int64(ListeningFile.endSize)), count: ListeningFile.endSize, path: path))
    guard end.count == 4, end[3] == ListeningFile.mark, end[1] == source[0], end[2] == source[1],
      (1...ListeningFile.most).contains(end[0])
    else { return nil }
    count = Int(end[0])
    table = size - Int64(ListeningFile.endSize) - Int64(count + 1) * 8
    guard table >= 0 else { return nil }
  }

  /// The bytes of a segment; nil if there is none of this number, or the file is damaged.
  /// - Throws: `FileProblem`.
  package func segment(_ index: Int) throws(FileProblem) -> [UInt8]? {
    guard (0..<count).contains(index) else { return nil }
    let places = ListeningFile.numbers(try descriptor.read(at: table + Int64(index) * 8, count: 16, path: path))
    guard places.count == 2, places[0] < places[1], places[1] <= UInt64(table) else { return nil }
    let (first, last) = (Int64(places[0]), Int64(places[1]))
    guard last - first <= ListeningFile.longest else { return nil }
    let bytes = try descriptor.read(at: first, count: Int(last - first), path: path)
    return bytes.count == Int(last - first) ? bytes : nil
  }

  /// Encodes the file `sound` and writes its segments.
  ///
  /// - Parameter proceed: called for every segment; an error it throws stops the work and leaves no file.
  /// - Throws: `FileProblem`, and errors of `proceed`.
  package static func make(for sound: String, in folder: TakeFolder, _ proceed: () throws -> Void = {}) throws {
    let source = try stamp(of: sound, in: folder)
    let reader = try SoundFileSource(sound, in: folder)
    guard reader.rate == 48_000, (1...2).contains(reader.channels) else {
      throw FileProblem(
        path: folder.label(sound), operation: .read, code: EINVAL, detail: "it is not mono or stereo at 48 kHz")
    }
    let output = try OutputFile(name(for: sound), in: folder)
    do {
      let count = ListeningSegment.count(of: reader.frameCount)
      var places: [UInt64] = [0]
      for index in 0..<count {
        try proceed()
        let first = Int64(index) * Int64(ListeningSegment.frames)
        let end = max(first + 1, min(reader.frameCount, first + Int64(ListeningSegment.frames)))
        let start = first - Int64(ListeningSegment.preRoll)
        let samples = try reader.padded(from: start, frames: Int(end - start))
        let bytes = try ListeningSegment.encode(samples, channels: reader.channels)
        try output.put(bytes)
        places.append(UInt64(output.length))
      }
      try output.put((places + [UInt64(count)] + source + [mark]).flatMap(\.littleEndianBytes))
      _ = try output.finish()
      try folder.synchronize()
    } catch {
      output.abandon()
      throw error
    }
  }

  /// Size and time of change of a sound file.
  private static func stamp(of sound: String, in folder: TakeFolder) throws(FileProblem) -> [UInt64] {
    let file = try folder.open(sound)
    guard let status = FileStatus(of: file.raw) else {
      throw FileProblem(path: folder.label(sound), operation: .examine, code: errno)
    }
    return [UInt64(bitPattern: status.size), UInt64(bitPattern: status.modified)]
  }

  private static func numbers(_ bytes: [UInt8]) -> [UInt64] {
    stride(from: 0, to: bytes.count - bytes.count % 8, by: 8).map { UInt64(littleEndianBytes: bytes[$0..<$0 + 8]) }
  }
}

extension UInt64 {
  fileprivate init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
    self = bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  fileprivate var littleEndianBytes: [UInt8] { (0..<8).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) } }
}
