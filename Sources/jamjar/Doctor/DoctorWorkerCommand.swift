import ArgumentParser
import Glibc
import Rooms
import Server
import Signaling

/// The process in which the service has itself looked at; not for users.
struct DoctorWorkerCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: DoctorWorker.command, abstract: "Look at the service that started this process.",
    shouldDisplay: false)

  func run() async throws {
    let socket = LineSocket(owning: STDIN_FILENO)
    guard let order = try socket.next(DoctorWorker.Order.self) else { return }
    Confinement.end(with: socket)
    do {
      let settings = try Settings.read(order.settings)
      guard let clock = Examination.clock(order.timeServer) ?? Examination.clock(nil) else { return }
      let examination = Examination(
        settings: settings, address: try settings.publicURL.map { try ServerAddress($0, field: "public-url") },
        clock: clock, trust: order.trust)
      // A service that is gone ends this process.
      await examination.run { finding in try? socket.send(DoctorWorker.Line.finding(finding)) }
    } catch let problems as SettingsProblems {
      // The service has them all; but a name that led somewhere at its start may lead nowhere now.
      try socket.send(DoctorWorker.Line.finding(DoctorWorkerCommand.finding(problems)))
    }
    try socket.send(DoctorWorker.Line.done)
  }

  private static func finding(_ problems: SettingsProblems) -> Finding {
    Finding(
      .service, .failure, "The service could not start again: \(problems.sentences.joined(separator: "; ")).",
      remedy: "Does the name still lead somewhere (DNS)? jamjar config check tells all problems of the settings.")
  }
}
