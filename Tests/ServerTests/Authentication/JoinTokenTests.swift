import Foundation
import JWTKit
import Music
import Signaling
import Testing

@testable import Server

@Suite struct JoinTokenTests {
  private let noon = WallTime(milliseconds: 1_795_262_400_000)
  private var later: WallTime { WallTime(milliseconds: noon.milliseconds + 60_000) }
  private let cellar = RoomName("Cellar")

  private func gate(at time: WallTime? = nil) async throws -> Gatekeeper {
    let now = time ?? noon
    return await Gatekeeper(keys: try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])) { now }
  }

  private func tokens() async -> JoinTokens { await JoinTokens(secret: Secret(TestService.secret)) }

  @Test func letsItsBearerIntoItsRoom() async throws {
    let room = try #require(cellar)
    let token = try await tokens().make(room: room, name: DisplayName("Ada"), expiry: later)
    let grant = try await gate().grant(for: room, shown: token)
    #expect(grant == .token(name: "Ada", role: .musician, identity: "name:Ada"))
  }

  @Test func mayBeMadeByAShellAsTheDocumentationSays() async throws {
    // The lines of docs/rest.md section 7, with the secret of these tests and a fixed expiry.
    let token =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb29tIjoiQ2VsbGFyIiwibmFtZSI6IkFkYSIsInJvbGUiOiJtdXNpY2lhbiIsImV4cCI6MTc5"
      + "NTI2MjQ2MH0.zJhjYlU4aUoBZ1mNOVTvSLbXE4GKVkZBu6xi1a8MguQ"
    let room = try #require(cellar)
    let grant = try await gate().grant(for: room, shown: token)
    #expect(grant == .token(name: "Ada", role: .musician, identity: "name:Ada"))
  }

  @Test func isRefusedOnceItHasExpired() async throws {
    let room = try #require(cellar)
    let token = try await tokens().make(room: room, expiry: noon)
    let gate = try await gate()
    await #expect { try await gate.grant(for: room, shown: token) } throws: { error in
      (error as? RoomRefusal)?.code == .unauthorized && "\(error)".contains("expired")
    }
  }

  @Test func opensNoOtherRoom() async throws {
    let attic: RoomName = try #require(RoomName("Attic"))
    let token = try await tokens().make(room: attic, expiry: later)
    let gate = try await gate()
    let room = try #require(cellar)
    await #expect { try await gate.grant(for: room, shown: token) } throws: { error in
      (error as? RoomRefusal)?.code == .forbidden
    }
    let master = try await tokens().make(room: nil, expiry: later)
    #expect(try await gate.grant(for: room, shown: master) == .token(name: nil, role: .musician, identity: nil))
  }

  @Test func isRefusedUnderAnotherSecretOrAnotherAlgorithm() async throws {
    let room = try #require(cellar)
    let gate = try await gate()
    let payload = JoinToken(
      room: "Cellar", name: nil, role: .musician, exp: ExpirationClaim(value: Date(timeIntervalSince1970: 4e9)),
      sub: nil)
    let stranger = await JWTKeyCollection().add(
      hmac: HMACKey(from: "another secret of thirty-two bytes at least"), digestAlgorithm: .sha256)
    let longer = await JWTKeyCollection().add(hmac: HMACKey(from: TestService.secret), digestAlgorithm: .sha512)
    let none = await JWTKeyCollection().addUnsecuredNone()
    for keys in [stranger, longer, none] {
      let token = try await keys.sign(payload)
      await #expect(throws: RoomRefusal.self) { try await gate.grant(for: room, shown: token) }
    }
  }

  @Test func noChangedBitPasses() async throws {
    let room = try #require(cellar)
    let gate = try await gate()
    let token = try await tokens().make(room: room, expiry: later)
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<300 {
      var bytes = Array(token.utf8)
      let index = Int.random(in: bytes.indices, using: &generator)
      let new = UInt8.random(in: 0x21..<0x7F, using: &generator)
      guard bytes[index] != new else { continue }
      bytes[index] = new
      let changed = String(decoding: bytes, as: UTF8.self)
      // The last character of base64 holds unused bits, so another one may mean the same signature.
      guard index < bytes.count - 1 else { continue }
      await #expect(throws: RoomRefusal.self, "\(index)") { try await gate.grant(for: room, shown: changed) }
    }
  }

  @Test(arguments: ["", ".", "..", "a.b.c", "eyJhbGciOiJIUzI1NiJ9..", String(repeating: "x", count: 100_000)])
  func refusesWhatIsNoToken(_ text: String) async throws {
    let gate = try await gate()
    let room = try #require(cellar)
    await #expect(throws: RoomRefusal.self) { try await gate.grant(for: room, shown: text) }
  }

  @Test func bindsNameRoleAndIdentity() throws {
    let grant = Grant.token(name: "Ada", role: .listener, identity: "sub:7")
    let ada = try #require(DisplayName("Ada"))
    let bob = try #require(DisplayName("Bob"))
    #expect(try grant.applied(to: JoinRequest(name: ada, role: .listener)).identity == "sub:7")
    #expect(throws: RoomRefusal.self) { try grant.applied(to: JoinRequest(name: bob, role: .listener)) }
    #expect(throws: RoomRefusal.self) { try grant.applied(to: JoinRequest(name: ada, role: .musician)) }
    // A musician may listen.
    let musician = Grant.token(name: nil, role: .musician, identity: nil)
    #expect(try musician.applied(to: JoinRequest(name: bob, role: .listener)).role == .listener)
  }

  @Test func anAPIKeyOpensEverything() async throws {
    let room = try #require(cellar)
    let gate = try await gate()
    #expect(try await gate.grant(for: room, shown: TestService.key) == .key)
    await #expect(throws: RoomRefusal.self) { try await gate.grant(for: room, shown: nil) }
    #expect(try await Gatekeeper(keys: nil).grant(for: room, shown: nil) == .open)
  }
}
