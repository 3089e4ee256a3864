import CLinux
import Foundation
import Glibc
import Recording

/// One end of a stream socket between two of our processes that exchange lines of JSON. Used from one thread at a
/// time; calls block.
package final class LineSocket {
  /// Longest line, in bytes: a take's title and options are far shorter.
  private static let longest = 1 << 20

  private let descriptor: Int32
  private var pending: [UInt8] = []

  /// Takes ownership of `descriptor`.
  package init(owning descriptor: Int32) {
    self.descriptor = descriptor
  }

  deinit {
    close(descriptor)
  }

  /// Sends `value` as a line.
  ///
  /// - Parameter waits: if false, the line is dropped unless the other side has read all earlier ones.
  /// - Throws: `RenderProblem.processEnded` if the other side is gone.
  package func send(_ value: some Encodable, waits: Bool = true) throws {
    let line = try JSONEncoder().encode(value) + [UInt8(ascii: "\n")]
    var rest = [UInt8](line)[...]
    while !rest.isEmpty {
      // A line that has been started is sent completely.
      let isOptional = !waits && rest.count == line.count
      let count = rest.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | (isOptional ? Int32(MSG_DONTWAIT) : 0))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN, isOptional {
        return
      } else if errno != EINTR {
        throw RenderProblem.processEnded
      }
    }
  }

  /// Waits for the next line; nil once the other side has ended.
  /// - Throws: `DecodingError` if the line does not decode to the type.
  package func next<Value: Decodable>(_ type: Value.Type) throws -> Value? {
    while true {
      if let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
        defer { pending.removeFirst(end + 1) }
        return try JSONDecoder().decode(type, from: Data(pending[..<end]))
      }
      guard pending.count < LineSocket.longest, fill() else { return nil }
    }
  }

  /// True if the other side has ended; does not wait.
  package var isOver: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  /// Reads more; false at the end.
  private func fill() -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
      if count > 0 {
        pending += chunk.prefix(count)
        return true
      }
      guard count < 0, errno == EINTR else { return false }
    }
  }
}
