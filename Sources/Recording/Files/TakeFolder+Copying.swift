import CLinux
import Glibc

extension TakeFolder {
  /// Bytes that are copied between two reports of progress.
  private static let stretch: Int64 = 32 << 20

  /// Copies the file `source` of another folder to `name`, replacing what has it; `synchronize()` makes that last.
  ///
  /// Where the file system can share blocks between files the copy costs none. The file has its name only when it is
  /// whole; what `progress` throws stops the copying, and nothing is left.
  ///
  /// - Parameter progress: told how much is done, 0 to 1.
  /// - Returns: the length in bytes.
  /// - Throws: `FileProblem`, what `progress` throws.
  package func copy(
    _ source: String, of folder: TakeFolder, as name: String, progress: (Double) throws -> Void
  ) throws -> Int64 {
    let input = try folder.open(source)
    let length = try input.length(path: folder.label(source))
    let part = TakeFolder.partName(name)
    try remove(part)
    let output = try create(part)
    do {
      if jamjar_share_blocks(output.raw, input.raw) != 0 {
        var done: Int64 = 0
        while done < length {
          done += try copyStretch(input, output, at: done, count: min(TakeFolder.stretch, length - done), label(part))
          try progress(Double(done) / Double(max(1, length)))
        }
      }
      try progress(1)
      try output.synchronize(path: label(part))
      try publish(name)
    } catch {
      try? remove(part)
      throw error
    }
    return length
  }

  /// Copies up to `count` bytes inside the kernel, or through memory where two file systems cannot do that.
  private func copyStretch(
    _ input: Descriptor, _ output: Descriptor, at offset: Int64, count: Int64, _ path: String
  ) throws(FileProblem) -> Int64 {
    let copied = jamjar_copy_range(input.raw, output.raw, off_t(offset), Int(count))
    if copied > 0 { return Int64(copied) }
    if copied < 0, errno == ENOSPC || errno == EDQUOT || errno == EIO {
      throw FileProblem(path: path, operation: .write, code: errno)
    }
    let bytes = try input.read(at: offset, count: Int(min(count, 1 << 20)), path: path)
    guard !bytes.isEmpty else {
      throw FileProblem(path: path, operation: .read, code: 0, detail: "its original became shorter meanwhile")
    }
    var problem: FileProblem?
    bytes.withUnsafeBytes { bytes in
      do throws(FileProblem) { try output.write(bytes, at: offset, path: path) } catch { problem = error }
    }
    if let problem { throw problem }
    return Int64(bytes.count)
  }
}
