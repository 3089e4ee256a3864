import Glibc

/// A folder of its own for one test, gone with its last use.
final class ScratchFolder {
  let path: String

  init() throws {
    var template = Array("/tmp/jamjar-files-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { throw Failure(code: errno) }
    path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  deinit {
    var entries = [path]
    var folders: [String] = []
    while let next = entries.popLast() {
      if unlink(next) == 0 { continue }
      guard let stream = opendir(next) else { continue }
      defer { closedir(stream) }
      folders.append(next)
      while let entry = readdir(stream) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
          $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        if name != ".", name != ".." { entries.append("\(next)/\(name)") }
      }
    }
    for folder in folders.reversed() { rmdir(folder) }
  }

  struct Failure: Error {
    var code: Int32
  }
}
