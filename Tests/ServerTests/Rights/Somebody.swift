import Music
import NIOHTTP1
import Signaling

@testable import Server

/// Somebody who asks a service with keys.
struct Somebody: Sendable {
  var name: String
  var authority: Authority
  /// False for tokens of another room.
  var isOfTheRoom = true

  static let all =
    [Somebody(name: "nobody", authority: .stranger)]
    + Authority.inTokens.map { Somebody(name: "\($0)", authority: $0) }
    + [
      Somebody(name: "another room's owner", authority: .owner, isOfTheRoom: false),
      Somebody(name: "API key", authority: .operator),
    ]

  /// Nil for nobody.
  func token(for room: String) async throws -> String? {
    switch authority {
    case .stranger: nil
    case .operator: TestService.key
    default: try await TestService.token(isOfTheRoom ? room : "elsewhere", authority)
    }
  }

  func may(_ least: Authority) -> Bool { isOfTheRoom && authority >= least }

  /// The parameters with a token, if there is one.
  static func show(_ token: String?, in parameters: JSONObject) -> JSONObject {
    var parameters = parameters
    if let token { parameters["token"] = .string(token) }
    return parameters
  }
}

extension TestService {
  /// A service with keys, RTMP and all.
  static func withKeys(_ body: (TestService) async throws -> Void) async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      try await body(service)
    }
  }
}
