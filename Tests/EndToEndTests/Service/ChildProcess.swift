import Foundation
import Glibc
import Synchronization

/// A program that a test starts, whose lines it can wait for, and which never outlives the test.
final class ChildProcess: Sendable {
  private let process: Process
  private let state = Mutex(State())

  private struct State {
    var lines: [String] = []
    var rest = ""
    var isOver = false
    var waiters: [(matches: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>)] = []
    var exits: [CheckedContinuation<Void, Never>] = []
  }

  /// Starts `path` and reads everything that it prints.
  init(_ path: String, _ arguments: [String], environment: [String: String] = [:]) throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.terminationHandler = { [weak self] _ in self?.ended() }
    pipe.fileHandleForReading.readabilityHandler = { [weak self] handle in
      let bytes = handle.availableData
      if bytes.isEmpty { handle.readabilityHandler = nil }
      self?.read(String(decoding: bytes, as: UTF8.self))
    }
    try process.run()
  }

  deinit {
    if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
  }

  var identifier: Int32 { process.processIdentifier }

  /// What it printed so far, for the message of a failure.
  var output: String { state.withLock { $0.lines.joined(separator: "\n") } }

  /// The first line that fits, printed already or later; nil when the program ends without it.
  func line(where matches: @escaping @Sendable (String) -> Bool) async -> String? {
    await withCheckedContinuation { continuation in
      let found: String?? = state.withLock { state in
        if let line = state.lines.first(where: matches) { return line }
        if state.isOver { return .some(nil) }
        state.waiters.append((matches, continuation))
        return nil
      }
      if let found { continuation.resume(returning: found) }
    }
  }

  func send(signal: Int32) {
    Glibc.kill(process.processIdentifier, signal)
  }

  /// Waits for the program's end and tells its exit status.
  func exitStatus() async -> Int32 {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.isOver { state.exits.append(continuation) }
        return state.isOver
      }
      if isOver { continuation.resume() }
    }
    return process.terminationStatus
  }

  /// Asks the program to end, and waits until it has.
  @discardableResult
  func terminate() async -> Int32 {
    send(signal: SIGTERM)
    return await exitStatus()
  }

  private func read(_ text: String) {
    let resumed = state.withLock { state -> [(CheckedContinuation<String?, Never>, String)] in
      state.rest += text
      var pieces = state.rest.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      state.rest = pieces.popLast() ?? ""
      state.lines += pieces
      var resumed: [(CheckedContinuation<String?, Never>, String)] = []
      for line in pieces {
        while let index = state.waiters.firstIndex(where: { $0.matches(line) }) {
          resumed.append((state.waiters.remove(at: index).continuation, line))
        }
      }
      return resumed
    }
    for (continuation, line) in resumed { continuation.resume(returning: line) }
  }

  private func ended() {
    let (waiters, exits) = state.withLock { state in
      state.isOver = true
      defer {
        state.waiters = []
        state.exits = []
      }
      return (state.waiters, state.exits)
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
    for exit in exits { exit.resume() }
  }
}
