import Foundation
import Glibc
import Signaling

extension Service {
  /// Programs that decode for the service, and were not yet waited for.
  var decoders: [pid_t] { children { $0.contains("ffmpeg") } }
  /// Processes in which it renders takes.
  var renders: [pid_t] { children { !$0.contains("ffmpeg") } }

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
