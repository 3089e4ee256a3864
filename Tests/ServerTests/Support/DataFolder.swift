import Foundation

/// A data folder of its own for a test, removed with it.
final class DataFolder: Sendable {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "jamjar-server-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  func write(_ text: String, _ relative: String) throws { try write(Array(text.utf8), relative) }

  func write(_ bytes: [UInt8], _ relative: String) throws {
    let file = path + "/" + relative
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
  }

  func link(_ relative: String, to target: String) throws {
    let file = path + "/" + relative
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
  }
}

extension DataFolder {
  func remove(_ relative: String) throws {
    try FileManager.default.removeItem(atPath: path + "/" + relative)
  }
}
