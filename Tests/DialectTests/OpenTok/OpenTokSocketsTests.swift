import Signaling
import Testing

@testable import Server

@Suite struct OpenTokSocketsTests {
  private static let text = "11111111-2222-4333-8444-555555555555"

  @Test func aNameThatIsTakenStaysItsHolders() throws {
    let sockets = OpenTokSockets()
    let name = try #require(OpenTokSockets.Name(OpenTokSocketsTests.text))
    sockets.settle(name, session: "one")
    sockets.settle(name, session: "two")
    #expect(sockets.session(name) == "one")
    sockets.leave(name, session: "two")
    #expect(sockets.session(name) == "one")
    sockets.leave(name, session: "one")
    #expect(sockets.session(name) == nil)
  }

  @Test(arguments: ["", "1", "1111111-2222-4333-8444", String(repeating: "a", count: 129)])
  func whatCanBeGuessedIsNoName(text: String) {
    #expect(OpenTokSockets.Name(text) == nil)
  }
}
