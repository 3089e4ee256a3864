import Machines
import Music
import Signaling
import TestSupport
import Testing

@testable import Server

@Suite struct JoinTokenTests {
  private let noon = WallTime(milliseconds: 1_795_262_400_000)
  private var later: WallTime { WallTime(milliseconds: noon.milliseconds + 60_000) }
  private let cellar = RoomName("Cellar")

  private func gate(at time: WallTime? = nil) throws -> Gatekeeper {
    let now = time ?? noon
    return Gatekeeper(
      keys: try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key]), isRevoked: { _ in false }
    ) { now }
  }

  private let tokens = JoinTokens(secret: Secret(TestService.secret))

  @Test func letsItsBearerIntoItsRoom() throws {
    let room = try #require(cellar)
    let token = tokens.make(room: room, name: DisplayName("Ada"), issued: noon, expiry: later)
    let grant = try gate().grant(for: room, shown: token)
    #expect(grant.name == "Ada" && grant.identity == "name:ada")
    #expect(grant.principal.authority == .musician && grant.principal.room == room)
    #expect(grant.principal.token?.id?.count == 32 && grant.principal.token?.issued != nil)
  }

  @Test func mayBeMadeByAShellAsTheDocumentationSays() throws {
    // The lines of docs/rest.md section 7, with the secret of these tests and a fixed expiry.
    let token =
      "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJyb29tIjoiQ2VsbGFyIiwibmFtZSI6IkFkYSIsInJvbGUiOiJtdXNpY2lhbiIsImV4cCI6MTc5"
      + "NTI2MjQ2MH0.zJhjYlU4aUoBZ1mNOVTvSLbXE4GKVkZBu6xi1a8MguQ"
    let room = try #require(cellar)
    let grant = try gate().grant(for: room, shown: token)
    // Tokens of older releases have neither an id nor a time of issue.
    let stamp = TokenStamp(id: nil, room: room, issued: nil, expiry: 1_795_262_460)
    #expect(grant == Grant(Principal(.musician, in: room, token: stamp), name: "Ada", identity: "name:ada"))
  }

  @Test func isRefusedOnceItHasExpired() throws {
    let room = try #require(cellar)
    let token = tokens.make(room: room, issued: noon, expiry: noon)
    let gate = try gate()
    #expect { try gate.grant(for: room, shown: token) } throws: { error in
      (error as? RoomRefusal)?.code == .unauthorized && "\(error)".contains("expired")
    }
  }

  @Test func opensNoOtherRoom() throws {
    let attic: RoomName = try #require(RoomName("Attic"))
    let token = tokens.make(room: attic, issued: noon, expiry: later)
    let gate = try gate()
    let room = try #require(cellar)
    #expect { try gate.grant(for: room, shown: token) } throws: { error in
      (error as? RoomRefusal)?.code == .forbidden
    }
    let master = tokens.make(room: nil, issued: noon, expiry: later)
    let grant = try gate.grant(for: room, shown: master)
    #expect(grant.principal.authority == .musician && grant.principal.room == nil && grant.identity == nil)
  }

  @Test func isRefusedUnderAnotherSecretOrAnotherAlgorithm() throws {
    let room = try #require(cellar)
    let gate = try gate()
    let secret = Array(TestService.secret.utf8)
    let claims = JoinToken(room: "Cellar", role: .musician, expiry: later).claims
    func token(_ header: JSONObject, key: [UInt8]) -> String {
      let signed = [header, claims].map { Base64.url.encode(Array(JSONValue.object($0).text.utf8)) }
        .joined(separator: ".")
      return signed + "." + Base64.url.encode(HMAC.sha256(signed.utf8, key: key))
    }
    // What is refused below is refused for its header or its key alone.
    _ = try gate.grant(for: room, shown: token(["alg": "HS256"], key: secret))
    var refused = [token(["alg": "HS256"], key: Array("another secret of thirty-two bytes at least".utf8))]
    let headers: [JSONObject] = [
      ["alg": "none"], ["alg": "HS512"], ["alg": "hs256"], ["alg": .null], [:], ["alg": "HS256", "crit": ["exp"]],
    ]
    for header in headers { refused.append(token(header, key: secret)) }
    let unsigned = token(["alg": "none"], key: secret)
    refused.append(String(unsigned[...(unsigned.lastIndex(of: ".") ?? unsigned.startIndex)]))
    for token in refused {
      #expect(throws: RoomRefusal.self, "\(token)") { try gate.grant(for: room, shown: token) }
    }
  }

  @Test(
    arguments: [
      ["exp": 4_000_000_000, "role": "musician"], ["room": "Cellar", "exp": 4_000_000_000],
      ["room": "Cellar", "role": "musician"],
      ["room": "Cellar", "role": "operator", "exp": 4_000_000_000],
      ["room": "Cellar", "role": "stranger", "exp": 4_000_000_000],
      ["room": 7, "role": "musician", "exp": 4_000_000_000],
      ["room": "Cellar", "role": "musician", "exp": "4000000000"],
      ["room": "Cellar", "role": "musician", "exp": .number(1e300)],
      ["room": "Cellar", "role": "musician", "exp": -1],
      // Noon itself, when it is shown.
      ["room": "Cellar", "role": "musician", "exp": 1_795_262_400],
      ["room": "Cellar", "role": "musician", "exp": 4_000_000_000, "name": 7],
      ["room": "Cellar", "role": "musician", "exp": 4_000_000_000, "sub": true],
      ["room": "Cellar", "role": "musician", "exp": 4_000_000_000, "nbf": 3_900_000_000],
      ["room": "Cellar", "role": "musician", "exp": 4_000_000_000, "nbf": "now"],
      ["room": "Cellar", "role": "musician", "exp": 4_000_000_000, "jti": 7],
      ["room": "Cellar", "role": "musician", "exp": 4_000_000_000, "iat": "now"],
      // A minute and a second after noon: no revocation of today would cover it.
      ["room": "Cellar", "role": "musician", "exp": 4_000_000_000, "iat": 1_795_262_461],
    ] as [JSONObject])
  func wrongClaimsAreRefused(_ claims: JSONObject) throws {
    let room = try #require(cellar)
    let token = JSONWebToken.sign(claims, key: Array(TestService.secret.utf8))
    #expect(throws: RoomRefusal.self) { try gate().grant(for: room, shown: token) }
  }

  /// RFC 7515 appendix A.1.
  @Test func theSignatureIsThatOfTheRFC() throws {
    let text =
      "eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNv"
      + "bS9pc19yb290Ijp0cnVlfQ.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    let key = try #require(
      Base64.url.decode("AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"))
    let claims = try #require(JSONWebToken.verify(text, key: key))
    #expect(claims == ["iss": "joe", "exp": 1_300_819_380, "http://example.com/is_root": true])
    #expect(JSONWebToken.verify(text, key: Array(key.dropLast())) == nil)
  }

  @Test func noChangedBitPasses() throws {
    let room = try #require(cellar)
    let gate = try gate()
    let token = tokens.make(room: room, issued: noon, expiry: later)
    var generator = SeededRandom(7)
    for _ in 0..<300 {
      var bytes = Array(token.utf8)
      let index = Int.random(in: bytes.indices, using: &generator)
      let new = UInt8.random(in: 0x21..<0x7F, using: &generator)
      guard bytes[index] != new else { continue }
      bytes[index] = new
      let changed = String(decoding: bytes, as: UTF8.self)
      #expect(throws: RoomRefusal.self, "\(index)") { try gate.grant(for: room, shown: changed) }
    }
  }

  @Test(arguments: ["", ".", "..", "a.b.c", "eyJhbGciOiJIUzI1NiJ9..", String(repeating: "x", count: 100_000)])
  func refusesWhatIsNoToken(_ text: String) throws {
    let gate = try gate()
    let room = try #require(cellar)
    #expect(throws: RoomRefusal.self) { try gate.grant(for: room, shown: text) }
  }

  @Test func bindsNameRoleAndIdentity() throws {
    let room = try #require(cellar)
    let grant = Grant(Principal(.listener, in: room), name: "Ada", identity: "sub:7")
    func applied(_ grant: Grant, _ request: JoinRequest) throws -> JoinRequest {
      try grant.applied(to: request, in: room, at: .native, address: nil)
    }
    let ada = try #require(DisplayName("Ada"))
    let bob = try #require(DisplayName("Bob"))
    #expect(try applied(grant, JoinRequest(name: ada, role: .listener)).identity == "sub:7")
    #expect(throws: RoomRefusal.self) { try applied(grant, JoinRequest(name: bob, role: .listener)) }
    #expect(throws: RoomRefusal.self) { try applied(grant, JoinRequest(name: ada, role: .musician)) }
    // A musician may listen.
    let musician = Grant(Principal(.musician, in: room))
    #expect(try applied(musician, JoinRequest(name: bob, role: .listener)).role == .listener)
    // An owner may play.
    #expect(try applied(Grant(Principal(.owner, in: room)), JoinRequest(name: bob)).authority == .owner)
  }

  @Test(arguments: [
    ("ada", "Ada", true), ("ADA", "ada", true), ("Ａｄａ", "ada", true), ("ｱﾀﾞ", "アダ", true), ("STRASSE", "Straße", true),
    ("ΣΟΦΙΑΣ", "Σοφιας", true), ("e\u{301}ve", "ÉVE", true), ("ada", "bob", false), ("ada", "adá", false),
    ("ada", "ada b", false), ("ada", "\u{430}da", false),
  ])
  func aNameIsTheSameInEveryCaseAndWidth(_ name: String, _ written: String, _ isSame: Bool) throws {
    let room = try #require(cellar)
    let token = JoinToken(room: "Cellar", name: name, role: .musician, expiry: later)
    let grant = Grant(Principal(.musician, in: room), name: name, identity: token.identity)
    guard let shown = DisplayName(written) else { return #expect(!isSame) }
    let request = try? grant.applied(to: JoinRequest(name: shown), in: room, at: .native, address: nil)
    #expect((request != nil) == isSame)
    // It is shown as the musician writes it, and known as the invitation says.
    if let request { #expect(request.name == shown && request.identity == token.identity) }
    let other = JoinToken(room: "Cellar", name: written, role: .musician, expiry: later)
    #expect((other.identity == token.identity) == isSame)
  }

  @Test func anAPIKeyOpensEverything() throws {
    let room = try #require(cellar)
    let gate = try gate()
    #expect(try gate.grant(for: room, shown: TestService.key) == .everything)
    #expect(throws: RoomRefusal.self) { try gate.grant(for: room, shown: nil) }
    let open = Gatekeeper(keys: nil, isRevoked: { _ in true })
    #expect(try open.grant(for: room, shown: nil) == .everything)
  }

  @Test func isRefusedOnceItIsRevoked() throws {
    let room = try #require(cellar)
    let token = tokens.make(room: room, id: "one", issued: noon, expiry: later)
    let other = tokens.make(room: room, id: "two", issued: noon, expiry: later)
    let keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    let now = noon
    let gate = Gatekeeper(keys: keys, isRevoked: { $0.id == "one" }) { now }
    #expect { try gate.grant(for: room, shown: token) } throws: { error in
      (error as? RoomRefusal)?.code == .unauthorized && "\(error)".contains("revoked")
    }
    #expect(try gate.grant(for: room, shown: other).principal.token?.id == "two")
  }
}

extension Gatekeeper {
  /// What somebody who wants to listen in `room` is granted.
  fileprivate func grant(for room: RoomName, shown: String?) throws -> Grant {
    let grant = try grant(for: shown, at: .native)
    try Authorisation.check(grant.principal, .enter, on: .room(room), at: .native)
    return grant
  }
}
