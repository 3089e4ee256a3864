// Arithmetic in this file is in range: a place is compared with the size first.

import Music
import NIOPosix
import Recording

/// Bytes with a length and validators, sent in whole or in part.
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

/// Bytes in memory derived from a file.
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

/// Whole takes as a ZIP archive that is never stored: any range is computed on request.
struct TakeArchive: DownloadContents {
  private let archive: ZIPArchive
  let modified: HTTPDate
  let tag: EntityTag

  var size: Int64 { archive.size }

  /// Lays out every finished file of the takes except the journals, from which all of them can be rendered again.
  ///
  /// - Parameters:
  ///   - takes: each with its folder in the archive.
  ///   - root: the data folder.
  ///   - hasOriginals: true to add what musicians uploaded, as it came.
  ///   - keepsOpen: true if files may leave the disk during the download.
  static func open(
    _ takes: [(take: Take, name: String)], in root: String, hasOriginals: Bool = false, keepsOpen: Bool = false
  ) async throws -> TakeArchive {
    try await NIOThreadPool.singleton.runIfActive {
      let files = try takes.flatMap { take, name in
        try TakeArchive.members(of: take, in: root, as: name, hasOriginals: hasOriginals)
      }
      let archive = try ZIPArchive(files, keepsOpen: keepsOpen)
      let latest = files.map(\.modified.seconds).max() ?? 0
      return TakeArchive(
        archive: archive, modified: HTTPDate(seconds: latest), tag: EntityTag(archive.entityTag))
    }
  }

  private static func members(
    of take: Take, in root: String, as name: String, hasOriginals: Bool
  ) throws -> [ZIPArchive.Member] {
    let folder = try TakeFolder(existing: take.folder, in: root)
    let originals = hasOriginals ? try originals(in: folder) : []
    return (try folder.names().sorted().filter(isFinished) + originals).map { file in
      ZIPArchive.Member(
        name: "\(name)/\(file)", source: .file(file, in: folder), modified: take.endedAt ?? take.startedAt)
    }
  }

  /// True for sound, peaks, manifest and edits: no journal, no unfinished files, no uploads, no links' hashes, no
  /// folders.
  private static let endings: Set = ["flac", "wav", "dat", "json"]

  private static func isFinished(_ name: String) -> Bool {
    guard !BackupFile.isUpload(name), name != TakeShares.fileName, name != TakeObjects.fileName else { return false }
    return name.split(separator: ".").last.map { endings.contains(String($0)) } ?? false
  }

  /// The uploads that became lossless tracks and are still kept: the samples, and what describes them.
  private static func originals(in folder: TakeFolder) throws -> [String] {
    try folder.names().sorted().flatMap { name -> [String] in
      guard let id = BackupFile.identifier(of: name), folder.has(BackupFile.samplesName(of: id)),
        (try? BackupFile.read(name, in: folder))?.backup.sha256 != nil
      else { return [] }
      return [name, BackupFile.samplesName(of: id)]
    }
  }

  func read(at offset: Int64, count: Int) async throws -> [UInt8] {
    try await NIOThreadPool.singleton.runIfActive { [archive] in try archive.read(at: offset, count: count) }
  }
}
