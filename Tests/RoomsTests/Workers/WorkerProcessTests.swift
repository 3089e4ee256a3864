import Glibc
import Testing

@testable import Rooms

/// Real children that behave as no worker should: each is noticed, and none outlives its object.
@Suite(.timeLimit(.minutes(2))) struct WorkerProcessTests {
  private func shell(_ script: String, patience: Int = WorkerProcess.patience) throws -> WorkerProcess {
    try WorkerProcess("sh", ["-c", script], patience: patience)
  }

  private func isGone(_ process: pid_t) -> Bool { kill(process, 0) != 0 && errno == ESRCH }

  @Test func linesGoBothWays() throws {
    let process = try WorkerProcess("cat", [])
    for line in [["a"], ["b", "ü"], [String(repeating: "long ", count: 10_000)]] {
      try process.send(line)
      #expect(try process.next([String].self) == line)
    }
  }

  @Test func aProcessThatIsKilledIsLost() throws {
    let process = try shell("kill -KILL $$")
    let loss = #expect(throws: WorkerProcess.Loss.self) { try process.next(Int.self) }
    #expect(loss == .ended(status: SIGKILL))
    #expect(loss?.description == "its process was ended by signal 9")
    #expect(throws: WorkerProcess.Loss.self) { try process.send(1) }
  }

  @Test func aProcessThatEndsIsLostWithItsExitCode() throws {
    let loss = #expect(throws: WorkerProcess.Loss.self) { try shell("exit 3").next(Int.self) }
    #expect(loss?.description.contains("exit code 3") == true)
  }

  @Test func aProcessThatHangsIsKilled() throws {
    let process = try shell("echo $$; exec sleep 600", patience: 1)
    let number = try process.next(pid_t.self)
    #expect(throws: WorkerProcess.Loss.hung(seconds: 1)) { try process.next(Int.self) }
    #expect(isGone(number))
  }

  @Test func aProcessThatReadsNothingIsKilled() throws {
    let process = try shell("echo $$; exec sleep 600", patience: 1)
    let number = try process.next(pid_t.self)
    #expect(throws: WorkerProcess.Loss.hung(seconds: 1)) {
      try process.send(String(repeating: "x", count: 10_000_000))
    }
    #expect(isGone(number))
  }

  @Test func aProcessThatWorksIsLeftAlone() throws {
    // Longer than the patience, and busy all the time.
    let process = try shell("end=$(($(date +%s) + 2)); while [ $(date +%s) -lt $end ]; do :; done; echo 7", patience: 1)
    #expect(try process.next(Int.self) == 7)
  }

  @Test func aProcessThatWritesNonsenseIsLost() throws {
    #expect(throws: WorkerProcess.Loss.self) { try shell("echo nonsense").next(Int.self) }
  }

  @Test func aReleasedProcessIsGone() throws {
    var process: WorkerProcess? = try shell("echo $$; exec sleep 600")
    let number = try #require(try process?.next(pid_t.self))
    #expect(!isGone(number))
    process = nil
    #expect(isGone(number))
  }

  @Test func aCancellationEndsTheProcess() throws {
    let process = try shell("echo $$; exec sleep 600")
    let number = try process.next(pid_t.self)
    #expect(throws: CancellationError.self) {
      try process.next(Int.self) { throw CancellationError() }
    }
    #expect(isGone(number))
  }

  @Test func anEndFromAnotherThreadIsNoFault() async throws {
    let process = try shell("echo $$; exec sleep 600")
    _ = try process.next(pid_t.self)
    process.ending()
    #expect(throws: WorkerProcess.Loss.unwanted) { try process.next(Int.self) }
  }

  @Test func aProgramThatDoesNotExistIsNotStarted() throws {
    let loss = #expect(throws: WorkerProcess.Loss.self) { try WorkerProcess("/nowhere/jamjar", []) }
    #expect(loss == .notStarted(ChildSpawn.Failure(program: "/nowhere/jamjar", code: ENOENT)))
  }
}
