import Glibc
import Realtime

/// A socket for a question and its answer. Its calls wait: a doctor has nothing else to do.
final class ProbeSocket: Sendable {
  enum Transport: Hashable, Sendable {
    case udp, tcp

    fileprivate var type: Int32 {
      let type = self == .udp ? SOCK_DGRAM : SOCK_STREAM
      return Int32(type.rawValue) | Int32(SOCK_NONBLOCK.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    }
  }

  /// The number of the system's error; 0 for a name that nobody knows.
  struct Failure: Error, Hashable {
    var code: Int32
  }

  private let descriptor: Int32

  /// Time limit for a connection, in milliseconds.
  private static let patience: Int32 = 3_000

  /// Connects to a host, by name or address.
  init(_ transport: Transport, host: String, port: UInt16) throws(Failure) {
    let (list, family) = try ProbeSocket.resolve(host, port, transport)
    defer { freeaddrinfo(list) }
    descriptor = socket(family, transport.type, 0)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    if connect(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0 { return }
    guard errno == EINPROGRESS else { throw Failure(code: errno) }
    guard wait(for: POLLOUT, ProbeSocket.patience) else { throw Failure(code: ETIMEDOUT) }
    var problem: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &problem, &size)
    guard problem == 0 else { throw Failure(code: problem) }
  }

  /// Takes a port of this machine, and listens on it if it is one of TCP.
  /// - Parameter host: one of its addresses, "0.0.0.0" for all.
  init(_ transport: Transport, on host: String, port: UInt16) throws(Failure) {
    let (list, family) = try ProbeSocket.resolve(host, port, transport)
    defer { freeaddrinfo(list) }
    descriptor = socket(family, transport.type, 0)
    guard descriptor >= 0 else { throw Failure(code: errno) }
    if transport == .tcp {
      // As the service does: connections that have just ended do not count.
      var on: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    guard bind(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0 else { throw Failure(code: errno) }
    if transport == .tcp, listen(descriptor, 1) != 0 { throw Failure(code: errno) }
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  private static func resolve(
    _ host: String, _ port: UInt16, _ transport: Transport
  ) throws(Failure) -> (UnsafeMutablePointer<addrinfo>, Int32) {
    var hints = addrinfo()
    hints.ai_socktype = Int32((transport == .udp ? SOCK_DGRAM : SOCK_STREAM).rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let list else { throw Failure(code: 0) }
    return (list, list.pointee.ai_family)
  }

  /// Has a bound socket talk with this place only.
  func aim(at place: STUNMessage.Place) throws(Failure) {
    let (list, _) = try ProbeSocket.resolve(place.address.text, place.port, .udp)
    defer { freeaddrinfo(list) }
    guard connect(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0 else { throw Failure(code: errno) }
  }

  private func wait(for event: Int32, _ milliseconds: Int32) -> Bool {
    var waiting = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    return poll(&waiting, 1, milliseconds) > 0
  }

  func send(_ bytes: [UInt8]) throws(Failure) {
    guard Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw Failure(code: errno)
    }
  }

  /// The next datagram or bytes; nil after so many milliseconds without, or once the other side has ended.
  func receive(within milliseconds: Int32) throws(Failure) -> [UInt8]? {
    guard wait(for: POLLIN, milliseconds) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 65_536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 else { throw Failure(code: errno) }
    return count == 0 ? nil : Array(bytes.prefix(count))
  }

  /// The address and port of this machine that the socket has.
  var local: STUNMessage.Place? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    return withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        guard getsockname(descriptor, address, &length) == 0 else { return nil }
        return ProbeSocket.place(address, length)
      }
    }
  }

  private static func place(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> STUNMessage.Place? {
    var (host, port) = ([CChar](repeating: 0, count: 256), [CChar](repeating: 0, count: 16))
    guard
      getnameinfo(
        address, length, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV)
        == 0, let known = IPAddress(parsing: text(host)), let number = UInt16(text(port))
    else { return nil }
    return STUNMessage.Place(known, port: number)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// All addresses that a name leads to, or the address that it is.
  static func addresses(of name: String) -> [IPAddress] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &list) == 0, let list else { return [] }
    defer { freeaddrinfo(list) }
    var found: [IPAddress] = []
    var next: UnsafeMutablePointer<addrinfo>? = list
    while let item = next {
      next = item.pointee.ai_next
      if let address = place(item.pointee.ai_addr, item.pointee.ai_addrlen)?.address, !found.contains(address) {
        found.append(address)
      }
    }
    return found
  }
}
