import Glibc
import Signaling

/// A relay (Peers/relay.py) between browsers and the service, on loopback: this kernel has no netem.
final class BadNetwork: Sendable {
  /// Connections that it can carry.
  private static let ports = 16
  /// From a port of the service to the relay's port for it.
  private static let offset = 1_000

  private let relay: ChildProcess

  /// What `jamjar serve` needs so that its media ports are the relay's other side.
  let serviceOptions: [String]

  /// Starts a relay with these options of relay.py.
  init(_ options: [String]) async throws {
    // Below the ephemeral ports, so that no other socket takes them by chance.
    let first = Int.random(in: 10_000..<30_000)
    serviceOptions = ["--ice-addresses", "127.0.0.1", "--ice-ports", "\(first)-\(first + BadNetwork.ports - 1)"]
    relay = try PythonPeer.start(
      "relay.py", ["\(first + BadNetwork.offset)", "\(first)", "\(BadNetwork.ports)"] + options)
    guard await relay.line(where: { $0 == "ready" }) != nil else {
      throw EndToEndFailure("the relay did not start: \(relay.text)")
    }
  }

  /// Makes a page send its media through the relay: it learns the relay's ports for the service's, and the service
  /// learns no address of the page's, or it would find a way past the relay.
  func stand(before page: Page) async throws {
    try await page.run(
      """
      const [offset] = arguments_, prototype = RTCPeerConnection.prototype;
      Object.defineProperty(prototype, "onicecandidate", { set() {}, configurable: true });
      const set = prototype.setRemoteDescription;
      prototype.setRemoteDescription = function ({ type, sdp }) {
        const moved = sdp.replace(/^(a=candidate:\\S+ \\d+ \\S+ \\d+ \\S+ )(\\d+)/gm, (_, head, port) => head + (+port + offset));
        return set.call(this, { type, sdp: moved });
      };
      prototype.addIceCandidate = async () => {};
      """, .integer(Int64(BadNetwork.offset)))
  }

  /// Ends the relay; how many datagrams it lost on their way to the service.
  func close() async -> Int {
    await relay.terminate()
    let report = relay.text.split(separator: "\n").last.flatMap { try? JSONValue(parsing: String($0)) }
    return Int(report?.object?["lost"]?.integer ?? 0)
  }
}
