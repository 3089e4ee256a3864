import Glibc
import Synchronization

/// What a child says and how it ends; shared by the test and the two threads that listen.
final class ChildOutput: Sendable {
  private struct State {
    var lines: [String] = []
    var rest: [UInt8] = []
    var isAtEnd = false
    var status: Int32?
    var waiters: [(matches: @Sendable (String) -> Bool, continuation: CheckedContinuation<String?, Never>)] = []
    var exits: [CheckedContinuation<Int32, Never>] = []
  }

  private let state = Mutex(State())

  var status: Int32? { state.withLock { $0.status } }

  var text: String { state.withLock { $0.lines.joined(separator: "\n") } }

  func line(where matches: @escaping @Sendable (String) -> Bool) async -> String? {
    await withCheckedContinuation { continuation in
      let answer: String?? = state.withLock { state in
        if let line = state.lines.first(where: matches) { return .some(line) }
        if state.isAtEnd { return .some(nil) }
        state.waiters.append((matches, continuation))
        return nil
      }
      if let answer { continuation.resume(returning: answer) }
    }
  }

  func exit() async -> Int32 {
    await withCheckedContinuation { continuation in
      let status = state.withLock { state in
        if state.status == nil { state.exits.append(continuation) }
        return state.status
      }
      if let status { continuation.resume(returning: status) }
    }
  }

  /// Reads until the other end is closed; runs on a thread of its own.
  func read(_ descriptor: Int32) {
    defer { close(descriptor) }
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { break }
      received(buffer[..<count])
    }
    received([UInt8(ascii: "\n")])
    let waiters = state.withLock { state in
      state.isAtEnd = true
      defer { state.waiters = [] }
      return state.waiters
    }
    for waiter in waiters { waiter.continuation.resume(returning: nil) }
  }

  private func received(_ bytes: some Sequence<UInt8>) {
    let resumed = state.withLock { state in
      state.rest.append(contentsOf: bytes)
      var pieces = state.rest.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      state.rest = Array(pieces.popLast() ?? [])
      let lines = pieces.map { String(decoding: $0, as: UTF8.self) }
      state.lines += lines
      var resumed: [(CheckedContinuation<String?, Never>, String)] = []
      for line in lines {
        while let index = state.waiters.firstIndex(where: { $0.matches(line) }) {
          resumed.append((state.waiters.remove(at: index).continuation, line))
        }
      }
      return resumed
    }
    for (continuation, line) in resumed { continuation.resume(returning: line) }
  }

  /// Waits for the process's end; runs on a thread of its own.
  func wait(for identifier: pid_t) {
    var raw: Int32 = 0
    while waitpid(identifier, &raw, 0) < 0, errno == EINTR {}
    let status = raw & 0x7F == 0 ? raw >> 8 & 0xFF : 128 + (raw & 0x7F)
    let exits = state.withLock { state in
      state.status = status
      defer { state.exits = [] }
      return state.exits
    }
    for exit in exits { exit.resume(returning: status) }
  }
}
