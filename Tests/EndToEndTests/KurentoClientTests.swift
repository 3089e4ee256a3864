import Foundation
import Signaling
import Testing

extension Programs {
  /// The four clients of Kurento, each with its own words and strictness (Peers/kurento_clients.py).
  @Suite struct KurentoClientTests {
    @Test func everyClientPassesItsThirtyChecks() async throws {
      let service = try await Service()
      let peer = try PythonPeer.start("kurento_clients.py", [service.address])
      let status = await peer.exitStatus()
      let lines = await peer.wholeText().split(separator: "\n")
      let checks = lines.compactMap { (try? JSONValue(parsing: String($0)))?.object }
      let failed = checks.filter { $0["ok"] != true }.map { JSONValue.object($0).text }
      #expect(failed == [], "\(failed)")
      #expect(status == 0 && checks.count == 120, "\(lines.suffix(5))")
      for client in ["ios", "js", "java", "android"] {
        let own = checks.count { $0["client"] == .string(client) }
        #expect(own == 30, "\(client)")
      }
      await service.close()
    }
  }
}
