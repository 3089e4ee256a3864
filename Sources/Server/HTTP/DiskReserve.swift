import Glibc
import HTTPTypes
import Music
import Recording

/// Space on the disk that uploads leave to rolling takes. Blocks on the disk.
struct DiskReserve: Sendable {
  /// The data folder.
  let recordings: String
  /// In bytes.
  let bytes: Int64

  /// - Throws: `Problem` 507 if rolling takes would have too little space left; `FileProblem`.
  func check(for upload: Int64) throws {
    let room = try DiskSpace(at: recordings).available
    guard room &- upload >= bytes else {
      throw Problem.noRoom(
        "the disk has \(room >> 20) MiB left and \(bytes >> 20) MiB are reserved for takes; free some space, then continue"
      )
    }
  }

  /// The same for work that goes on for long.
  /// - Throws: `FileProblem`, with `isDiskFull` if rolling takes have too little space left.
  func protect() throws(FileProblem) {
    guard try DiskSpace(at: recordings).available >= bytes else {
      throw FileProblem(
        path: "space beside rolling takes", operation: .reserve, code: ENOSPC,
        detail: "\(bytes >> 20) MiB are kept for them")
    }
  }

  /// Converts the error of a full disk.
  static func storing(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let problem as FileProblem where problem.isDiskFull {
      throw Problem.noRoom("the disk is full; free some space, then continue")
    }
  }
}

extension Problem {
  static func noRoom(_ detail: String) -> Problem {
    Problem(
      .init(code: 507, reasonPhrase: "Insufficient Storage"), "storage", "Nothing can be stored", detail,
      headers: [.retryAfter: "60"])
  }
}

extension TakeFolder {
  /// Appends the bytes of a request durably to the file `name`, which has `size` bytes.
  func append(_ bytes: [UInt8], to name: String, at size: Int64) throws(FileProblem) {
    var problem: FileProblem?
    bytes.withUnsafeBytes { bytes in
      do throws(FileProblem) { try append(bytes, to: name, at: size) } catch { problem = error }
    }
    if let problem { throw problem }
  }
}
