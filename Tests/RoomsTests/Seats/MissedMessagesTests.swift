import Music
import Recording
import Signaling
import Testing

@testable import Rooms

@Suite struct MissedMessagesTests {
  private let author: Participant

  init() throws {
    author = Participant(id: ParticipantID(at: MonotonicClock.wall), name: try DisplayName(checking: "bob"))
  }

  private func message(_ text: String) -> RoomEvent { .missed(from: author, text: text, isPrivate: false) }

  @Test func theOldestMissedMessagesGoFirst() {
    var missed = MissedMessages()
    for number in 0..<100 { missed.add(message("\(number)")) }
    let kept = missed.take()
    #expect(kept.count == MissedMessages.maximumCount && kept.first == message("36"))
    #expect(missed.take().isEmpty)
    let long = message(String(repeating: "x", count: 65_536))
    for _ in 0..<10 { missed.add(long) }
    #expect(missed.take().count == 4)
  }

  @Test func onlyMessagesWithWantedNumbersAreTaken() {
    var missed = MissedMessages()
    missed.add(.left(author.id), number: 2)
    for number in 1...5 { missed.add(message("\(number)"), number: UInt64(number)) }
    let parting = SessionParting(isLeaving: false, unread: [2], heard: 3)
    #expect(missed.take(where: parting.isUnread) == ["2", "4", "5"].map(message))
    #expect(missed.take().isEmpty, "the others are forgotten")
  }
}
