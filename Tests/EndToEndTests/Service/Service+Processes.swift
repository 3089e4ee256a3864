import Foundation
import Glibc
import Signaling
import TestSupport

extension Service {
  /// Processes that decode and encode for RTMP, and were not yet waited for.
  var decoders: [pid_t] { children { $0.contains("jamjar-codec") } }
  /// Processes in which it exports and aligns.
  var jobs: [pid_t] { children { $0.contains("jamjar-job") } }
  /// Processes in which it renders takes.
  var renders: [pid_t] {
    // By their own name: a template that has just been started has none yet.
    children { $0.contains("jamjar-render") }
  }
  /// The process of which they are copies.
  var templates: [pid_t] { children { $0.contains("jamjar-templ") } }

  /// The template, once it is alone: a copy that has just been made bears its name until it takes its own.
  func template() async throws -> pid_t {
    var found: [pid_t] = []
    try await eventually("there is one template") {
      found = templates
      return found.count == 1
    }
    return found[0]
  }

  /// True if every thread of a process has filters of system calls and gains no privileges, and it leaves no core.
  static func isConfined(_ process: pid_t) -> Bool {
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
    let statuses = threads.map { thread in
      (try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/status", encoding: .utf8)) ?? ""
    }
    let limits = (try? String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)) ?? ""
    let core = limits.split(separator: "\n").first { $0.hasPrefix("Max core file size") }
    return !statuses.isEmpty
      && statuses.allSatisfy { $0.contains("Seccomp:\t2\n") && $0.contains("NoNewPrivs:\t1\n") }
      && core?.split(separator: " ").filter { $0 == "0" }.count == 2
  }

  /// The command that a process was started with, or the one of which it is a copy.
  static func command(of process: pid_t) throws -> String {
    let words = try Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/cmdline")).split(separator: 0)
    return words.count > 1 ? String(decoding: words[1], as: UTF8.self) : ""
  }

  /// True if a process exists and has not merely been left unattended.
  static func isAlive(_ process: pid_t) -> Bool {
    guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return false }
    return !status.contains("State:\tZ")
  }

  /// Its children that are called as `isWanted` says.
  private func children(_ isWanted: (Substring) -> Bool) -> [pid_t] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap { pid_t($0) } ?? []
    return numbers.filter { number in
      guard let line = try? String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8),
        let start = line.firstIndex(of: "("), let end = line.lastIndex(of: ")"), isWanted(line[start..<end])
      else { return false }
      // Behind the name: its state, and who started it.
      let fields = line[line.index(after: end)...].split(separator: " ")
      return fields.count > 1 && pid_t(fields[1]) == process.identifier
    }
  }

  /// Sockets on a port of the service whose other side has closed and which it has not.
  static func halfClosed(port: UInt16) throws -> Int {
    let text = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
    let local = ":" + String(port, radix: 16, uppercase: true)
    // 08 is CLOSE_WAIT.
    return text.split(separator: "\n").count { line in
      let fields = line.split(separator: " ")
      return fields.count > 3 && fields[1].hasSuffix(local) && fields[3] == "08"
    }
  }

  /// Those who are in a room by name.
  func members(of room: String) async throws -> [String] {
    let rooms = try await get("/v1/rooms").object?["items"]?.array?.compactMap(\.object) ?? []
    let members = rooms.first { $0["name"]?.string == room }?["members"]?.array ?? []
    return members.compactMap { $0.object?["participant"]?.object?["name"]?.string }
  }
}
