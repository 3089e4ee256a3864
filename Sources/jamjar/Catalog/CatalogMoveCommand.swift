import ArgumentParser
import Catalog
import Foundation
import Library
import Music
import Recording

/// Carries the index of a data folder to PostgreSQL or back.
struct CatalogMoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "move", abstract: "Carry the index to PostgreSQL, or back into a file.",
    discussion: """
      Identifiers and the order of lists stay. The index at --to is replaced in a single step once the new one is \
      complete; the one at --from stays as it is. The command refuses to run while the service is running. Afterwards \
      give the service the new place: --catalog, JAMJAR_CATALOG, or nothing for the file in the data folder.
      """)

  @Option(name: .long, help: "The index as it is: a file of SQLite, or postgresql://[user@]host[:port]/database.")
  var from: String
  @Option(name: .long, help: "Where it shall be: the same.")
  var to: String
  @Option(name: .long, help: "Data folder that the index belongs to. (default: JAMJAR_DATA, or Recordings)")
  var data: String?

  func run() async throws {
    try await CommandFailure.orExit {
      var reader = try await SettingsReader(try SettingsOptions.parse([]))
      let data = data ?? reader.text(.data) ?? "Recordings"
      guard FileManager.default.fileExists(atPath: data) else {
        throw CommandFailure(ExitCodes.noInput, "there is no data folder \(data); name it with --data")
      }
      let (source, target) = (try place(from), try place(to))
      if case .file(let path) = source, !FileManager.default.fileExists(atPath: path) {
        throw CommandFailure(ExitCodes.noInput, "there is no index \(path); name it with --from")
      }
      let lock = try Library.alone(in: data)
      let counts = try await CatalogMove(from: source, to: target, now: MonotonicClock.wall).counts
      withExtendedLifetime(lock) {}
      func rows(_ table: String) -> Int { counts.first { $0.table == table }?.rows ?? 0 }
      print(
        """
        Moved the index to \(target): \(rows("takes")) takes, \(rows("tracks")) tracks, \(rows("sessions")) sessions, \
        \(rows("songs")) songs, \(rows("participants")) people.
        """)
    }
  }

  private func place(_ text: String) throws -> CatalogPlace {
    PostgreSQLAddress.isMeant(by: text) ? .postgreSQL(try PostgreSQLAddress(text)) : .file(text)
  }
}
