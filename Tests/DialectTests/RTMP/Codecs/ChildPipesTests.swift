import Foundation
import Glibc
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Real children that behave as ffmpeg should not: none of them outlives its call.
@Suite(.timeLimit(.minutes(2))) struct ChildPipesTests {
  private static let piece = ByteBuffer(repeating: 7, count: 10_000)

  /// The number that a shell printed first, of a process that must be gone.
  private func isGone(_ printed: ByteBuffer) throws -> Bool {
    let line = String(buffer: printed).prefix { $0.isNumber }
    return kill(try #require(pid_t(line)), 0) != 0 && errno == ESRCH
  }

  @Test func everythingGoesThrough() async throws {
    var count = 0
    try await ChildPipes.run("cat", []) { write in
      for _ in 0..<500 { try await write(ChildPipesTests.piece) }
    } take: {
      count += $0.readableBytes
    }
    #expect(count == 5_000_000)
  }

  @Test func aChildThatIsStoppedIsEnded() async throws {
    var printed = ByteBuffer()
    await #expect(throws: ChildFailure.self) {
      try await ChildPipes.run("sh", ["-c", "echo $$; kill -STOP $$"], patience: 2) { write in
        for _ in 0..<100 { try await write(ChildPipesTests.piece) }
      } take: { chunk in
        printed.writeImmutableBuffer(chunk)
      }
    }
    #expect(try isGone(printed))
  }

  @Test func aChildThatDoesNotEndWithItsInputIsEnded() async throws {
    var printed = ByteBuffer()
    await #expect(throws: ChildFailure.self) {
      try await ChildPipes.run("sh", ["-c", "echo $$; exec sleep 600"], patience: 2) { _ in
      } take: { chunk in
        printed.writeImmutableBuffer(chunk)
      }
    }
    #expect(try isGone(printed))
  }

  /// An encoder's input waits for its first answer, so nothing else is owed.
  @Test func aCodecWorkerThatHangsAtItsStartIsEnded() async throws {
    let script = FileManager.default.temporaryDirectory.path + "/jamjar-\(UUID().uuidString)"
    try ProgramFile.write("#!/bin/sh\nexec sleep 600\n", to: script)
    defer { unlink(script) }
    let (input, later) = AsyncStream.makeStream(of: ByteBuffer.self)
    await #expect(throws: ChildFailure.self) {
      try await ChildPipes.runCodec(program: script, patience: 2) { write in
        try await write(ChildPipesTests.piece)
        for await piece in input { try await write(piece) }
      } take: { _ in
      }
    }
    later.finish()
  }

  @Test func aChildThatEndsBeforeItsInputIsAnError() async throws {
    await #expect(throws: ChildFailure.self) {
      try await ChildPipes.run("head", ["-c", "10"]) { write in
        while true { try await write(ChildPipesTests.piece) }
      } take: { _ in
      }
    }
  }

  @Test func takingTheOutputMayLast() async throws {
    var isFirst = true
    var count = 0
    // Longer than the patience, which is for the child alone.
    try await ChildPipes.run("cat", [], patience: 1) { write in
      for _ in 0..<100 { try await write(ChildPipesTests.piece) }
    } take: { chunk in
      if isFirst {
        try await ChildPipes.run("sleep", ["3"]) { _ in
        } take: { _ in
        }
      }
      isFirst = false
      count += chunk.readableBytes
    }
    #expect(count == 1_000_000)
  }

  @Test func cancellingEndsAStoppedChild() async throws {
    let (prints, printing) = AsyncStream.makeStream(of: ByteBuffer.self)
    let running = Task {
      try await ChildPipes.run("sh", ["-c", "echo $$; kill -STOP $$"]) { write in
        while true { try await write(ChildPipesTests.piece) }
      } take: { chunk in
        printing.yield(chunk)
      }
    }
    let printed = try #require(await prints.first { _ in true })
    running.cancel()
    await #expect(throws: (any Error).self) { try await running.value }
    #expect(try isGone(printed))
  }
}
