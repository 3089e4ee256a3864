import Glibc

/// An address and port on which the service cannot listen.
package struct ListeningProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package var host: String
  package var port: Int
  /// The option that chooses the port.
  package var option: String
  /// The number of the system's error (errno).
  package var code: Int32

  package init(host: String, port: Int, option: String, code: Int32) {
    self.host = host
    self.port = port
    self.option = option
    self.code = code
  }

  package var description: String { "\(reason); \(remedy)" }

  package var reason: String {
    switch code {
    case EADDRINUSE: "port \(port) of \(host) is taken by another program"
    case EACCES, EPERM: "this user may not listen on port \(port)"
    case EADDRNOTAVAIL: "\(host) is no address of this machine"
    default: "the service cannot listen on port \(port) of \(host) (\(String(cString: strerror(code))))"
    }
  }

  package var remedy: String {
    switch code {
    case EADDRINUSE:
      "find it with ss -ltnp 'sport = :\(port)' (as root) and end it, or choose another port with \(option)"
    case EACCES, EPERM:
      "ports below 1024 need CAP_NET_BIND_SERVICE (docs/operating.md, Installation); or choose another with \(option)"
    case EADDRNOTAVAIL: "see its own with ip address, or listen on all with --host 0.0.0.0"
    default: "choose another with \(option), or another address with --host"
    }
  }
}
