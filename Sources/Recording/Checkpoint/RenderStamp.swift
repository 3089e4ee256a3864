import COpus
import CSndFile
import Glibc

/// Identifies everything that a render's samples depend on besides journal and options: this executable and the
/// libraries that decode, encode and calculate.
///
/// A checkpoint is only read where it is the same, so no release has to understand the checkpoints of another.
///
/// A file is known by its size and its times of modification and of change. Size and time of modification are not
/// enough: packages and container images give all files of a build one time. The time of change is the kernel's, and no
/// file that takes the place of another keeps it.
package enum RenderStamp {
  /// Libraries whose code has a part in samples or files. A repaired one may state the same version.
  private static let libraries = ["libopus.", "libsndfile.", "libFLAC.", "libm.", "libm-", "libc.", "libc-"]
  /// Maximum length of the list of mapped files, in bytes.
  private static let greatestList = 1 << 20

  /// Nil if the executable cannot be examined; then there are no checkpoints.
  ///
  /// Found once. A process that will not be allowed to open `/proc` has to ask before.
  package static let current: String? = {
    guard let executable = stamp(of: "/proc/self/exe"), let maps = text(of: "/proc/self/maps") else { return nil }
    let versions = [opus_get_version_string(), sf_version_string()].map { $0.map { String(cString: $0) } ?? "unknown" }
    let mapped = mappedFiles(maps).filter { path in
      let name = path.split(separator: "/").last ?? ""
      return libraries.contains { name.hasPrefix($0) }
    }
    let parts = mapped.map { stamp(of: $0) }
    guard !parts.contains(nil) else { return nil }
    return ([executable] + versions + parts.compactMap { $0 }).joined(separator: ", ")
  }()

  /// Nil if it cannot be opened.
  static func stamp(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    guard let status = FileStatus(of: file) else { return nil }
    return "\(status.size):\(status.modified):\(status.changed)"
  }

  /// The files in a list of mappings (proc(5)), each once and sorted.
  static func mappedFiles(_ maps: String) -> [String] {
    let paths = maps.split(separator: "\n").compactMap { line in
      line.firstIndex(of: "/").map { String(line[$0...]) }
    }
    return Set(paths).sorted()
  }

  private static func text(of path: String) -> String? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while bytes.count < greatestList {
      let count = read(file, &buffer, buffer.count)
      guard count > 0 else { return count == 0 ? String(decoding: bytes, as: UTF8.self) : nil }
      bytes += buffer[..<count]
    }
    return nil
  }
}
