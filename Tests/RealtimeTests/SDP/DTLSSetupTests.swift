import Realtime
import Testing

@Suite struct DTLSSetupTests {
  static let offer = ChromiumDescriptions.publication

  @Test(arguments: [
    ("actpass", nil, NegotiatedSession.DTLSRole.server, "passive"),
    ("active", nil, .server, "passive"),
    ("passive", nil, .client, "active"),
    ("ActPass", nil, .server, "passive"),
    ("actpass", NegotiatedSession.DTLSRole.client, .client, "active"),
    ("actpass", .server, .server, "passive"),
    ("active", .server, .server, "passive"),
    ("passive", .client, .client, "active"),
  ])
  func isPassiveUnlessForcedOrRunning(
    offered: String, kept: NegotiatedSession.DTLSRole?, role: NegotiatedSession.DTLSRole, word: String
  ) throws {
    let text = SDPText.replacing("a=setup", with: "a=setup:" + offered, in: Self.offer)
    let (answer, session) = try SDPText.answer(text, keeping: kept)
    #expect(session.dtlsRole == role)
    #expect(answer.media[0].attributes.first("setup") == word)
  }

  @Test(arguments: [("active", NegotiatedSession.DTLSRole.client), ("passive", .server)])
  func aNewOfferMustNotTurnTheRolesRound(offered: String, kept: NegotiatedSession.DTLSRole) {
    let text = SDPText.replacing("a=setup", with: "a=setup:" + offered, in: Self.offer)
    let error = #expect(throws: NegotiationError.self) { try SDPText.answer(text, keeping: kept) }
    #expect(error == .setupConflict(.turnsRunningHandshakeRound))
  }

  @Test func aMissingLineLetsUsWait() throws {
    #expect(try SDPText.answer(SDPText.without("a=setup", in: Self.offer)).session.dtlsRole == .server)
  }

  @Test func anICERestartChangesTheCredentialsAndNothingElse() throws {
    let first = try SDPText.answer(Self.offer).session
    let restart = SDPText.replacing(
      "a=ice-pwd", with: "a=ice-pwd:abcdefghijklmnopqrstuvwx",
      in: SDPText.replacing("a=ice-ufrag", with: "a=ice-ufrag:newF", in: Self.offer))
    var second = try SDPText.answer(restart, keeping: first.dtlsRole).session
    #expect(second.remoteCredentials.usernameFragment == "newF")
    second.remoteCredentials = first.remoteCredentials
    #expect(second == first)
  }
}
