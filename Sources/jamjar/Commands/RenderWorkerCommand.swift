import ArgumentParser
import Glibc
import Rooms

/// The process that the service starts to render a take; not for users.
struct RenderWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: RenderKeeper.command, abstract: "Render one take for the service that started this process.",
    shouldDisplay: false)

  @Option(help: "Amount by which its priority is below the service's.")
  var niceness: Int32 = 5

  func run() throws {
    try RenderKeeper.run(on: LineSocket(owning: STDIN_FILENO), niceness: niceness)
  }
}
