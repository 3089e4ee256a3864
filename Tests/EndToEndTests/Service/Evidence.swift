import Foundation
import Synchronization
import Testing

/// What a failed test leaves behind: the data folders of its services as they were at the first thing that was wrong, and
/// what the services printed, in the folder that the environment's JAMJAR_EVIDENCE names.
///
/// A test that fails once in a thousand runs can only be understood from its takes and their journals.
struct Evidence: SuiteTrait, TestTrait, TestScoping {
  /// The services of the present test.
  @TaskLocal static var services: Services?

  /// All services of a test, whose folders last as long as it does.
  final class Services: Sendable {
    private let all = Mutex<[(folder: TemporaryFolder, process: ChildProcess)]>([])
    private let isKept = Atomic<Bool>(false)

    func add(_ folder: TemporaryFolder, _ process: ChildProcess) {
      all.withLock { $0.append((folder, process)) }
    }

    /// Copies everything into `folder`, once.
    func keep(in folder: String) {
      guard !isKept.exchange(true, ordering: .relaxed) else { return }
      let files = FileManager.default
      for (number, service) in all.withLock({ $0 }).enumerated() {
        let place = "\(folder)/service-\(number)"
        try? files.removeItem(atPath: place)
        // One by one: a service that still runs removes some while they are copied.
        for path in (try? files.subpathsOfDirectory(atPath: service.folder.path)) ?? [] {
          let (from, to) = ("\(service.folder.path)/\(path)", URL(fileURLWithPath: "\(place)/\(path)"))
          var isFolder: ObjCBool = false
          guard files.fileExists(atPath: from, isDirectory: &isFolder), !isFolder.boolValue else { continue }
          try? files.createDirectory(at: to.deletingLastPathComponent(), withIntermediateDirectories: true)
          try? files.copyItem(atPath: from, toPath: to.path)
        }
        try? files.createDirectory(atPath: place, withIntermediateDirectories: true)
        try? service.process.text.write(toFile: place + "/printed.txt", atomically: false, encoding: .utf8)
      }
    }
  }

  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    guard testCase != nil, let root = ProcessInfo.processInfo.environment["JAMJAR_EVIDENCE"] else {
      return try await function()
    }
    let services = Services()
    let folder = "\(root)/\(test.name.prefix { $0 != "(" })"
    let watching = IssueHandlingTrait.compactMapIssues { issue in
      services.keep(in: folder)
      return issue
    }
    try await Evidence.$services.withValue(services) {
      try await watching.provideScope(for: test, testCase: testCase) {
        do {
          try await function()
        } catch {
          services.keep(in: folder)
          throw error
        }
      }
    }
  }
}

extension Trait where Self == Evidence {
  /// A failed test leaves its services' data behind.
  static var evidence: Evidence { Evidence() }
}
