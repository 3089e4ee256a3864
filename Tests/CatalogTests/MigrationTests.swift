import Foundation
import Migrations
import Testing

@Suite struct MigrationTests {
  private static let folder =
    URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path + "/Migrations"

  @Test func everyFileIsListedInOrderAndEmbeddedAsItIs() throws {
    let files = try FileManager.default.contentsOfDirectory(atPath: MigrationTests.folder)
      .filter { $0.hasSuffix(".sql") }.sorted()
    #expect(Migration.all.map { $0.name + ".sql" } == files)
    for migration in Migration.all {
      let text = try String(contentsOfFile: "\(MigrationTests.folder)/\(migration.name).sql", encoding: .utf8)
      #expect(migration.sql == text)
    }
  }

  @Test func numbersCountFromOneWithoutAHole() {
    #expect(Migration.all.map { Int($0.name.prefix(4)) } == (1...Migration.all.count).map(Optional.some))
  }
}
