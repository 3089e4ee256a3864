import ArgumentParser
import CLinux
import Foundation

/// The command line's root.
@main
struct Jamjar: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jamjar",
    abstract: "Records musicians who play together over the network: every track and the mix, on one time line.",
    discussion: """
      Exit codes, as in sysexits.h: 0 success; 1 the doctor found a failure; 64 invalid arguments; 65 the request \
      cannot be carried out (the take is still rolling, a journal is damaged, the item was edited in the meantime); \
      66 no such take, song or file; 69 the service cannot be reached; 70 internal error; 73 a file cannot be \
      created or exists already; 74 reading or writing failed (the disk is full); 75 the service stopped before all \
      work was done; 77 no permission; 78 invalid settings; 128 and the number of a signal that ended the command \
      (130: Ctrl-C).
      """,
    version: Version.text,
    subcommands: [
      ServeCommand.self, TakesCommand.self, SongsCommand.self, SessionsCommand.self, PeopleCommand.self,
      ExportCommand.self, ShareCommand.self, ImportCommand.self, EventsCommand.self, RoomsCommand.self,
      ConnectionsCommand.self,
      BotCommand.self, BotsCommand.self,
      TakesRenderCommand.self,
      CatalogCommand.self, RetentionCommand.self, DemoCommand.self, PlayCommand.self, ConfigCommand.self,
      InviteCommand.self, DoctorCommand.self, TokenCommand.self, ManualCommand.self, RenderWorkerCommand.self,
      WorkerCommand.self, CodecWorkerCommand.self, DoctorWorkerCommand.self,
    ])

  /// Runs the command. Reports invalid arguments in one line that points to the help.
  static func main() async {
    do {
      var command = try await asyncParseAsRoot()
      if var command = command as? any AsyncParsableCommand {
        try await command.run()
      } else {
        try command.run()
      }
      end(0)
    } catch {
      let code = exitCode(for: error).rawValue
      if code == ExitCodes.usage, !message(for: error).isEmpty {
        let sentence = message(for: error).split(separator: "\n").joined(separator: " ")
        Terminal.complain("jamjar: \(sentence) (see jamjar \(helpPath)--help)")
      } else {
        let text = fullMessage(for: error)
        if code == 0 { print(text) } else if !text.isEmpty { Terminal.complain(text) }
      }
      end(code)
    }
  }

  /// Ends the process once all output has been written.
  ///
  /// Uses `_exit`: `exit` tears OpenSSL down while threads still encrypt, and the process would die of SIGSEGV.
  ///
  /// Output that does not arrive is an error of every command. A reader that has closed its pipe (`head`) wanted no more.
  private static func end(_ code: Int32) -> Never {
    let lost = jamjar_flush_output()
    guard lost != 0, code == 0 else { _exit(code) }
    if lost == EPIPE { _exit(ExitCodes.signal(SIGPIPE)) }
    Terminal.complain("jamjar: the output cannot be written: \(String(cString: strerror(lost)))")
    _exit(ExitCodes.inputOutput)
  }

  /// The valid subcommands at the start of the arguments: "takes list ".
  private static var helpPath: String {
    var path = ""
    var level: any ParsableCommand.Type = Jamjar.self
    for word in CommandLine.arguments.dropFirst() {
      guard let next = level.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else {
        break
      }
      path += word + " "
      level = next
    }
    return path
  }
}
