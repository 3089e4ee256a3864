import Foundation
import TestSupport
import Testing

extension Machine {
  /// What is in a take is compared, every 20 ms of it, with what musicians played whose clocks, paths and faults are known.
  @Suite struct LaboratoryTests {
    /// The scenarios at once, against one service; in the order of their ends.
    private static func perform(_ scenarios: [Scenario], _ service: Service) async -> [Verdict] {
      let laboratory = Laboratory(TestedService(port: service.port, recordings: service.recordings))
      return await withTaskGroup(of: Verdict.self) { group in
        for scenario in scenarios {
          group.addTask {
            await withCheckedContinuation { continuation in
              // A performance takes a thread for as long as it lasts.
              Thread.detachNewThread { continuation.resume(returning: laboratory.perform(scenario)) }
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
    }

    /// A musician who is later than this leaves while their own last packets are still to be sent, in milliseconds.
    private static let bearableLateness = 25.0
    private static let attempts = 3

    @Test func whatIsPromisedHolds() async throws {
      let service = try await Service()
      var verdicts: [Verdict] = []
      var scenarios = Scenario.promised
      for attempt in 1...LaboratoryTests.attempts where !scenarios.isEmpty {
        let latest = await LaboratoryTests.perform(scenarios, service)
        let isLast = attempt == LaboratoryTests.attempts
        let isUnfit = { (verdict: Verdict) in
          !isLast && !verdict.broken.isEmpty && verdict.lateness > LaboratoryTests.bearableLateness
        }
        verdicts += latest.filter { !isUnfit($0) }
        let again = Set(latest.filter(isUnfit).map(\.scenario.name))
        scenarios.removeAll { !again.contains($0.name) }
      }
      #expect(verdicts.count == Scenario.promised.count)
      for verdict in verdicts {
        let words = "\(verdict.scenario.name) (this machine was late by \(verdict.lateness) ms at most)"
        #expect(verdict.failure == nil, "\(words)\n\(service.process.text)")
        #expect(verdict.broken.isEmpty, "\(words)")
      }
      await service.close()
    }
  }
}
