import Machines
import Testing

@testable import Server

@Suite struct SecretTests {
  @Test func showsNothingOfItselfHoweverItIsPrinted() {
    let secret = Secret("open sesame")
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(describing: secret), String(reflecting: secret), dumped, "\([secret])"] {
      #expect(!text.contains("sesame"))
    }
    #expect(secret.reveal() == "open sesame")
  }

  @Test func keysShowNothingOfThemselves() throws {
    let keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    var dumped = ""
    dump(keys, to: &dumped)
    #expect(!dumped.contains(TestService.key) && !dumped.contains(TestService.secret))
    #expect(!"\(keys)".contains(TestService.key))
  }

  @Test(arguments: [("same", "same", true), ("same", "sama", false), ("same", "samesame", false), ("", "", true)])
  func comparesLikeEquality(left: String, right: String, isEqual: Bool) {
    #expect(ConstantTime.equal(left, right) == isEqual)
    #expect(ConstantTime.equal(right, left) == isEqual)
  }

  @Test func refusesKeysThatAreNone() {
    #expect(throws: ConfigurationProblem.self) { try Keys(joinSecret: "short", apiKeys: []) }
    #expect(throws: ConfigurationProblem.self) { try Keys(joinSecret: nil, apiKeys: ["short"]) }
    #expect(throws: ConfigurationProblem.self) { try Keys(joinSecret: nil, apiKeys: ["with a blank in the middle"]) }
    #expect(throws: ConfigurationProblem.self) { try Keys(joinSecret: nil, apiKeys: []) }
  }
}
