import Music

/// The attempts at a piece of work that its process did not survive, in a file beside the work.
///
/// It is not begun a fourth time, whatever is restarted meanwhile; only another release may be able to do it and starts
/// anew. Work in a process of its own is counted when the process is lost (`lost`): whatever ends the service too says
/// nothing about the work. Work that a fault could end together with the service is counted before it begins (`begin`).
package struct Attempts: Sidecar, Hashable {
  package static let currentVersion = 1
  /// Maximum number of attempts.
  package static let limit = 3
  /// The file's name beside a journal.
  package static let renderName = "render-attempts.json"

  package var version = Attempts.currentVersion
  package var count: Int
  /// Name and version of the release that tried.
  package var software: String
  /// How the last attempt ended; nil if it was cut off.
  package var problem: String?

  package init(count: Int, software: String, problem: String? = nil) {
    self.count = count
    self.software = software
    self.problem = problem
  }

  package func check() throws(ValueProblem) {
    guard (0...Attempts.limit).contains(count) else {
      throw ValueProblem("count", "\(count)", "0 to \(Attempts.limit)")
    }
  }

  /// Seconds to wait before the attempt after attempt number `count`.
  package static func pause(after count: Int) -> Int { 2 << min(2 * max(0, count - 1), 10) }
}

/// All attempts at a piece of work were in vain.
package struct AttemptsExhausted: Error, Hashable, Sendable, CustomStringConvertible {
  package var count: Int
  /// How the last one ended.
  package var problem: String?

  package init(count: Int, problem: String? = nil) {
    (self.count, self.problem) = (count, problem)
  }

  package var description: String {
    "\(problem ?? "it was cut off every time"); \(count) attempts were in vain, and there is no other"
  }
}

/// The count of attempts at one piece of work, on disk.
package struct AttemptCount: Sendable {
  private let name: String
  private let folder: TakeFolder
  private let software: String

  /// - Parameters:
  ///   - name: the name of the file in `folder`.
  ///   - software: name and version of this release.
  package init(_ name: String, in folder: TakeFolder, by software: String) {
    (self.name, self.folder, self.software) = (name, folder, software)
  }

  /// The attempts of this release so far. An unreadable file counts as none.
  package var now: Attempts {
    if let found = (try? Attempts.read(name, in: folder)) ?? nil, found.software == software { return found }
    return Attempts(count: 0, software: software)
  }

  /// - Throws: `AttemptsExhausted` if there is no other attempt.
  package func check() throws(AttemptsExhausted) {
    let attempts = now
    guard attempts.count < Attempts.limit else {
      throw AttemptsExhausted(count: attempts.count, problem: attempts.problem)
    }
  }

  /// Counts another attempt, which begins now.
  /// - Throws: `AttemptsExhausted`, `FileProblem`.
  package func begin() throws {
    try check()
    var attempts = now
    attempts.count += 1
    attempts.problem = nil
    try attempts.write(name, in: folder)
  }

  /// Counts an attempt that the work's process did not survive.
  package func lost(_ error: any Error) {
    var attempts = now
    attempts.count = min(Attempts.limit, attempts.count + 1)
    attempts.problem = "\(error)"
    // A disk that cannot keep the count permits another attempt.
    try? attempts.write(name, in: folder)
  }

  /// Records how the attempt that `begin` counted failed; nothing if there is none. An attempt that was stopped, or for
  /// which the disk was too full, does not count.
  package func end(_ error: any Error) {
    if error is AttemptsExhausted { return }
    var attempts = now
    guard attempts.count > 0, attempts.problem == nil else { return }
    if error is CancellationError || (error as? any DiskProblem)?.isDiskFull == true {
      attempts.count -= 1
    } else {
      attempts.problem = "\(error)"
    }
    // Without the sentence it is still counted.
    try? attempts.write(name, in: folder)
  }

  /// Forgets all attempts: the work is done, or no longer wanted.
  package func clear() {
    if folder.has(name) { try? folder.remove(name) }
  }
}
