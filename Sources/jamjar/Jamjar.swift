import ArgumentParser
import Foundation

/// The command line's root.
@main
struct Jamjar: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "jamjar",
    abstract: "Records musicians who play together over the network: every track and the mix, on one time line.",
    discussion: """
      Exit codes, after sysexits.h: 0 done; 64 the words of the command are wrong; 65 what was asked for cannot be had \
      (the take still rolls, a journal is damaged, somebody edited in between); 66 there is no such take, song or file; \
      69 the service cannot be reached; 70 a fault inside; 73 a file cannot be written; 75 the end of the service cut something off; 77 the key does not permit it; \
      78 the settings are wrong; 130 ended by Ctrl-C.
      """,
    version: Version.text,
    subcommands: [
      ServeCommand.self, TakesCommand.self, SongsCommand.self, SessionsCommand.self, PeopleCommand.self,
      ExportCommand.self, TakesRenderCommand.self, CatalogCommand.self, RetentionCommand.self, DemoCommand.self,
      PlayCommand.self,
      ConfigCommand.self, TokenCommand.self, ManualCommand.self, RenderWorkerCommand.self,
    ])

  /// Runs the command. What was typed wrong is told in one line, with the place of the help.
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

  /// Ends the process, once everything that was printed is written.
  ///
  /// By `_exit`: `exit` takes OpenSSL apart while threads still encrypt, which ends the process by SIGSEGV instead.
  private static func end(_ code: Int32) -> Never {
    fflush(nil)
    _exit(code)
  }

  /// The subcommands that were typed, as far as they are some: "takes list ".
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
