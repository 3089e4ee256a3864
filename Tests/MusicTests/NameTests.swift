import Testing

@testable import Music

@Suite struct NameTests {
  @Test(arguments: [
    "a", "Café", "room 12", "jam-session_1.2~", "部屋", "Anna's iPhone", "🎸", String(repeating: "x", count: 64),
  ])
  func ordinaryRoomNamesAreTaken(name: String) throws {
    #expect(try RoomName(checking: name).description == name)
  }

  @Test(arguments: [
    "", " a", "a ", ".hidden", "a/b", "..", "a\\b", "a\u{0}b", "a\nb", "a\u{202E}b", String(repeating: "x", count: 65),
    "a:b", "<script>",
  ])
  func roomNamesThatWouldHarmAreRefusedWithASentence(name: String) {
    do {
      _ = try RoomName(checking: name)
      Issue.record("\(name.debugDescription) was taken")
    } catch {
      #expect(error.description.hasPrefix("the room name"))
    }
  }

  @Test func displayNamesMayHoldAnythingThatCanBeSeen() throws {
    #expect(try DisplayName(checking: "../../x <b>").description == "../../x <b>")
    #expect(throws: NameError.self) { try DisplayName(checking: "a\u{7}") }
    #expect(throws: NameError.self) { try DisplayName(checking: String(repeating: "👨‍👩‍👧‍👦", count: 60)) }
  }
}
