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

  /// Asks and waits for the answer: its status and its body.
  func ask(_ method: String, _ path: String, _ body: [String: Any]? = nil) throws -> (status: Int, body: [UInt8]) {
    let content = try body.map { [UInt8](try JSONSerialization.data(withJSONObject: $0)) } ?? []
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    if body != nil { head += "Content-Type: application/json\r\n" }
    head += "Content-Length: \(content.count)\r\n\r\n"
    let answer = try exchange(Array(head.utf8) + content)
    guard let end = answer.firstRange(of: Array("\r\n\r\n".utf8)),
      let status = String(decoding: answer.prefix(64), as: UTF8.self).split(separator: " ").dropFirst().first
        .flatMap({ Int($0) })
    else { throw LaboratoryProblem("\(method) \(path): no answer") }
    return (status, Array(answer[end.upperBound...]))
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
