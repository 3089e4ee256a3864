import Foundation
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// Orders for other processes, and exports that outlive their service.
@Suite(.timeLimit(.minutes(5))) struct JobOrderTests {
  private func wish() -> ExportWish {
    var settings = MixSettings()
    settings.gain = -1.5
    settings.channels[1] = .init(gain: 3, pan: -0.5, isSolo: true, offset: -480, highPass: 80)
    settings.channels[2] = .init(isMuted: true)
    settings.normalization = .init(loudness: -16)
    settings.range = SamplePosition(480)..<SamplePosition(48_000)
    return ExportWish(
      kind: .mix, format: .wav16, rate: 44_100, settings: settings, perspective: .following(2), title: "following bob",
      source: .lossless)
  }

  private func order(_ rehearsed: RehearsedTake, _ wish: ExportWish) -> ExportOrder {
    ExportOrder(
      request: wish,
      source: ExportSource(
        take: rehearsed.take, manifest: rehearsed.manifest, cues: rehearsed.manifest.cues, lossless: nil))
  }

  private func job(_ id: String, of take: Take) -> ExportJob {
    ExportJob(
      id: id, take: take.id, room: take.room, kind: .mix, format: "wav24", rate: 48_000, downloadName: "x.wav",
      createdAt: take.startedAt)
  }

  @Test func anOrderArrivesAsItWasSent() async throws {
    try await TestService.with { service async throws in
      let sent = order(try await RehearsedTake(in: service.data, service.catalog), wish())
      let line = try JSONEncoder().encode(JobWorker.Order(root: "/data", work: .export(id: "x", sent)))
      let read = try JSONDecoder().decode(JobWorker.Order.self, from: line)
      guard case .export("x", let received) = read.work else {
        Issue.record("another order arrived: \(read)")
        return
      }
      #expect(received.request == sent.request && received.request.text == sent.request.text)
      #expect(received.source.take == sent.source.take && received.source.manifest == sent.source.manifest)
      #expect(received.source.fingerprint(manifest: []) == sent.source.fingerprint(manifest: []))
    }
  }

  /// Where no round trip was measured, the bound is written as infinite, for which JSON has no number.
  @Test func anOrderForATakeOfUnknownBoundsSurvivesARestart() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      var manifest = rehearsed.manifest
      manifest.tracks[0].alignment?.errorBound = nil
      let source = ExportSource(take: rehearsed.take, manifest: manifest, cues: manifest.cues, lossless: nil)
      let shelf = ExportShelf(recordings: service.data.path, software: "test")
      let id = String(repeating: "d", count: 32)
      try shelf.store(job(id, of: rehearsed.take), ExportOrder(request: wish(), source: source))
      let waiting = try #require(try shelf.sweep().waiting.first { $0.job.id == id })
      #expect(waiting.order.source.manifest == manifest)
    }
  }

  /// The take is deleted between its look-up and the entry of the export.
  @Test func anExportOfATakeThatWasJustDeletedDoesNotStay() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let order = self.order(rehearsed, wish())
      #expect(try await service.send(.DELETE, "/v1/takes/\(rehearsed.take.id)").status == 200)
      let exports = Exports(
        ExportConfiguration(), index: service.catalog, jobs: JobRunner(program: nil, root: service.data.path),
        software: "test", feed: service.broker.events, ledger: service.broker.ledger, logger: TestService.quiet)
      let id = String(repeating: "c", count: 32)
      _ = try await exports.submit(job(id, of: rehearsed.take), order, isPrivileged: true)
      #expect(exports.list.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: "\(service.data.path)/_exports/\(id)"))
    }
  }

  @Test func anExportThatAServiceLeftIsMadeByTheNextUnlessItEndedThree() async throws {
    let data = try DataFolder()
    let (left, poison) = (String(repeating: "a", count: 32), String(repeating: "b", count: 32))
    try await TestService.with(data: data) { service async throws in
      let rehearsed = try await RehearsedTake(in: data, service.catalog)
      let shelf = ExportShelf(recordings: data.path, software: service.broker.configuration.software)
      let wish = ExportWish(
        kind: .mix, format: .wav24, rate: 48_000, settings: MixSettings(), perspective: .asPlayed, title: "as played")
      for id in [left, poison] {
        try shelf.store(job(id, of: rehearsed.take), order(rehearsed, wish))
        try shelf.attempts(at: id).begin()
      }
      for _ in 2...Attempts.limit { try shelf.attempts(at: poison).begin() }
    }
    try await TestService.with(data: data) { service async throws in
      try await eventually("the export that was left is made") {
        try await service.send(.GET, "/v1/exports/\(left)").json["state"] == "done"
      }
      let made = try FileManager.default.contentsOfDirectory(atPath: "\(data.path)/_exports/\(left)").sorted()
      #expect(made == ["export.json", "mix.wav"])
      try await eventually("the other one is given up") {
        try await service.send(.GET, "/v1/exports/\(poison)").json["state"] == "failed"
      }
      let failed = try await service.send(.GET, "/v1/exports/\(poison)").json
      #expect(failed["problem"]?.string?.contains("3 attempts were in vain") == true, "\(failed)")
    }
    // And it stays so.
    #expect(!FileManager.default.fileExists(atPath: "\(data.path)/_exports/\(poison)"))
  }
}
