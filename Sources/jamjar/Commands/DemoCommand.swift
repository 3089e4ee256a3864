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

/// The main job from end to end: three synthetic musicians play, and the take is measured against what they played.
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Let three synthetic musicians play over real ICE, DTLS and SRTP, and show the finished take.")

  @Option(name: .long, help: "How long they play, 3 to 600 s.")
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
    let service = try await RunningService(settings, logger: logger, endsOnSignals: false) { listening.yield($0) }
    // Beside the musicians of this process; waited for whichever way it ends.
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
