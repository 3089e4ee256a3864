import Foundation
import Synchronization
import TestSupport

/// Random musicians against the real service, many at a time; what each file holds against what was played.
struct LaboratoryTrial: Sendable {
  let scenarios: [Scenario]
  /// Scenarios at a time.
  let parallel: Int
  /// The built `jamjar`.
  let program: String
  /// Where the service's data folder is made.
  let folder: String
  /// Leaves that folder for people to look at.
  let keepsFolder: Bool
  /// Stops the service for up to 2 s, every 5 to 10 s.
  let standsStill: Bool

  /// Scenarios do not begin all at once, in microseconds between two.
  private static let stagger: UInt32 = 150_000

  /// Tells every scenario with a fault, then each kind; true where every promise was kept.
  func run() throws -> Bool {
    let service = try ServiceProcess(program, in: folder, keepsFolder: keepsFolder)
    defer { service.end() }
    let standstills = standsStill ? Standstills(service) : nil
    let laboratory = Laboratory(service.service, standstill: standsStill ? Standstills.length.upperBound : 0)
    let waiting = Mutex(scenarios[...])
    let verdicts = Mutex<[Verdict]>([])
    let group = DispatchGroup()
    for _ in 0..<min(parallel, scenarios.count) {
      group.enter()
      Thread.detachNewThread {
        while let scenario = waiting.withLock({ $0.popFirst() }) {
          let verdict = laboratory.perform(scenario)
          verdicts.withLock { $0.append(verdict) }
          tell(verdict)
        }
        group.leave()
      }
      usleep(LaboratoryTrial.stagger)
    }
    group.wait()
    if let standstills { tell(standstills.end()) }
    let all = verdicts.withLock { $0 }
    for kind in ScenarioKind.allCases { tell(kind, all.filter { $0.scenario.kind == kind }) }
    return all.allSatisfy { $0.failure == nil && $0.broken.isEmpty }
  }

  private func tell(_ standstills: [Double]) {
    var figure = Figure("standstills")
    figure.add("count", standstills.count)
    figure.add("seconds", Distribution(standstills))
    figure.tell()
  }

  private func tell(_ verdict: Verdict) {
    var figure = Figure("scenario")
    figure.add("seed", Int(verdict.scenario.seed))
    figure.add("kind", verdict.scenario.kind.rawValue)
    figure.add("name", verdict.scenario.name)
    figure.add("webRTC", verdict.scenario.musicians.count { $0.entrance == .webRTC })
    figure.add("refined", verdict.isRefined)
    figure.add("latenessMs", verdict.lateness)
    for finding in verdict.final {
      figure.add("errorMs", Distribution(finding.errors))
      if let bound = finding.bound { figure.add("boundMs", bound) }
      figure.add("lost", finding.lost)
      figure.add("journaled", finding.journaled)
    }
    figure.add("broken", (verdict.failure.map { ["failed: " + $0] } ?? verdict.broken).joined(separator: " | "))
    figure.tell()
  }

  private func tell(_ kind: ScenarioKind, _ verdicts: [Verdict]) {
    guard !verdicts.isEmpty else { return }
    let findings = verdicts.map(\.final)
    var figure = Figure("laboratory")
    figure.add("kind", kind.rawValue)
    figure.add("scenarios", verdicts.count)
    figure.add("refined", verdicts.count(where: \.isRefined))
    figure.add("trueErrorMs", Distribution(findings.flatMap { $0.flatMap(\.errors) }))
    figure.add("boundMs", Distribution(findings.flatMap { $0.compactMap(\.bound) }))
    func count(_ isBroken: (TrackFinding) -> Bool) -> Int { findings.count { $0.contains(where: isBroken) } }
    figure.add("unbounded", findings.reduce(0) { $0 + $1.count { $0.bound == nil } })
    figure.add("beyondBound", count { $0.beyondBound > 0 })
    figure.add("wronglyListed", count { $0.wronglyListed > 0 || $0.unlisted > 0 })
    figure.add("lostMismatched", count { !$0.undelivered.contains($0.lost) || !$0.sent.contains($0.expected) })
    figure.add("unjournaled", findings.reduce(0) { $0 + $1.reduce(0) { $0 + $1.unjournaled } })
    figure.add("journaled", findings.reduce(0) { $0 + $1.reduce(0) { $0 + $1.journaled } })
    figure.add("missing", findings.reduce(0) { $0 + $1.reduce(0) { $0 + $1.missing } })
    figure.add("firstSeen", verdicts.count { !$0.first.isEmpty })
    figure.add("atFirst", verdicts.count { $0.first.contains { !$0.broken(isFinal: false).isEmpty } })
    figure.add("broken", verdicts.count { !$0.broken.isEmpty })
    figure.add("failed", verdicts.count { $0.failure != nil })
    figure.add("latenessMsMax", verdicts.map(\.lateness).max() ?? 0)
    figure.tell()
  }
}
