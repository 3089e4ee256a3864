import Music
import Signaling
import Testing

@testable import Server

/// Who may continue a token's session.
@Suite struct RemonPlacesTests {
  private func settled() -> RemonPlaces {
    let places = RemonPlaces()
    let (_, post) = AsyncStream.makeStream(of: RemonEvent.self)
    let pass = RemonPass(token: "t", serviceID: "band", proposal: "PROPOSED")
    places.bind(RemonPlaces.Place(session: "s", pass: pass, ident: "band", post: post, address: "192.0.2.1"))
    return places
  }

  @Test func aTokenThatOthersReadTakesNoSocketFromAnotherAddress() {
    let places = settled()
    #expect(places.standing(of: "t", from: "192.0.2.2") == .taken)
    #expect(places.standing(of: "t", from: nil) == .taken)
    #expect(places.standing(of: "t", from: "192.0.2.1") == .theirs(session: "s"))
    #expect(places.standing(of: "other", from: "192.0.2.2") == .free)
  }

  @Test func whoHasLeftTheRoomIsNotPresentInIt() throws {
    let places = settled()
    let room = try RoomName(checking: "take5")
    let participant = ParticipantID(at: WallTime(milliseconds: 0))
    places.settle("t", in: room, as: participant, .caster)
    #expect(places.present(in: room).map(\.participant) == [participant])
    places.unsettle("t")
    #expect(places.present(in: room).isEmpty)
    #expect(places.standing(of: "t", from: "192.0.2.1") == .theirs(session: "s"), "the socket is kept")
  }

  @Test func whoLostTheSocketComesBackFromAnywhere() {
    let places = settled()
    places.link("t", session: "another", isLinked: false, from: nil)
    #expect(places.standing(of: "t", from: "192.0.2.2") == .taken, "only the session itself says so")
    places.link("t", session: "s", isLinked: false, from: nil)
    #expect(places.standing(of: "t", from: "192.0.2.2") == .theirs(session: "s"))
    places.link("t", session: "s", isLinked: true, from: "192.0.2.2")
    #expect(places.standing(of: "t", from: "192.0.2.1") == .taken)
    places.leave("t", session: "s")
    #expect(places.standing(of: "t", from: "192.0.2.1") == .free)
  }
}
