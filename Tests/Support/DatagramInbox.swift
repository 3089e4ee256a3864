import CLinux
import Foundation
import Glibc
import Synchronization

/// A datagram socket of the file system, like that of a service manager (sd_notify(3)), and what is sent to it.
package final class DatagramInbox: Sendable {
  package let path: String
  /// Each datagram as text, in order; it ends when the inbox is closed.
  package let messages: AsyncStream<String>
  private let line: Line

  /// The socket, until its reader closes it: from then on its number may be that of another test's.
  private final class Line: Sendable {
    let descriptor: Int32
    private let isOpen = Mutex(true)

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    /// Calls `body` the first time.
    func end(_ body: (Int32) -> Void) {
      isOpen.withLock { isOpen in
        if isOpen { body(descriptor) }
        isOpen = false
      }
    }
  }

  /// Longest datagram that is kept, in bytes.
  private static let longest = 4_096

  /// Binds a socket at `path`, which must be free and shorter than 108 bytes.
  package init(path: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8).prefix($0.count - 1)) }
    let isBound = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    guard isBound else {
      let code = errno
      Glibc.close(descriptor)
      throw WaitedInVain(what: "a socket at \(path)", patience: .zero, detail: String(cString: strerror(code)))
    }
    let (messages, continuation) = AsyncStream<String>.makeStream()
    self.path = path
    line = Line(descriptor)
    self.messages = messages
    // A thread of its own: a blocked one of Swift's pool would hold other tests up.
    DatagramInbox.read(line, into: continuation)
  }

  /// Ends `messages`.
  package func close() {
    line.end { _ = shutdown($0, Int32(SHUT_RDWR)) }
  }

  deinit {
    close()
  }

  private static func read(_ line: Line, into continuation: AsyncStream<String>.Continuation) {
    Thread.detachNewThread {
      var bytes = [UInt8](repeating: 0, count: longest)
      while true {
        let count = recv(line.descriptor, &bytes, bytes.count, 0)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { break }
        continuation.yield(String(decoding: bytes[..<count], as: UTF8.self))
      }
      continuation.finish()
      line.end { _ in }
      Glibc.close(line.descriptor)
    }
  }
}
