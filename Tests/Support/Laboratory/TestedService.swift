import CLinux
import Foundation
import Glibc

/// The service that a laboratory plays to: its REST on 127.0.0.1, and its data folder on this machine.
package struct TestedService: Sendable {
  package let port: UInt16
  /// The data folder.
  package let recordings: String

  /// Seconds that an answer may take: the service shares the machine with hundreds of musicians.
  private static let patience = 60

  package init(port: UInt16, recordings: String) {
    (self.port, self.recordings) = (port, recordings)
  }

  /// What a request carries.
  struct Content {
    var type: String
    var bytes: [UInt8]

    static func json(_ fields: [String: Any]) throws -> Content {
      Content(type: "application/json", bytes: [UInt8](try JSONSerialization.data(withJSONObject: fields)))
    }
  }

  struct Answer {
    var status: Int
    /// Of what was made.
    var location: String?
    var body: [UInt8]

    var text: String { String(decoding: body, as: UTF8.self) }
  }

  /// Asks and waits for the answer.
  func ask(_ method: String, _ path: String, _ content: Content? = nil) throws -> Answer {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    if let content { head += "Content-Type: \(content.type)\r\n" }
    head += "Content-Length: \(content?.bytes.count ?? 0)\r\n\r\n"
    let answer = try exchange(Array(head.utf8) + (content?.bytes ?? []))
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)) else {
      throw LaboratoryProblem("\(method) \(path): no answer")
    }
    let lines = String(decoding: answer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    guard let status = lines[0].split(separator: " ").dropFirst().first.flatMap({ Int($0) }) else {
      throw LaboratoryProblem("\(method) \(path): \(lines[0])")
    }
    let location = lines.first { $0.lowercased().hasPrefix("location:") }
    return Answer(
      status: status, location: location?.dropFirst("location:".count).trimmingCharacters(in: .whitespaces),
      body: Array(answer[end.upperBound...]))
  }

  /// True once the service takes musicians.
  var isReady: Bool { (try? ask("GET", "/readyz").status) == 200 }

  private func exchange(_ bytes: [UInt8]) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw LaboratoryProblem("no socket: errno \(errno)") }
    defer { close(descriptor) }
    // A timeval: seconds and microseconds.
    var limit = (TestedService.patience, 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout.size(ofValue: limit)))
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    address.sin_port = port.bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw LaboratoryProblem("port \(port) takes no connection: errno \(errno)") }
    guard send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw LaboratoryProblem("a request could not be sent: errno \(errno)")
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return answer }
      answer += buffer.prefix(count)
    }
  }
}
