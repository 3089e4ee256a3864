import ArgumentParser
import Glibc
import Rooms

/// What the service starts for every take that it renders; of no use to people.
struct RenderWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: RenderKeeper.command, abstract: "Render one take for the service that started this process.",
    shouldDisplay: false)

  @Option(help: "How much lower than the service's its priority is.")
  var niceness: Int32 = 5

  func run() throws {
    try RenderKeeper.run(on: LineSocket(owning: STDIN_FILENO), niceness: niceness)
  }
}
