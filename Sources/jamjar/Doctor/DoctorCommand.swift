import ArgumentParser
import CLinux
import Client
import Foundation
import Server
import Signaling

/// Looks at everything that keeps a band from playing, and says what to do.
struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check certificate, name, ports, network, TURN, clock and disk of a service, and say what to do.",
    discussion: """
      Reads the same settings as jamjar serve, and works before the service runs as well as beside it. Exit code 0 unless \
      something fails, then 1; warnings and what cannot be told do not count. Nothing is changed. Asks the STUN and TURN \
      servers of the settings, a time server, and the service itself.
      """)

  @Argument(
    help: ArgumentHelp("Address under which others reach the service. (default: JAMJAR_PUBLIC_URL)", valueName: "url"))
  var url: String?
  @OptionGroup var options: SettingsOptions
  @Option(name: .long, help: "Time server, HOST[:PORT]. (default: JAMJAR_NTP, or \(Examination.timeServer))")
  var ntp: String?
  @Flag(
    name: .long, help: "Print JSON: the findings with check, level (ok, warning, failure, unknown), sentence, remedy.")
  var json = false

  private var timeServer: String? { ntp ?? ProcessInfo.processInfo.environment["JAMJAR_NTP"] }

  func validate() throws {
    guard Examination.clock(timeServer) != nil else {
      throw ValidationError("--ntp is \"\(timeServer ?? "")\"; permitted: HOST[:PORT]")
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let settings = try await Settings.orExit(options)
      let text = url ?? settings.publicURL
      let address = try text.map { try ServerAddress($0, field: url == nil ? "JAMJAR_PUBLIC_URL" : "URL") }
      guard let clock = Examination.clock(timeServer) else { return }
      let examination = Examination(
        settings: settings, address: address, clock: clock, trust: settings.server.webhooks.trust)
      var findings: [Finding] = []
      await examination.run { finding in
        findings.append(finding)
        if !json { DoctorCommand.show(finding) }
      }
      let failures = findings.count { $0.level == .failure }
      if json {
        let report: JSONObject = [
          "ok": .bool(failures == 0), "findings": .array(findings.map(\.json)),
        ]
        print(JSONValue.object(report).prettyText)
      } else {
        print(DoctorCommand.summary(findings))
      }
      if failures > 0 { throw ExitCode(ExitCodes.unwell) }
    }
  }

  private static func show(_ finding: Finding) {
    let (word, style): (String, Style) =
      switch finding.level {
      case .ok: ("ok     ", .good)
      case .warning: ("warning", .doubtful)
      case .failure: ("FAILURE", .bad)
      case .unknown: ("unknown", .faint)
      }
    print("\(Screen.standard.painted(word, style))  \(finding.sentence.printable)")
    if let remedy = finding.remedy { print("         -> \(remedy.printable)") }
    // Somebody waits for the next, which may take seconds.
    _ = jamjar_flush_output()
  }

  private static func summary(_ findings: [Finding]) -> String {
    func number(_ level: Finding.Level, _ one: String, _ many: String) -> String? {
      let count = findings.count { $0.level == level }
      return count == 0 ? nil : "\(count) \(count == 1 ? one : many)"
    }
    let parts = [
      number(.failure, "failure", "failures"), number(.warning, "warning", "warnings"),
      number(.unknown, "thing that cannot be told", "things that cannot be told"),
    ].compactMap(\.self)
    return parts.isEmpty ? "All is well." : parts.joined(separator: ", ") + "."
  }
}
