import ArgumentParser

/// Prints the manual page, generated from the commands' own help.
struct ManualCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "manual", abstract: "Print the manual page: jamjar manual | man -l -")

  func run() throws {
    guard let page = ManualPage(dump: Jamjar._dumpHelp(), version: Version.text) else {
      throw CommandFailure(ExitCodes.software, "the help cannot be read")
    }
    print(page.text)
  }
}
