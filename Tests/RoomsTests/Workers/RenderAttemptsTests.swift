import Foundation
import Glibc
import Logging
import Machines
import Music
import Recording
import TestSupport
import Testing

@testable import Rooms

/// A journal whose render ends its process, as a fault in a decoder would: it is given up, and nothing brings it back.
@Suite(.timeLimit(.minutes(2))) struct RenderAttemptsTests {
  /// A take with its journal in a data folder of its own, which goes with it.
  private final class Captured {
    let root: String
    let take: Take
    let folder: TakeFolder

    init() throws {
      root = NSTemporaryDirectory() + "jamjar-attempts-\(UUID().uuidString)"
      try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
      let virtual = try VirtualTake([VirtualPlayer()], length: 0.5)
      take = virtual.take
      folder = try TakeFolder.create(for: take, in: root)
      try JournalFile(creatingIn: folder).append(virtual.journal)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func queue(_ program: String?, by software: String = "jamjar 1") -> RenderQueue {
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      return RenderQueue(workerCount: 1, root: root, program: program, software: software, logger: logger)
    }

    func finish(_ queue: RenderQueue) async throws -> RenderedTake {
      defer { queue.stop() }
      return try await queue.finish(take, in: folder, options: RenderOptions())
    }
  }

  @Test func aJournalThatEndsThreeProcessesIsNotRenderedByTheNextStart() async throws {
    let captured = try Captured()
    await #expect(throws: WorkerProcess.Loss.self) { try await captured.finish(captured.queue("false")) }
    for _ in 0..<2 {
      let exhausted = await #expect(throws: AttemptsExhausted.self) {
        try await captured.finish(captured.queue("false"))
      }
      #expect(exhausted?.count == 3 && exhausted?.problem?.contains("exit code 1") == true, "\(exhausted as Any)")
    }
    #expect(captured.folder.has(TakeFolder.journalName))
    // A release that can render it does so.
    await #expect(throws: WorkerProcess.Loss.self) {
      try await captured.finish(captured.queue("false", by: "jamjar 2"))
    }
  }

  /// A stop, a loss of power or a lack of memory says nothing about a journal, however often it comes.
  @Test func aProcessThatSomethingElseEndedIsNotCounted() async throws {
    let captured = try Captured()
    let program = captured.root + "/killed"
    try ProgramFile.write("#!/bin/sh\nkill -KILL $$\n", to: program)
    for _ in 1...2 {
      let loss = await #expect(throws: WorkerProcess.Loss.self) { try await captured.finish(captured.queue(program)) }
      #expect(loss == .ended(status: SIGKILL))
    }
    #expect(!captured.folder.has(Attempts.renderName))
  }

  @Test func theServiceItselfRendersWhereNoProcessStartsAndLeavesNoCount() async throws {
    let captured = try Captured()
    let rendered = try await captured.finish(captured.queue("/nowhere/jamjar"))
    #expect(rendered.tracks.count == 1)
    #expect(!captured.folder.has(Attempts.renderName))
  }

  @Test func aRenderThatEndedTheServiceIsNotRenderedInItAFourthTime() async throws {
    let captured = try Captured()
    // What three services had written down before they ended.
    for _ in 1...Attempts.limit {
      try AttemptCount(Attempts.renderName, in: captured.folder, by: "jamjar 1").begin()
    }
    let exhausted = await #expect(throws: AttemptsExhausted.self) {
      try await captured.finish(captured.queue("/nowhere/jamjar"))
    }
    #expect(exhausted?.description.hasPrefix("it was cut off every time") == true)
    #expect(!captured.folder.has(TakeFolder.manifestName) && captured.folder.has(TakeFolder.journalName))
  }
}
