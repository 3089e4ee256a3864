import Machines
import Music
import Signaling
import Testing

@testable import Rooms

/// Every dialect's texts pass the room, so the room is where they are checked.
@Suite(.serialized, .timeLimit(.minutes(2))) struct TextsInARoomTests {
  private static let odd = [
    "", "a\0b", "a\nb", "a\tb", "a\u{1B}[31mb", "a\u{202E}b", "a" + String(repeating: "\u{301}", count: 50_000),
    String(repeating: "x", count: 2_001),
  ]

  private func refusal(_ member: Membership, _ command: RoomCommand) async -> RoomRefusal? {
    do throws(RoomRefusal) {
      _ = try await member.perform(command)
      return nil
    } catch {
      return error
    }
  }

  @Test func aClientOfKurentoMayWriteMore() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let bob = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "bob"), door: .kurento))
    let long = "{\n" + String(repeating: "x", count: 65_533) + "}"
    #expect(await refusal(bob, .message(long, to: nil)) == nil)
    #expect(await refusal(ada, .message(long, to: nil))?.code == .invalidText)
    #expect(await refusal(bob, .message(long + "x", to: nil))?.code == .invalidText)
    for await event in ada.events {
      guard case .message(_, let text, _) = event else { continue }
      #expect(text == long)
      break
    }
    await ada.leave()
    await bob.leave()
    await service.end()
  }

  @Test func cuesMessagesAndTitlesAreTextsOfPeople() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio").membership
    for text in TextsInARoomTests.odd {
      for command in [RoomCommand.message(text, to: nil), .message(text, to: ada.participant), .startTake(song: text)] {
        let refused = await refusal(ada, command)
        #expect(refused?.code == .invalidText && (refused?.description.utf8.count ?? 0) < 1_000, "\(text.utf8.count)")
      }
    }
    _ = try await ada.perform(.startTake(song: "Blå 🎸"))
    for text in TextsInARoomTests.odd {
      for command in [RoomCommand.cue(text), .splitTake(song: text)] {
        #expect(await refusal(ada, command)?.code == .invalidText, "\(text.utf8.count) bytes")
      }
    }
    // Nothing of it has happened.
    let take = try #require(await service.broker.snapshot(of: try RoomName(checking: "studio"))?.take)
    #expect(take.number == 1 && take.song?.title == "Blå 🎸")
    for text in ["da capo 𝄋", "می\u{200C}خواهم", "שיר"] {
      #expect(await refusal(ada, .cue(text)) == nil)
      #expect(await refusal(ada, .message(text, to: nil)) == nil)
    }
    await ada.leave()
    await service.end()
  }
}
