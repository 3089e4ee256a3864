import Foundation
import Music

@testable import Catalog

/// A folder of its own for a test's database, removed with it.
final class Shelf: Sendable {
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "jamjar-catalog-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  var path: String { folder + "/catalog.db" }

  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() }
  }

  var bytes: [UInt8] {
    get throws { try Array(Data(contentsOf: URL(fileURLWithPath: path))) }
  }

  func write(_ bytes: [UInt8]) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  func open() throws -> SQLiteCatalog {
    try SQLiteCatalog.open(at: path, now: Example.noon)
  }
}

extension Shelf {
  static func copy(_ source: String, to target: String) throws {
    try FileManager.default.copyItem(atPath: source, toPath: target)
  }

  static func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: path)
  }
}
