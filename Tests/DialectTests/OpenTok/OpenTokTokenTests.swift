import Machines
import Music
import Testing

@testable import Server
@testable import Signaling

/// Clients' tokens and servers' proofs, with real hashes. The golden texts were made by Python (PyJWT, hmac) from the
/// description of the wire.
@Suite struct OpenTokTokenTests {
  private static let secret = "0123456789abcdef0123456789abcdef01234567"
  private static let made: Int64 = 1_790_000_000
  private static let now = WallTime(milliseconds: made * 1_000 + 60_000)
  private static let goldenID: String =
    "1_MX40NjAwMDAwMX5-MTc5MDAwMDAwMDAwMH4wMU0zMjUwVjAwMDRITUFTVzlORjZZWTA5M35ybX5-YndkTDVORjFvTTJMelBPTX4"
  private static let goldenJWT: String =
    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzZXNzaW9uX2lkIjoiMV9NWDQwTmpBd01EQXdNWDUtTVRjNU1EQXdNREF3TURBd01INHdNVTB6"
    + "TWpVd1ZqQXdNRFJJVFVGVFZ6bE9SalpaV1RBNU0zNXliWDUtWW5ka1REVk9SakZ2VFRKTWVsQlBUWDQiLCJyb2xlIjoibW9kZXJhdG9yIiwic2Nv"
    + "cGUiOiJzZXNzaW9uLmNvbm5lY3QiLCJpc3MiOiI0NjAwMDAwMSIsImlzdCI6InByb2plY3QiLCJpYXQiOjE3OTAwMDAwMDAsImV4cCI6MTc5MDA4"
    + "NjQwMCwibm9uY2UiOjEyMzQ1NiwiY29ubmVjdGlvbl9kYXRhIjoibmFtZT1cdTAwYzRubiAmIHtcInhcIjogMX0iLCJpbml0aWFsX2xheW91dF9j"
    + "bGFzc19saXN0IjoiZm9jdXMgaW5hY3RpdmUifQ.5IcVu2qHqzMfSENfkYpD-_Ed1kBA8OA9qkHjmnucHJM"
  private static let goldenT1: String =
    "T1==cGFydG5lcl9pZD00NjAwMDAwMSZzaWc9NjYxOTA3YWYzODAxNDJmOTg5ZTMxYTQ0NmQ4NDA1MTVhMjAxZGZmYjpzZXNzaW9uX2lkPTFfTVg0"
    + "ME5qQXdNREF3TVg1LU1UYzVNREF3TURBd01EQXdNSDR3TVUwek1qVXdWakF3TURSSVRVRlRWemxPUmpaWldUQTVNMzV5Ylg1LVluZGtURFZPUmpG"
    + "dlRUSk1lbEJQVFg0JmNyZWF0ZV90aW1lPTE3OTAwMDAwMDAmcm9sZT1wdWJsaXNoZXImbm9uY2U9MC4yNSZjb25uZWN0aW9uX2RhdGE9aXQlMjdz"
    + "KyVDMyU4NG5uJTJCMSslMjYrY28="

  private let projects: OpenTokProjects

  init() throws {
    projects = try OpenTokProjects(
      [
        try OpenTokProject(key: "46000001", secret: OpenTokTokenTests.secret),
        try OpenTokProject(key: "46000002", secret: String(OpenTokTokenTests.secret.reversed())),
      ], hashes: .openSSL)
  }

  private var project: OpenTokProject { get throws { try #require(projects["46000001"]) } }

  private func session(_ settings: OpenTokSessionID.Settings = .init()) throws -> OpenTokSessionID {
    try OpenTokSessionID(of: try project, settings, nonce: ULID(at: OpenTokTokenTests.now), hashes: .openSSL)
  }

  private func claims() throws -> JSONObject {
    [
      "session_id": .string(try session().description), "role": "publisher", "scope": "session.connect",
      "iss": "46000001", "ist": "project", "iat": .integer(OpenTokTokenTests.made), "nonce": 1,
    ]
  }

  private func sign(_ claims: JSONObject, header: JSONObject = ["alg": "HS256", "typ": "JWT"]) throws -> String {
    let parts = [header, claims].map { Base64.url.encode(JSONValue.object($0).bytes) }.joined(separator: ".")
    return parts + "." + Base64.url.encode(HMAC.sha256(parts.utf8, key: try project.secret))
  }

  private func read(_ text: String) throws(OpenTokRefusal) -> OpenTokToken.Claim {
    try OpenTokToken.read(text, projects, at: OpenTokTokenTests.now)
  }

  /// The sentence of the refusal; nil if there was none.
  private func objection(_ text: String) -> String? {
    do throws(OpenTokRefusal) {
      _ = try read(text)
      return nil
    } catch {
      #expect(error.status == 403 || error.status == 404)
      return error.message
    }
  }

  // MARK: What is right

  @Test func theGoldenJWTIsRead() throws {
    let claim = try read(OpenTokTokenTests.goldenJWT)
    #expect(claim.project.key == "46000001" && claim.session.description == OpenTokTokenTests.goldenID)
    #expect(claim.role == .moderator && claim.connectionData == "name=Änn & {\"x\": 1}")
    #expect(claim.layoutClasses == ["focus", "inactive"])
    #expect(claim.expires.seconds == 1_790_086_400)
  }

  @Test func theGoldenLegacyTokenIsRead() throws {
    let claim = try read(OpenTokTokenTests.goldenT1)
    #expect(claim.role == .publisher && claim.connectionData == "it's Änn+1 & co")
    #expect(claim.session.room.description == "46000001-01M3250V0004HMASW9NF6YY093-rm-bwdL5NF1oM2LzPOM")
    // No end: a day.
    #expect(claim.expires.seconds == OpenTokTokenTests.made + 86_400)
  }

  @Test func ofRubyTheKindStandsInTheHeaderAndTheNonceHasAFraction() throws {
    var claims = try claims()
    claims["ist"] = nil
    claims["nonce"] = .number(0.625)
    let claim = try read(try sign(claims, header: ["ist": "project", "alg": "HS256"]))
    #expect(claim.expires.seconds == OpenTokTokenTests.made + 86_400)
  }

  @Test(arguments: OpenTokToken.Role.allCases) func everyRoleIsRead(_ role: OpenTokToken.Role) throws {
    var claims = try claims()
    claims["role"] = .string(role.rawValue)
    #expect(try read(try sign(claims)).role == role)
  }

  @Test func theRightsOfRolesAreThoseOfTheVendor() {
    let rights = OpenTokToken.Role.allCases.map { [$0.maySubscribe, $0.mayPublish, $0.maySignal, $0.mayModerate] }
    let expected = [
      [true, false, false, false], [true, true, true, false], [false, true, false, false], [true, true, true, true],
    ]
    #expect(rights == expected)
  }

  @Test func aThousandCharactersOfDataAreTaken() throws {
    var claims = try claims()
    claims["connection_data"] = .string(String(repeating: "ß", count: 1_000))
    #expect(try read(try sign(claims)).connectionData.count == 1_000)
  }

  // MARK: What is wrong

  @Test func whatIsWrongIsSaid() throws {
    let good: String = try sign(try claims())
    var table: [(text: String, word: String)] = [
      ("", "no JSON Web Token"), ("T1==", "no base64"), ("T1==!!!", "T1=="),
      (String(good.dropLast(10)), "no JSON Web Token"), (good + "=", "no JSON Web Token"),
      (good + "A", "Invalid"), (String(good.dropLast(3)), "Invalid signature"),
      (String(OpenTokTokenTests.goldenT1.dropLast()), "padding"),
      (String(OpenTokTokenTests.goldenT1.dropLast(40)), "Invalid"), (String(repeating: "a", count: 40_000), "bytes"),
      (good.replacing("e", with: "é", maxReplacements: 1), "no JSON Web Token"),
    ]
    let changes: [(String, JSONValue?, String)] = [
      ("iss", "46000002", "Invalid signature"), ("iss", "46000003", "Issuer not found"),
      ("iss", nil, "Issuer not found"),
      ("ist", "account", "ist"), ("scope", nil, "scope"), ("role", "king", "role"), ("session_id", nil, "session_id"),
      ("session_id", "1_MX5-", "Session not found"), ("iat", "yesterday", "no time"),
      ("iat", .number(1e300), "no time"),
      ("iat", nil, "neither"), ("iat", .integer(OpenTokTokenTests.made + 7_500), "2 h 4 min in the future"),
      ("exp", .integer(OpenTokTokenTests.made - 7_140), "expired 2 h 0 min ago"),
      ("exp", .integer(OpenTokTokenTests.made + 31 * 86_400), "30 days at most"),
      ("connection_data", .string(String(repeating: "x", count: 10_240)), "10240 characters"),
    ]
    for (name, value, word) in changes {
      var claims = try claims()
      claims[name] = value
      table.append((try sign(claims), word))
    }
    table.append((try sign(try claims(), header: ["alg": "none"]), "HS256"))
    table.append((try sign(try claims(), header: ["alg": "HS256", "crit": ["x"]]), "HS256"))
    for (text, word) in table {
      let sentence = objection(text)
      #expect(sentence?.contains(word) == true, "\(text.prefix(40)): \(sentence ?? "accepted"), not \(word)")
    }
  }

  @Test func aClockThatIsAMinuteAheadIsForgiven() throws {
    var claims = try claims()
    claims["iat"] = .integer(OpenTokTokenTests.now.seconds + 119)
    #expect(throws: Never.self) { try read(try sign(claims)) }
    claims["iat"] = .integer(OpenTokTokenTests.now.seconds + 121)
    #expect(throws: OpenTokRefusal.self) { try read(try sign(claims)) }
  }

  @Test func theProofOfAServerIsNoClientsTokenNorTheOtherWayRound() throws {
    var proof: JSONObject = ["iss": "46000001", "ist": "project", "iat": .integer(OpenTokTokenTests.made)]
    proof["exp"] = .integer(OpenTokTokenTests.made + 180)
    let server = try sign(proof)
    let found = try OpenTokServerToken.read(server, projects, at: OpenTokTokenTests.now)
    #expect(found.key == "46000001")
    #expect(objection(server)?.contains("scope") == true)
    let client = try sign(try claims())
    #expect(throws: OpenTokRefusal.self) {
      try OpenTokServerToken.read(client, projects, at: OpenTokTokenTests.now)
    }
    proof["exp"] = nil
    let endless = try sign(proof)
    #expect(throws: OpenTokRefusal.self) {
      try OpenTokServerToken.read(endless, projects, at: OpenTokTokenTests.now)
    }
  }

  // MARK: Session ids

  @Test func anIDIsReadAgainWithAllItsChoices() throws {
    let choices: [OpenTokSessionID.Settings] = [
      .init(), .init(mode: .relayed), .init(archiveMode: .always),
      .init(archiveMode: .always, archiveName: "Probe ~ 7 Ä", archiveResolution: "1280x720"),
      .init(archiveMode: .always, archiveName: String(repeating: "n", count: 80), archiveResolution: "1080x1920"),
    ]
    for settings in choices {
      let id = try session(settings)
      let again = try OpenTokSessionID(reading: id.description, of: try project, hashes: .openSSL)
      #expect(again == id && again.settings == settings)
      #expect(id.description.utf8.count <= 255 && OpenTokSessionID.names("46000001", in: id.description))
      let ofRoom = OpenTokSessionID(room: id.room, projects: projects)
      // Only a name for archives stands in the id alone.
      #expect(ofRoom == (settings.archiveName == nil ? id : nil))
      #expect(OpenTokSessionID.mode(of: id.room, projects: projects) == settings.mode)
    }
  }

  @Test func aForgedIDIsOfNobody() throws {
    let id = try session().description
    let other = try #require(projects["46000002"])
    var wrong = [String(id.dropLast()), id + "A", "2" + id.dropFirst(), id.lowercased(), "", "1_", "take5"]
    // The mode of another session of the same project.
    let bytes = try #require(Base64.url.decode(id.dropFirst(2)))
    let text = String(decoding: bytes, as: UTF8.self).replacing("~rm~", with: "~pm~")
    wrong.append("1_" + Base64.url.encode(Array(text.utf8)))
    for text in wrong {
      #expect(throws: OpenTokRefusal.unknownSession, "\(text)") {
        try OpenTokSessionID(reading: text, of: try project, hashes: .openSSL)
      }
    }
    #expect(throws: OpenTokRefusal.unknownSession) {
      try OpenTokSessionID(reading: id, of: other, hashes: .openSSL)
    }
    let stranger = try RoomName(checking: "46000001-01M3250V0004HMASW9NF6YY093-pm-AAAAAAAAAAAAAAAA")
    #expect(OpenTokSessionID(room: stranger, projects: projects) == nil)
    #expect(OpenTokSessionID.mode(of: stranger, projects: projects) == .routed)
    #expect(OpenTokSessionID.mode(of: try RoomName(checking: "take5"), projects: projects) == nil)
  }

  @Test func projectsAreReadFromTheSettings() throws {
    let secret = OpenTokTokenTests.secret
    let found = try OpenTokProjects(
      parsing: "46000001:\(secret):Band app, 46000002:\(secret)",
      callbacks: "46000001 session https://app.example/s, 46000001 archive https://app.example/a,"
        + "46000001 broadcast https://app.example/b")
    #expect(found.all.map(\.name) == ["Band app", "46000002"])
    #expect(found["46000001"]?.callbacks.archive == "https://app.example/a")
    #expect(found["46000001"]?.callbacks.broadcast == "https://app.example/b")
    #expect(found["46000002"]?.callbacks == OpenTokProject.Callbacks())
    let wrong: [(String, String?)] = [
      ("46000001", nil), ("46000001:short", nil), ("0:\(secret)", nil), ("2147483648:\(secret)", nil),
      ("046:\(secret)", nil), ("1:\(secret),1:\(secret)", nil), ("1:\(secret)", "2 session https://app.example"),
      ("1:\(secret)", "1 video https://app.example"),
    ]
    for (text, callbacks) in wrong {
      #expect(throws: ConfigurationProblem.self, "\(text)") { try OpenTokProjects(parsing: text, callbacks: callbacks) }
    }
    do {
      _ = try OpenTokProjects(parsing: "1:a-short-secret", callbacks: nil)
    } catch {
      #expect(!error.description.contains("a-short-secret"))
    }
  }
}
