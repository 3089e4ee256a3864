import Client
import Foundation
import Music
import Recording
import Server
import Signaling

/// An import by a service: the files are sent, it makes the take.
struct RemoteImport {
  /// The body of `POST /v1/imports` without its files.
  let wish: JSONObject
  let source: RemoteSource

  /// Bytes sent at a time.
  private static let piece = 1 << 20
  /// Interval of polling the service for progress.
  private static let interval = Duration.milliseconds(250)
  /// Attempts to send a piece, and the pause between them.
  private static let attempts = 5
  private static let pause = Duration.seconds(2)

  /// What the service says at the end.
  struct Outcome {
    let job: JSONObject
    var made: [String] { job["takes"]?.array?.compactMap(\.string) ?? [] }
    var known: [String] { job["known"]?.array?.compactMap(\.string) ?? [] }
  }

  /// Sends the files of a plan, and waits for its take. An error thrown by `progress` also cancels the service's work.
  /// - Throws: `CommandFailure`, `RESTFailure`, `FileProblem`, errors of `progress`.
  func carryOut(_ plan: ImportPlan, progress: (Double) throws -> Void) async throws -> Outcome {
    let files = try files(of: plan)
    var body = wish
    body["name"] = .string(plan.origin)
    body["files"] = .array(
      files.map { file in ["name": .string(file.name), "modifiedAt": .string(file.modified.description)] })
    var job = try await ask(.post, "/v1/imports", .object(body))
    let address = "/v1/imports/\(job["id"]?.string ?? "")"
    do {
      let total = max(1, files.reduce(0) { $0 + $1.size })
      var sent: Int64 = 0
      for (index, file) in files.enumerated() {
        try await send(file, to: "\(address)/files/\(index + 1)") { bytes in
          sent += bytes
          // The way there is half of the work.
          try progress(Double(sent) / Double(total) / 2)
        }
      }
      job = try await ask(.get, address)
      while let state = job["state"]?.string, ["receiving", "queued", "running"].contains(state) {
        try progress(0.5 + (job["progress"]?.double ?? 0) / 2)
        try await Task.sleep(for: RemoteImport.interval)
        job = try await ask(.get, address)
      }
    } catch {
      // What nobody waits for is not to be made.
      _ = try? await ask(.delete, address)
      throw error
    }
    guard job["state"]?.string == "done" else {
      throw CommandFailure(
        ExitCodes.unsuitable,
        "the service at \(source.place) could not import \(plan.origin): \(job["problem"]?.string ?? "no reason is given")"
      )
    }
    return Outcome(job: job)
  }

  // MARK: Sending

  private struct File {
    var path: String
    var name: String
    var size: Int64
    var modified: WallTime
  }

  /// The files to send: those of the plan, and its project.
  private func files(of plan: ImportPlan) throws -> [File] {
    let paths = plan.files.map { "\($0.folder)/\($0.name)" }
    var files: [File] = []
    for path in (plan.project.map { [$0] } ?? []) + paths {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      let changed = (attributes[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
      files.append(
        File(
          path: path, name: URL(fileURLWithPath: path).lastPathComponent,
          size: (attributes[.size] as? NSNumber)?.int64Value ?? 0,
          modified: WallTime(milliseconds: Int64(max(0, changed) * 1_000))))
    }
    let names = files.map(\.name)
    if let twice = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw CommandFailure(
        ExitCodes.usage, "two files are called \"\(twice)\", and the service keeps them in one folder; rename one")
    }
    return files
  }

  /// Sends a file piece by piece; after a lost connection it goes on where the service is.
  private func send(_ file: File, to address: String, _ told: (Int64) throws -> Void) async throws {
    guard let handle = FileHandle(forReadingAtPath: file.path) else {
      throw CommandFailure(ExitCodes.noInput, "\(file.path) cannot be read")
    }
    defer { try? handle.close() }
    var offset: Int64 = 0
    var failures = 0
    while true {
      try handle.seek(toOffset: UInt64(offset))
      let bytes = [UInt8](try handle.read(upToCount: RemoteImport.piece) ?? Data())
      // The file may have changed meanwhile: its end is where it ends.
      let isLast = bytes.count < RemoteImport.piece
      do {
        try await source.reaching {
          try await source.client.append(bytes, to: address, at: offset, isLast: isLast)
        }
        offset += Int64(bytes.count)
        failures = 0
        try told(Int64(bytes.count))
        if isLast { return }
      } catch let failure as CommandFailure {
        failures += 1
        guard failures < RemoteImport.attempts else { throw failure }
        try told(0)
        try await Task.sleep(for: RemoteImport.pause)
        // Unless it is out of reach still, it says how much has arrived.
        guard let there = try? await ask(.get, address) else { continue }
        if there["complete"]?.bool == true { return }
        offset = there["received"]?.integer ?? offset
      }
    }
  }

  private func ask(_ method: RESTClient.Method, _ path: String, _ body: JSONValue? = nil) async throws -> JSONObject {
    try await source.reaching { try await source.client.send(method, path, body).object ?? [:] }
  }
}
