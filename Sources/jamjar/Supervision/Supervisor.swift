import CLinux
import Glibc

/// The service manager that started this process, systemd for example: it waits until the service is ready, gives it the
/// time that a stop takes, and restarts it when it no longer works.
///
/// Messages are datagrams (sd_notify(3)). They never block, and one that cannot be delivered is dropped: the recording
/// does not depend on its manager.
final class Supervisor: Sendable {
  private let request: SupervisorRequest
  private let socket: Int32

  /// - Returns: nil if no manager wants notifications, or if the system has no descriptor for them.
  init?(environment: [String: String]) {
    guard let request = SupervisorRequest(environment: environment, process: getpid()) else { return nil }
    let socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard socket >= 0 else { return nil }
    self.request = request
    self.socket = socket
  }

  deinit {
    close(socket)
  }

  func notify(_ message: SupervisorMessage) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: request.address.prefix($0.count)) }
    // Exactly this long: zeros would belong to an abstract name.
    let length = socklen_t(MemoryLayout<sa_family_t>.size + request.address.count)
    let text = Array(message.text.utf8)
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = sendto(socket, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), address, length)
      }
    }
  }

  /// Reports twice in the manager's patience that the service works, each time once `pulse` has returned. Returns when its
  /// task is cancelled, at once if the manager does not want to know.
  ///
  /// - Parameter pulse: returns if everything responds. If it hangs or throws, there is no report, and the manager acts.
  func keepAlive(_ pulse: @Sendable () async throws -> Void) async {
    guard let patience = request.patience else { return }
    while !Task.isCancelled {
      if (try? await pulse()) != nil { notify(.alive) }
      try? await Task.sleep(for: patience / 2)
    }
  }
}
