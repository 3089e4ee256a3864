import Foundation
import Glibc
import HTTPTypes
import NIOHTTP1
import Signaling
import TestSupport
import Testing

@testable import Server

/// The doctor's process: shells stand for it, which write as it does.
@Suite(.timeLimit(.minutes(2))) struct DoctorTests {
  /// A shell in the process's place, and the files that it leaves.
  private struct Surgery {
    /// A pipe that processes read a line from. It stays open at both ends: opening it for writing alone waits for a reader,
    /// for ever where that has ended, and with a thread that tests share.
    private final class Gate: Sendable {
      private let descriptor: Int32

      init(_ path: String) throws {
        guard mkfifo(path, 0o600) == 0 else { throw CocoaError(.fileWriteUnknown) }
        descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
      }

      func letPass() { _ = write(descriptor, "go\n", 3) }

      deinit { close(descriptor) }
    }

    let folder: DataFolder
    private let gate: Gate
    var program: String { folder.path + "/doctor.sh" }

    /// - Parameter script: what is done after its arguments and the order have been written down.
    init(_ script: String) throws {
      folder = try DataFolder()
      let notes = "cd \(folder.path)\necho \"$@\" >>visits\nread -r order\necho \"$order\" >order\n"
      try ProgramFile.write("#!/bin/sh\n\(notes)\(script)\n", to: folder.path + "/doctor.sh")
      gate = try Gate(folder.path + "/gate")
    }

    func doctor(_ settings: [String: String] = [:], patience: Int = Doctor.patience) -> Doctor {
      Doctor(
        program: program, order: DoctorWorker.Order(settings: settings), patience: patience, logger: TestService.quiet)
    }

    func text(_ name: String) -> String {
      (try? String(contentsOfFile: folder.path + "/\(name)", encoding: .utf8)) ?? ""
    }

    /// Lets a process go on that waits at the gate, or will.
    func letPass() { gate.letPass() }
  }

  private static let finding = """
    echo '{"finding":{"_0":{"check":"clock","level":"warning","sentence":"It is late.","remedy":"Sleep."}}}'
    """
  private static let done = "echo '{\"done\":{}}'"

  @Test func whoAsksMeanwhileGetsTheSameAnswer() async throws {
    let surgery = try Surgery("read -r word <gate\n\(DoctorTests.finding)\n\(DoctorTests.done)")
    let doctor = surgery.doctor()
    let (one, other) = (doctor.visit(), doctor.visit())
    surgery.letPass()
    let reports = (try await one.value, try await other.value)
    #expect(reports.0.findings == [Finding(.clock, .warning, "It is late.", remedy: "Sleep.")])
    #expect(reports.0.isComplete && reports.0.isWell && reports.1.findings == reports.0.findings)
    #expect(surgery.text("visits") == "doctor-worker\n")
    // A later question is another visit.
    let later = Task { try await doctor.report() }
    surgery.letPass()
    #expect(try await later.value.isComplete)
    #expect(surgery.text("visits") == "doctor-worker\ndoctor-worker\n")
  }

  @Test func aVisitThatLastsTooLongTellsWhatItFound() async throws {
    let surgery = try Surgery("\(DoctorTests.finding)\necho $$ >number\nread -r word <gate")
    let report = try await surgery.doctor(patience: 1).report()
    #expect(!report.isComplete && report.findings.count <= 1)
    // It may have been ended before it wrote its number.
    if let number = pid_t(surgery.text("number").trimmingCharacters(in: .whitespacesAndNewlines)) {
      #expect(kill(number, 0) != 0)
    }
  }

  @Test func secretsGoOverTheSocketOnly() async throws {
    let surgery = try Surgery("env >environment\n\(DoctorTests.done)")
    let secret = "a secret that coturn shares"
    let doctor = surgery.doctor(["turn-secret": secret, "port": "0"])
    doctor.listens(on: 18_080)
    #expect(try await doctor.report().isComplete)
    let order = try JSONDecoder().decode(DoctorWorker.Order.self, from: Data(surgery.text("order").utf8))
    #expect(order.settings == ["turn-secret": secret, "port": "18080"], "the port that the system chose")
    #expect(surgery.text("visits") == "doctor-worker\n")
    #expect(!surgery.text("environment").isEmpty && !surgery.text("environment").contains(secret))
  }

  @Test func aProcessThatEndsEarlySaysSo() async throws {
    let surgery = try Surgery("\(DoctorTests.finding)\nexit 3")
    let problem = await #expect(throws: Problem.self) { try await surgery.doctor().report() }
    #expect(problem?.code == "doctor-unavailable" && problem?.status == .serviceUnavailable)
    #expect(problem?.detail.contains("exit code 3") == true)
  }

  @Test func aServiceWithoutAProgramRefersToTheCommandLine() async throws {
    try await TestService.with { service async throws in
      let answer = try await service.send(.GET, "/v1/doctor")
      #expect(answer.status == 503)
      #expect(try answer.json["type"]?.string == "urn:jamjar:problem:doctor-unavailable")
      #expect(try answer.json["detail"]?.string?.contains("jamjar doctor") == true)
      #expect(try await service.send(.GET, "/v1/doctor?url=x").status == 400)
    }
  }
}
