import CLinux
import Foundation
import Glibc
import Recording

/// One end of a stream socket between two of our processes that exchange lines of JSON. Used from one thread at a
/// time; calls block.
package final class LineSocket {
  /// The other side is gone, or sent a line without an end.
  package struct Closed: Error {}

  /// Called a few times a second while the other side is waited for; an error it throws ends the waiting.
  package typealias Idle = () throws -> Void

  /// Longest line, in bytes. An order to export contains the take's manifest and cues.
  private static let longest = 16 << 20
  /// Calls of an `Idle` in a second.
  static let idlesPerSecond = 4
  /// Milliseconds between two of them.
  private static let interval = Int32(1_000 / idlesPerSecond)

  private let descriptor: Int32
  private var pending: [UInt8] = []
  /// Bytes of `pending` without an end of line.
  private var searched = 0

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
  /// - Throws: `Closed`, and errors of `idle`.
  package func send(_ value: some Encodable, waits: Bool = true, idle: Idle? = nil) throws {
    let encoder = JSONEncoder.withInfinity()
    let line = [UInt8](try encoder.encode(value)) + [UInt8(ascii: "\n")]
    var rest = line[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if count < 0, errno == EAGAIN {
        // A line that has been started is sent completely.
        if !waits, rest.count == line.count { return }
        try wait(for: POLLOUT, idle)
      } else if errno != EINTR {
        throw Closed()
      }
    }
  }

  /// Waits for the next line; nil once the other side has ended.
  /// - Throws: `DecodingError` if the line does not decode to the type, `Closed` if it is too long, and errors of
  ///   `idle`.
  package func next<Value: Decodable>(_ type: Value.Type, idle: Idle? = nil) throws -> Value? {
    while true {
      if let end = pending[searched...].firstIndex(of: UInt8(ascii: "\n")) {
        defer {
          pending.removeFirst(end + 1)
          searched = 0
        }
        let decoder = JSONDecoder.withInfinity()
        return try decoder.decode(type, from: Data(pending[..<end]))
      }
      searched = pending.count
      guard pending.count < LineSocket.longest else { throw Closed() }
      guard try fill(idle) else { return nil }
    }
  }

  /// Ends this process once the other side has closed its end.
  func endProcessWithOtherSide() { _ = jamjar_end_with_socket(descriptor) }

  /// True if the other side has ended; does not wait.
  package var isOver: Bool {
    var byte: UInt8 = 0
    return recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) == 0
  }

  /// Reads more; false at the end.
  private func fill(_ idle: Idle?) throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = chunk.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
      if count > 0 {
        pending += chunk.prefix(count)
        return true
      }
      guard count < 0 else { return false }
      switch errno {
      case EAGAIN: try wait(for: POLLIN, idle)
      case EINTR: continue
      default: return false
      }
    }
  }

  private func wait(for events: Int32, _ idle: Idle?) throws {
    var request = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
    while true {
      let count = poll(&request, 1, idle == nil ? -1 : LineSocket.interval)
      if count > 0 { return }
      if count == 0 { try idle?() } else if errno != EINTR { throw Closed() }
    }
  }
}
