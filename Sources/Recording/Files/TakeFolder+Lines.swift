import CLinux
import Glibc

/// Files of lines that only grow at their end.
extension TakeFolder {
  /// Adds whole lines to the file `name`, which is made where it is not there; they last through a power loss.
  ///
  /// Where that fails nothing of them stays.
  /// - Returns: the file's length afterwards, in bytes.
  package func append(lines: [UInt8], to name: String) throws(FileProblem) -> Int64 {
    let path = label(name)
    let isNew = !has(name)
    let file = try Descriptor.open(name, in: descriptor, flags: O_RDWR | O_CREAT, path: path, operation: .create)
    let length = try file.length(path: path)
    var problem: FileProblem?
    lines.withUnsafeBytes { bytes in
      do throws(FileProblem) { try file.write(bytes, at: length, path: path) } catch { problem = error }
    }
    if let problem {
      // Half a line must not stay where the next one goes on; where even that fails, `lines(of:)` cuts it off.
      _ = ftruncate(file.raw, off_t(length))
      throw problem
    }
    _ = try Descriptor.retrying(path, .sync) { fdatasync(file.raw) }
    if isNew { try synchronize() }
    return length + Int64(lines.count)
  }

  /// All whole lines of the file `name`, nil where there is none; half a line at its end, which a crash left, is cut off.
  package func lines(of name: String, limit: Int) throws(FileProblem) -> [UInt8]? {
    let bytes: [UInt8]
    do throws(FileProblem) {
      bytes = try read(name, limit: limit)
    } catch  where error.isMissing {
      return nil
    }
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    guard end < bytes.count else { return bytes }
    let file = try open(name, flags: O_RDWR)
    _ = try Descriptor.retrying(label(name), .cut) { ftruncate(file.raw, off_t(end)) }
    return Array(bytes[..<end])
  }
}
