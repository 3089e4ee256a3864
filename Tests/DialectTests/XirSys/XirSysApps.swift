import NIOHTTP1
import Signaling
import Testing

@testable import Server

/// Tests whose clients are apps of XirSys in dialect A.
protocol XirSysApps {}

extension XirSysApps {
  func with(
    _ service: TestService, _ username: String, room: String = "default", path: String = "",
    _ body: (RPCConnection) async throws -> Void
  ) async throws {
    let token = try await XirSysRESTTests.token(service, room: room, username: username)
    try await RPCConnection.with(service, path: "\(path)/\(token)", body)
  }

  func peers(_ link: RPCConnection) async throws -> [String] {
    let frame = try await link.next("peers") { $0["type"] == "peers" }
    return frame["message"]?.object?["users"]?.array?.compactMap(\.string) ?? []
  }

  func frame(_ link: RPCConnection, _ type: String, from name: String) async throws -> JSONObject {
    try await link.next("\(type) \(name)") { $0["type"]?.string == type && $0["userid"]?.string == name }
  }

  func message(_ event: String, to target: String, _ data: JSONValue) -> String {
    let frame: JSONValue = ["eventName": .string(event), "targetUserId": .string(target), "data": data]
    return frame.text
  }
}
