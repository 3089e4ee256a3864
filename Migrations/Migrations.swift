/// One step from an older schema of the index to the next; one that has landed is never edited.
package struct Migration: Sendable {
  /// The file's name without its extension, by which a database remembers that the step was made.
  package let name: String
  /// The statements of the step.
  package let sql: String

  private init(name: String, bytes: [UInt8]) {
    self.name = name
    sql = String(decoding: bytes, as: UTF8.self)
  }

  /// All steps in order; the schema's version is their count.
  package static let all: [Migration] = [
    // SwiftPM makes an underscore of the first digit of a resource's name.
    Migration(name: "0001_catalog", bytes: PackageResources._001_catalog_sql),
    Migration(name: "0002_library", bytes: PackageResources._002_library_sql),
    Migration(name: "0003_bounds", bytes: PackageResources._003_bounds_sql),
    Migration(name: "0004_comments", bytes: PackageResources._004_comments_sql),
    Migration(name: "0005_drops", bytes: PackageResources._005_drops_sql),
    Migration(name: "0006_talks", bytes: PackageResources._006_talks_sql),
    Migration(name: "0007_meta", bytes: PackageResources._007_meta_sql),
  ]

  /// The steps of the index on PostgreSQL; its schema's version is their count.
  package static let postgreSQL: [Migration] = [
    Migration(name: "pg_0001_catalog", bytes: PackageResources.pg_0001_catalog_sql)
  ]
}
