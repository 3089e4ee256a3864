import ArgumentParser

/// Checks or shows the settings without starting anything.
struct ConfigCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config", abstract: "Check or show the settings from options, environment and file.",
    subcommands: [Check.self, Show.self])

  struct Check: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Report every problem with the settings.")
    @OptionGroup var options: SettingsOptions

    func run() async throws {
      _ = try await Settings.orExit(options)
      print("The settings are good.")
    }
  }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print all explicit settings, without secrets.")
    @OptionGroup var options: SettingsOptions

    func run() async throws {
      let settings = try await Settings.orExit(options)
      for (key, value) in settings.found { print("\(key.rawValue) = \(value)    # \(key.variable)") }
      if settings.found.isEmpty { print("Nothing is set; everything has its default (see jamjar serve --help).") }
    }
  }
}

extension Settings {
  /// Reads the settings, or prints every problem and ends with exit code 78 (EX_CONFIG).
  static func orExit(_ options: SettingsOptions) async throws -> Settings {
    do {
      return try await read(options)
    } catch let problems as SettingsProblems {
      Terminal.complain(problems.sentences.map { "jamjar: \($0)" }.joined(separator: "\n"))
      throw ExitCode(ExitCodes.configuration)
    } catch {
      Terminal.complain("jamjar: the settings file cannot be read: \(error)")
      throw ExitCode(ExitCodes.configuration)
    }
  }
}
