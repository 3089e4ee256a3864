import Machines
import Realtime
import Testing

/// Credentials that a TURN server with the same secret accepts.
@Suite struct RelaySecretTests {
  /// By `printf 1767268800:ada | openssl dgst -sha1 -hmac north -binary | base64`.
  @Test func isTheVectorOfAnotherImplementation() {
    let now: Int64 = 1_767_268_800 - 12 * 3_600
    let credentials = RelaySecret(Secret("north")).credentials(for: "ada", at: now)
    #expect(credentials == .init(username: "1767268800:ada", password: "4IRJIDY2pdh1PDuZ0Hw06SFECo0="))
  }

  @Test func everyParticipantAndEveryMomentHasItsOwn() {
    let secret = RelaySecret(Secret("north"))
    let ada = secret.credentials(for: "ada", at: 1_000)
    #expect(secret.credentials(for: "ada", at: 1_000) == ada)
    #expect(secret.credentials(for: "ada", at: 1_001).password != ada.password)
    #expect(secret.credentials(for: "bob", at: 1_000).password != ada.password)
    #expect(RelaySecret(Secret("south")).credentials(for: "ada", at: 1_000).password != ada.password)
  }

  @Test func theEndOfTimeIsNoTrap() {
    #expect(RelaySecret(Secret("north")).credentials(for: "ada", at: .max).username == "9223372036854775807:ada")
  }

  @Test func theSecretIsInNoLog() {
    #expect(!"\(RelaySecret(Secret("north")))".contains("north"))
  }
}
