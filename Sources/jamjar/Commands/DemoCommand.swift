import ArgumentParser
import Foundation
import Logging
import Machines
import Music
import Realtime
import Recording
import Rooms
import Server
import ServiceLifecycle
import Signaling

/// An end-to-end demonstration: three synthetic musicians play, and the take is compared with what they played.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Let three synthetic musicians play over real ICE, DTLS and SRTP, and show the finished take.")

  @Option(name: .long, help: "Length of the performance, 3 to 600 s.")
  var seconds = 20
  @Option(name: .long, help: "Data folder for the take.")
  var data = "Recordings"

  func validate() throws {
    guard (3...600).contains(seconds) else {
      throw ValidationError("--seconds is \(seconds); 3 to 600 are possible")
    }
  }

  func run() async throws {
    let logger = Logs.logger(level: .warning, isJSON: false)
    let options = try SettingsOptions.parse(["--port", "0", "--data", data])
    let settings = try await Settings.orExit(options)
    let (ports, listening) = AsyncStream<Int>.makeStream()
    let service = try await CommandFailure.orExit {
      try await RunningService(settings, logger: logger, endsOnSignals: false) { listening.yield($0) }
    }
    // Runs beside the musicians in this process, and is always awaited.
    let running = Task { try await service.run() }
    var iterator = ports.makeAsyncIterator()
    guard let port = await iterator.next() else { throw ExitCode(ExitCodes.software) }
    do {
      print("Jamjar listens on port \(port); three musicians come in and play for \(seconds) s.")
      let performance = try await DemoPerformance(seconds: seconds, port: port)
      let finished = try await performance.play()
      let report = try await DemoReport(finished, parts: performance.parts, index: service.index, data: data)
      print(report.text)
      await service.group.triggerGracefulShutdown()
      try await running.value
      guard report.isGood else { throw ExitCode(ExitCodes.software) }
    } catch {
      await service.group.triggerGracefulShutdown()
      try? await running.value
      throw error
    }
  }
}
