import ArgumentParser
import Music
import Rooms

/// Moves takes to the trash.
struct TakesDeleteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Move takes to the trash; jamjar takes restore brings them back.")

  @OptionGroup var takes: TakesArgument
  @OptionGroup var changes: ChangeOptions
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print the takes as JSON.")
  var json = false

  func run() async throws {
    try await takes.each(on: shelf, changes, "delete", json: json) { book, id, _ in try await book.delete(id) }
  }
}

/// Brings takes back from the trash.
struct TakesRestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring takes back from the trash, in which --where searches.")

  @OptionGroup var takes: TakesArgument
  @OptionGroup var changes: ChangeOptions
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print the takes as JSON.")
  var json = false

  func run() async throws {
    try await takes.each(on: shelf, changes, "restore", isDeleted: true, json: json) { book, id, _ in
      try await book.restore(id)
    }
  }
}
