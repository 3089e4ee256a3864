/// Bytes with a length and validators that a download sends in whole or in part.
protocol DownloadContents: Sendable {
  /// In bytes.
  var size: Int64 { get }
  var modified: HTTPDate { get }
  /// Strong: changes with every byte.
  var tag: EntityTag { get }
  /// Exactly `count` bytes from `offset`.
  func read(at offset: Int64, count: Int) async throws -> [UInt8]
}

extension RecordedFile: DownloadContents {}

/// Bytes in memory that were made of a file.
struct DerivedContents: DownloadContents {
  let bytes: [UInt8]
  let modified: HTTPDate
  let tag: EntityTag

  var size: Int64 { Int64(bytes.count) }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    guard offset >= 0, count >= 0, offset <= size, Int64(count) <= size - offset else {
      throw RecordedFile.Failure.truncated
    }
    return Array(bytes[Int(offset)..<(Int(offset) + count)])
  }
}
