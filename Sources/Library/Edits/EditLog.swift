import Foundation
import Music
import Recording
import Signaling

/// All edits of a data folder in order, by whichever process: `_library/edits/<number of its first edit>.jsonl`.
///
/// Each file has one line for each edit, so that an edit's number follows from its place. The newest 32 files of about
/// a mebibyte are kept. Only the holder of the library's lock appends; readers take no lock and disregard a last line
/// without its end, which the next writer cuts off.
package struct EditLog: Sendable {
  package static let folder = "_library/edits"
  private static let ending = ".jsonl"
  /// Digits of a file's name: of the largest number.
  private static let digits = 20
  /// A file of this length gets no more lines.
  private static let fullLength = 1 << 20
  /// Largest file that is read: the last line may have gone beyond the length above.
  private static let maximumBytes = 16 << 20

  private let root: String
  private let fileCount: Int
  private let fullLength: Int

  package init(recordings root: String) {
    self.init(recordings: root, fileCount: 32, fullLength: EditLog.fullLength)
  }

  /// - Parameters:
  ///   - fileCount: number of files kept.
  ///   - fullLength: length from which a file gets no more lines, in bytes.
  init(recordings root: String, fileCount: Int, fullLength: Int) {
    self.root = root
    self.fileCount = fileCount
    self.fullLength = fullLength
  }

  // MARK: Writing

  /// Adds the entry, unless the log has the edit `number` already: a killed process may have got that far.
  /// - Throws: `FileProblem`; nothing is added then.
  func append(_ entry: EditEntry, as number: UInt64) throws {
    let folder = try TakeFolder.obtain(EditLog.folder, in: root)
    var name = EditLog.name(1)
    var last: UInt64 = 0
    if let file = try EditLog.files(in: folder).last {
      let bytes = try folder.lines(of: file.name, limit: EditLog.maximumBytes) ?? []
      last = file.last(bytes)
      name = bytes.count < fullLength ? file.name : EditLog.name(last &+ 1)
    }
    guard last < number else { return }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    _ = try folder.append(lines: Array(try encoder.encode(entry)) + [UInt8(ascii: "\n")], to: name)
    for old in try EditLog.files(in: folder).dropLast(fileCount) { try? folder.remove(old.name) }
  }

  // MARK: Reading

  /// The number of the latest edit; 0 before the first.
  package func last() throws(FileProblem) -> UInt64 {
    guard let folder = try existing(), let file = try EditLog.files(in: folder).last else { return 0 }
    return file.last(try EditLog.bytes(of: file, in: folder))
  }

  /// Changes with every edit: a look at it is cheaper than a reading.
  func mark() throws(FileProblem) -> String {
    guard let folder = try existing(), let file = try EditLog.files(in: folder).last else { return "" }
    return "\(file.name) \(try folder.size(of: file.name))"
  }

  /// Up to `limit` edits after `number`, in order. Those that are no longer kept are left out.
  package func edits(after number: UInt64, limit: Int) throws(FileProblem) -> [NumberedEdit] {
    guard let folder = try existing() else { return [] }
    let files = try EditLog.files(in: folder)
    var edits: [NumberedEdit] = []
    for (index, file) in files.enumerated() {
      if index + 1 < files.count, files[index + 1].first <= number &+ 1 { continue }
      var place = file.first
      for line in try EditLog.bytes(of: file, in: folder).split(
        separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false
      ).dropLast() {
        defer { place &+= 1 }
        guard place > number else { continue }
        guard edits.count < limit else { return edits }
        edits.append(NumberedEdit(number: place, event: EditLog.event(of: line)))
      }
    }
    return edits
  }

  private static func event(of line: ArraySlice<UInt8>) -> ServiceEvent? {
    (try? JSONDecoder().decode(EditEntry.self, from: Data(line)))?.event
  }

  // MARK: Files

  /// A file of the log.
  private struct File {
    var name: String
    /// The number of its first edit.
    var first: UInt64

    /// The number of its last edit, or of the one before the file.
    func last(_ bytes: [UInt8]) -> UInt64 {
      first &- 1 &+ UInt64(bytes.count { $0 == UInt8(ascii: "\n") })
    }
  }

  private func existing() throws(FileProblem) -> TakeFolder? {
    do throws(FileProblem) {
      return try TakeFolder(existing: EditLog.folder, in: root)
    } catch  where error.isMissing {
      return nil
    }
  }

  private static func name(_ first: UInt64) -> String {
    let digits = String(first)
    return String(repeating: "0", count: max(0, EditLog.digits - digits.utf8.count)) + digits + ending
  }

  private static func files(in folder: TakeFolder) throws(FileProblem) -> [File] {
    try folder.names().compactMap { name in
      guard name.hasSuffix(ending), let first = UInt64(name.dropLast(ending.utf8.count)), first > 0,
        EditLog.name(first) == name
      else { return nil }
      return File(name: name, first: first)
    }
  }

  /// The file's contents; none if a writer has just removed it as the oldest.
  private static func bytes(of file: File, in folder: TakeFolder) throws(FileProblem) -> [UInt8] {
    do throws(FileProblem) {
      return try folder.read(file.name, limit: maximumBytes)
    } catch  where error.isMissing {
      return []
    }
  }
}
