import ArgumentParser
import CLinux
import Dispatch
import Foundation

/// Where every process of the program begins.
///
/// A worker has to give up its rights before its second thread exists, because Landlock binds a thread and those that it
/// starts. Swift's `async` main has threads from its first statement on, so this one begins without.
@main
enum Entry {
  static func main() {
    do {
      var command = try Jamjar.parsed()
      guard let asynchronous = command as? any AsyncParsableCommand else {
        try command.run()
        Jamjar.end(0)
      }
      // The task has it alone: this function never returns, and reads it no more.
      nonisolated(unsafe) var parsed = asynchronous
      // The program ends with it, and main queue and main actor have their thread until then.
      Task {
        do {
          try await parsed.run()
          Jamjar.end(0)
        } catch {
          Jamjar.end(for: error)
        }
      }
      dispatchMain()
    } catch {
      Jamjar.end(for: error)
    }
  }
}

/// The command line's root.
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
      WorkerTemplateCommand.self,
      WorkerCommand.self, CodecWorkerCommand.self, ConfinedCommand.self, DoctorWorkerCommand.self,
    ])

  /// The command of the program's arguments.
  ///
  /// Options of `serve` are parsed by themselves if they can be: within the tree of commands a debug build, as tests start it,
  /// checks each of them four times as often, which takes a quarter of the service's start. Whatever is not simply a set of
  /// options (`--help`, a mistake) is for the tree, which knows what to say.
  fileprivate static func parsed() throws -> any ParsableCommand {
    let words = CommandLine.arguments.dropFirst()
    guard words.first == ServeCommand.configuration.commandName,
      let options = try? SettingsOptions.parse(Array(words.dropFirst()))
    else { return try parseAsRoot() }
    var serve = ServeCommand()
    serve.options = options
    return serve
  }

  /// Ends the process because of an error. Reports invalid arguments in one line that points to the help.
  fileprivate static func end(for error: any Error) -> Never {
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

  /// Ends the process once all output has been written.
  ///
  /// Uses `_exit`: `exit` tears OpenSSL down while threads still encrypt, and the process would die of SIGSEGV.
  ///
  /// Output that does not arrive is an error of every command. A reader that has closed its pipe (`head`) wanted no more.
  fileprivate static func end(_ code: Int32) -> Never {
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
