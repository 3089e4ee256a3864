import Music
import Rooms
import Signaling
import Testing

@testable import Server

extension TestService {
  /// A listener comes to `room`, hears twenty packets of the musician that are no silence, and leaves.
  func expectMusic(of musician: ParticipantID, in room: RoomName) async throws {
    let listener = JoinRequest(name: try DisplayName(checking: "Listener"), role: .listener)
    let guest = try await broker.enter(room, listener)
    let tap = try await guest.openTap(to: .participant(musician))
    var loud = 0
    for await packet in tap.packets where packet.opus.count > 60 {
      loud += 1
      if loud == 20 { break }
    }
    #expect(loud == 20)
    await guest.leave()
  }
}
