import CLinux
import Client
import Foundation
import Glibc
import Music
import Server
import Signaling

/// An export made by a service and stored on this machine.
struct RemoteExport {
  /// The body of `POST /v1/takes/TAKE/exports`.
  let wish: JSONObject
  let take: TakeView
  let source: RemoteSource
  /// The file, or a folder if it ends in a slash; nil for the current folder. A folder's file is named by the service.
  let output: String?

  /// Interval of polling the service for progress.
  private static let interval = Duration.milliseconds(250)

  /// The stored file.
  struct Stored {
    let path: String
    let take: TakeView
    let job: JSONObject

    /// Text for users.
    var text: String {
      let made = [job["kind"]?.string, job["format"]?.string, job["size"]?.integer.map(Reading.bytes)].compactMap { $0 }
      return "Take \(take.number) in room \"\(take.room.printable)\": \(path)\n  \(made.joined(separator: ", "))"
    }

    /// JSON for programs: the export as REST returns it, with the local path.
    var json: JSONValue {
      var object = job
      object["path"] = .string(path)
      return .object(object)
    }
  }

  /// Requests the file and stores it. An error thrown by `progress` also cancels the service's work; nothing is left.
  /// - Throws: `CommandFailure`, `RESTFailure`, and errors of `progress`.
  func run(progress: (Double) throws -> Void) async throws -> Stored {
    // Checked first, so that the service does not work for nothing.
    if let output, !output.hasSuffix("/") { try RemoteExport.refuseToReplace(output) }
    var job = try await ask(.post, "/v1/takes/\(take.id)/exports", .object(wish))
    let address = "/v1/exports/\(job["id"]?.string ?? "")"
    do {
      while job["state"]?.string == "queued" || job["state"]?.string == "running" {
        try progress(job["progress"]?.double ?? 0)
        try await Task.sleep(for: RemoteExport.interval)
        job = try await ask(.get, address)
      }
    } catch let interruption as Interruption {
      _ = try? await ask(.delete, address)
      throw interruption
    }
    guard job["state"]?.string == "done", let file = job["file"]?.string, let name = job["name"]?.string else {
      throw CommandFailure(
        ExitCodes.unsuitable,
        "the service at \(source.place) could not make it: \(job["problem"]?.string ?? job["state"]?.string ?? "?")")
    }
    let path = try path(name)
    try await store(file, as: path, progress: progress)
    return Stored(path: path, take: take, job: job)
  }

  private func ask(_ method: RESTClient.Method, _ path: String, _ body: JSONValue? = nil) async throws -> JSONObject {
    try await source.reaching { try await source.client.send(method, path, body).object ?? [:] }
  }

  /// The path for the file name given by the service, never outside the folder.
  private func path(_ name: String) throws -> String {
    let safe = name.map { $0 == "/" || $0 == "\0" ? "_" : $0 }
    let own = output.flatMap { $0.hasSuffix("/") ? $0 : nil } ?? ""
    let path = output.flatMap { $0.hasSuffix("/") ? nil : $0 } ?? own + (name.hasPrefix(".") ? "_" : "") + String(safe)
    try RemoteExport.refuseToReplace(path)
    return path
  }

  private static func refuseToReplace(_ path: String) throws(CommandFailure) {
    guard !FileManager.default.fileExists(atPath: path) else {
      throw CommandFailure(
        ExitCodes.cannotCreate, "\(path) exists already; name another file with --output, or move it")
    }
  }

  /// Renames without replacing what another export has written meanwhile.
  private static func rename(_ part: String, to path: String) throws {
    if jamjar_rename_new(AT_FDCWD, part, AT_FDCWD, path) == 0 { return }
    let code = errno
    try refuseToReplace(path)
    // Some file systems (NFS) cannot rename without replacing.
    guard code == EINVAL || code == ENOSYS, Glibc.rename(part, path) == 0 else {
      throw CommandFailure(ExitCodes.cannotCreate, "\(path) cannot be written: \(String(cString: strerror(code)))")
    }
  }

  /// Downloads to a temporary name; the file gets its own once it is complete and on disk.
  private func store(_ file: String, as path: String, progress: (Double) throws -> Void) async throws {
    // A name of its own, so that two downloads to one name do not share a file.
    let part = "\(path).\(String(UInt32.random(in: .min ... .max), radix: 16)).part"
    guard FileManager.default.createFile(atPath: part, contents: nil), let handle = FileHandle(forWritingAtPath: part)
    else {
      throw CommandFailure(
        ExitCodes.cannotCreate, "\(part) cannot be written; is there such a folder, and is it yours?")
    }
    do {
      try await source.reaching {
        try await source.client.download(file) { bytes in
          try progress(1)
          do {
            try handle.write(contentsOf: Data(bytes))
          } catch {
            throw CommandFailure(ExitCodes.inputOutput, "\(part) cannot be written: \(error)")
          }
        }
      }
      try handle.synchronize()
      try handle.close()
      try RemoteExport.rename(part, to: path)
    } catch {
      try? handle.close()
      try? FileManager.default.removeItem(atPath: part)
      throw error
    }
  }
}
