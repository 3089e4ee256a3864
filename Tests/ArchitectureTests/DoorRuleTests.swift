import Foundation
import Testing

/// "A dialect is a folder": where the names of dialects stand in the code.
@Suite struct DoorRuleTests {
  struct Dialect: CustomTestStringConvertible {
    var name: String
    /// Files outside its folders that are neither the table nor the list of doors, and why.
    var others: Set<String> = []

    var testDescription: String { name }
  }

  /// The table of rights and the list of doors.
  private static let shared: Set<String> = [
    "Sources/Signaling/Authorisation/Authorisation.swift", "Sources/Signaling/Authorisation/Door+Customs.swift",
    "Sources/Server/Doors/Doors.swift",
  ]

  @Test(arguments: [
    // Its rooms are a kind of place that bots go to, with a visit of its own.
    Dialect(
      name: "XirSys",
      others: ["Sources/Signaling/Guests/GuestKind.swift", "Sources/Server/Bots/Bot.swift"]),
    Dialect(name: "Remon"),
    // Archives of the vendor's are imported, and ours are made by workers.
    Dialect(
      name: "OpenTok",
      others: [
        "Sources/Recording/Import/ImportPlanner.swift", "Sources/Recording/Import/Packets/OpenTokArchive.swift",
        "Sources/Server/Jobs/JobOrder.swift", "Sources/jamjar/Import/ImportCommand.swift",
      ]),
  ])
  func aDialectIsKnownByItsFoldersTheTableAndTheListOnly(dialect: Dialect) throws {
    let word = dialect.name.lowercased()
    let files = try SourceTree.files(below: "Sources")
    #expect(files.contains { $0.path.hasPrefix("Sources/Server/Doors/\(dialect.name)/") })
    let strangers = files.filter { file in
      !file.path.contains("/\(dialect.name)/")
        && file.code.lowercased().replacing("demonstrat", with: "").contains(word)
    }.map(\.path)
    #expect(Set(strangers).subtracting(DoorRuleTests.shared) == dialect.others)
  }
}
