import CNice
import Foundation
import Glibc
import Machines
import Realtime
import TestSupport
import Testing

@testable import Rooms

/// A path whose end on our side is a relay: coturn, as an operator runs it.
@Suite(.timeLimit(.minutes(1))) struct RelayedPathTests {
  private static let user = RelaySecret.Credentials(username: "jamjar", password: "a password of the operator")

  @Test func mediaAndChecksPassARelay() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "jamjar-relay-\(UInt64.random(in: 0 ... .max))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let port = UDPEndpoint.freePort
    let coturn = try SpawnedProgram(
      "/usr/bin/turnserver",
      [
        "-n", "--listening-ip", "127.0.0.1", "--relay-ip", "127.0.0.1", "--listening-port", "\(port)", "--realm",
        "test",
        "--lt-cred-mech", "--user", "\(Self.user.username):\(Self.user.password)", "--no-cli", "--no-tcp", "--no-tls",
        "--no-dtls",
        "--allow-loopback-peers", "--log-file", folder.path + "/log", "--pidfile", folder.path + "/pid",
      ])
    defer { coturn.end() }
    let relay = ICEConfiguration.Relay(
      address: "127.0.0.1", port: port, access: .fixed(Self.user), url: "turn:127.0.0.1:\(port)")
    let loop = try MediaLoop(name: "test-loop")
    let pair = PathAgentTests.Pair(loop: loop)
    // Until coturn listens, libnice asks again.
    try await pair.connect(
      ICEConfiguration(addresses: ["127.0.0.1"], relays: [relay]), and: ICEConfiguration(addresses: ["127.0.0.1"]),
      isRelayed: true)
    #expect(await pair.areRelayed == [true, false])
    #expect(await pair.exchange(20).allSatisfy { $0.count == 4 && $0[3] == 7 })
    #expect(await pair.roundTrips().allSatisfy { $0 > .zero && $0 < .seconds(1) })
    // Answers to checks are nobody's media.
    #expect(await pair.exchange(20).count == 20)
    await pair.close()
  }
}

extension PathAgent {
  /// Makes libnice gather and use nothing but relayed candidates.
  func useRelayOnly() {
    var value = GValue()
    // G_TYPE_BOOLEAN is a macro that Swift does not import.
    g_value_init(&value, GType(5 << 2))
    g_value_set_boolean(&value, 1)
    g_object_set_property(UnsafeMutablePointer<GObject>(agent), "force-relay", &value)
    g_value_unset(&value)
  }
}
