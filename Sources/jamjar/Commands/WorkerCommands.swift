import ArgumentParser
import Glibc
import Rooms
import Server

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

/// The process of which the service's renders and jobs are copies; not for users.
struct WorkerTemplateCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: WorkerTemplate.command, abstract: "Make copies that work for the service.", shouldDisplay: false)

  func run() throws {
    try WorkerTemplate.serve(on: STDIN_FILENO) { try JobWorker.run(on: $0) }
  }
}

/// The process that the service starts for an export or the alignment of a backup; not for users.
struct WorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: JobWorker.command, abstract: "Do one job for the service that started this process.",
    shouldDisplay: false)

  func run() throws {
    try JobWorker.run(on: LineSocket(owning: STDIN_FILENO))
  }
}

/// The process that the service starts to decode or encode one stream of RTMP; not for users.
struct CodecWorkerCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: CodecWorker.command,
    abstract: "Decode or encode one stream for the service that started this process.",
    shouldDisplay: false)

  func run() { CodecWorker.run() }
}

/// The process that the service starts to become a program of somebody else's; not for users.
struct ConfinedCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: ForeignProgram.command, abstract: "Become another program without the rights that it does not need.",
    shouldDisplay: false)

  @Argument(parsing: .captureForPassthrough, help: "What it needs, its path, and its arguments.")
  var words: [String]

  func run() throws {
    guard words.count >= 2, let needs = ForeignProgram.Needs(rawValue: words[0]) else {
      throw ValidationError("confined needs \"pipes\" or \"connections\", and the path of a program")
    }
    let problem = ForeignProgram.become(words[1], Array(words.dropFirst(2)), needs: needs)
    Terminal.complain("jamjar: \(words[1]) cannot be started: \(String(cString: strerror(problem)))")
    throw ExitCode(ExitCodes.software)
  }
}
