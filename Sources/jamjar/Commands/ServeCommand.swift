import ArgumentParser
import Foundation
import Library
import Logging
import Server

/// Starts the service and runs it until a signal to stop.
struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Start the service: rooms, recording, REST API and web page.",
    discussion: """
      Every option can also be set in the environment (--ice-ports as JAMJAR_ICE_PORTS) or in a JSON file (--config).
      Keys come from the environment or the file only: JAMJAR_JOIN_SECRET signs join tokens, JAMJAR_API_KEYS opens REST.
      SIGTERM ends running takes and completes their files before the process ends. At --stop-limit, or on a second
      signal, the rest is cut off: journals are closed, the next start completes their takes, and the exit code is 75.
      """)

  @OptionGroup var options: SettingsOptions

  func run() async throws {
    let settings = try await Settings.orExit(options)
    let logger = Logs.logger(level: settings.logLevel, isJSON: settings.logsJSON)
    do {
      let supervisor = Supervisor(environment: ProcessInfo.processInfo.environment)
      let service = try await RunningService(settings, logger: logger, supervisor: supervisor) { port in
        let pages = PageAddresses(settings).all(port: port)
        var places: Logger.Metadata = ["page": "\(pages.first ?? "")"]
        if pages.count > 1 { places["also"] = "\(pages.dropFirst().joined(separator: " "))" }
        logger.notice("Jamjar is ready", metadata: places)
      }
      try await service.run()
    } catch let problem as ConfigurationProblem {
      Terminal.complain("jamjar: \(problem)")
      throw ExitCode(ExitCodes.configuration)
    } catch let error as LibraryError {
      Terminal.complain("jamjar: \(error)")
      throw ExitCode(error.exitCode)
    } catch let problem as ListeningProblem {
      Terminal.complain("jamjar: \(problem)")
      throw ExitCode(problem.exitCode)
    } catch let short as StoppedShort {
      Terminal.complain("jamjar: \(short)")
      throw ExitCode(ExitCodes.cutOff)
    } catch {
      Terminal.complain("jamjar: the service ended: \(error)")
      throw ExitCode(ExitCodes.software)
    }
  }
}

extension ListeningProblem {
  /// The exit code for a port that cannot be had.
  fileprivate var exitCode: Int32 {
    switch code {
    case EACCES, EPERM: ExitCodes.notPermitted
    case EADDRNOTAVAIL: ExitCodes.configuration
    default: ExitCodes.unavailable
    }
  }
}
