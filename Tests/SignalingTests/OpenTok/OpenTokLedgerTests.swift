import Music
import Testing

@testable import Signaling

/// Connections and streams as the events of a room make them.
@Suite struct OpenTokLedgerTests {
  private static let start = WallTime(milliseconds: 1_790_000_000_000)
  private let ada = Participant(id: ParticipantID(ULID(high: 1 << 20, low: 1)), name: DisplayName("Ada") ?? .someone)
  private let bob = Participant(id: ParticipantID(ULID(high: 1 << 20, low: 2)), name: DisplayName("Bob") ?? .someone)

  private func member(
    _ participant: Participant, isPublishing: Bool = false, isConnected: Bool = true, isMuted: Bool = false,
    sound: SoundState = .on, door: Authorisation.Door = .opentok
  ) -> RoomSnapshot.Member {
    RoomSnapshot.Member(
      participant: participant, role: .musician, hasPublication: isPublishing, isPublishing: isPublishing,
      isConnected: isConnected, consents: true, isMuted: isMuted, sound: sound, door: door)
  }

  private func ledger() throws -> OpenTokLedger {
    OpenTokLedger(try OpenTokBodiesTests.session(), at: OpenTokLedgerTests.start)
  }

  private func later(_ seconds: Int) -> WallTime { OpenTokLedgerTests.start + .seconds(seconds) }

  @Test func comingPlayingAndLeavingAreEventsInThisOrder() throws {
    var ledger = try ledger()
    #expect(ledger.isIdle)
    let came = ledger.handle(.joined(member(ada)), at: later(1))
    let connection = try #require(ledger.state.connections.first)
    #expect(came == [.sessionCreated, .connectionCreated(connection)])
    #expect(connection.data == "Ada" && connection.createdAt == later(1))
    let played = ledger.handle(.published(ada.id), at: later(2))
    let stream = try #require(ledger.state.streams.first)
    #expect(played == [.streamCreated(stream)])
    #expect(stream.name == "Ada" && stream.hasAudio && !stream.hasVideo && stream.connection == connection.id)
    #expect(ledger.handle(.joined(member(bob)), at: later(3)).count == 1)
    let left = ledger.handle(.left(ada.id), at: later(4))
    let expected: [OpenTokEvent] = [
      .streamDestroyed(stream, .clientDisconnected), .connectionDestroyed(connection, .clientDisconnected),
    ]
    #expect(left == expected)
    let last = ledger.handle(.left(bob.id), at: later(5))
    #expect(last.last == .sessionDestroyed && ledger.isIdle)
  }

  @Test func whatIsToldTwiceHappensOnce() throws {
    var ledger = try ledger()
    _ = ledger.handle(.joined(member(ada)), at: later(1))
    #expect(ledger.handle(.joined(member(ada)), at: later(2)) == [])
    _ = ledger.handle(.published(ada.id), at: later(3))
    #expect(ledger.handle(.published(ada.id), at: later(4)) == [])
    let snapshot = [member(ada, isPublishing: true), member(bob)]
    #expect(ledger.adopt(snapshot, at: later(5)).count == 1)
    #expect(ledger.adopt(snapshot, at: later(6)) == [])
    #expect(ledger.handle(.unpublished(bob.id), at: later(7)) == [])
    // Somebody who was seen by nobody.
    let stranger = ParticipantID(ULID(high: 1 << 20, low: 9))
    #expect(ledger.handle(.left(stranger), at: later(8)) == [])
    #expect(ledger.handle(.published(stranger), at: later(8)) == [])
  }

  @Test func aSnapshotEndsWhatWasMissed() throws {
    var ledger = try ledger()
    _ = ledger.adopt([member(ada, isPublishing: true), member(bob, isPublishing: true)], at: later(1))
    let events = ledger.adopt([member(bob)], at: later(2))
    #expect(events.count == 3 && ledger.state.streams.isEmpty)
    #expect(ledger.state.connections.map(\.participant) == [bob.id])
  }

  @Test func whoComesBackIsAnotherConnectionWithAnotherStream() throws {
    var ledger = try ledger()
    var seen: Set<String> = []
    _ = ledger.handle(.joined(member(bob)), at: later(0))
    for time in 1...3 {
      _ = ledger.handle(.joined(member(ada)), at: later(time))
      _ = ledger.handle(.published(ada.id), at: later(time))
      seen.insert(try #require(ledger.state.connections.last).id.description)
      seen.insert(try #require(ledger.state.streams.first).id.description)
      _ = ledger.handle(.left(ada.id), at: later(time))
    }
    #expect(seen.count == 6)
  }

  @Test func theReasonOfAnEndIsTold() throws {
    var ledger = try ledger()
    for participant in [ada, bob] { _ = ledger.handle(.joined(member(participant)), at: later(1)) }
    _ = ledger.handle(.published(ada.id), at: later(1))
    _ = ledger.handle(.published(bob.id), at: later(1))
    let stream = try #require(ledger.state.streams.first)
    ledger.note(.forceUnpublished, endingStreamOf: ada.id)
    #expect(ledger.handle(.unpublished(ada.id), at: later(2)) == [.streamDestroyed(stream, .forceUnpublished)])
    ledger.note(.forceDisconnected, ending: ada.id)
    let kicked = ledger.handle(.left(ada.id), at: later(3))
    guard case .connectionDestroyed(_, .forceDisconnected) = kicked.last else {
      Issue.record("\(kicked)")
      return
    }
    // A link that is lost, and then the seat.
    _ = ledger.handle(.changed(member(bob, isPublishing: true, isConnected: false)), at: later(4))
    #expect(ledger.state.connections.first?.isConnected == false)
    let lost = ledger.handle(.left(bob.id), at: later(5))
    guard case .streamDestroyed(_, .networkDisconnected) = lost.first else {
      Issue.record("\(lost)")
      return
    }
  }

  @Test func muteIsWithoutAudioWhoeverDidIt() throws {
    var ledger = try ledger()
    _ = ledger.adopt([member(ada, isPublishing: true)], at: later(1))
    func hasAudio(_ member: RoomSnapshot.Member) -> Bool? {
      _ = ledger.handle(.changed(member), at: later(2))
      return ledger.state.streams.first?.hasAudio
    }
    #expect(hasAudio(member(ada, isPublishing: true, isMuted: true)) == false)
    #expect(hasAudio(member(ada, isPublishing: true)) == true)
    #expect(hasAudio(member(ada, isPublishing: true, sound: .muted)) == false)
    #expect(hasAudio(member(ada, isPublishing: true, sound: .talkback)) == true)
    let description = OpenTokLedger.StreamDescription(name: "cam", hasAudio: false, hasVideo: true)
    let events = ledger.describe(description, of: ada.id)
    let stream = try #require(ledger.state.streams.first)
    #expect(events.count == 1 && stream.name == "cam" && stream.hasVideo && !stream.hasAudio)
  }

  @Test func aClientOfTheWireBringsItsData() throws {
    var ledger = try ledger()
    let arrival = OpenTokLedger.Arrival(data: "name=ada", layoutClasses: ["focus"])
    try ledger.expect(ada.name, arrival, at: later(0))
    #expect(!ledger.isIdle && ledger.isEmpty && !ledger.waitsInVain(at: later(59)) && ledger.waitsInVain(at: later(61)))
    _ = ledger.handle(.joined(member(ada)), at: later(1))
    _ = ledger.handle(.published(ada.id), at: later(2))
    #expect(ledger.state.connections.first?.data == "name=ada")
    let stream = try #require(ledger.state.streams.first)
    #expect(stream.layoutClasses == ["focus"])
    #expect(try ledger.classify([stream.id: ["small"]]).count == 1)
    #expect(ledger.state.streams.first?.layoutClasses == ["small"])
    let other = OpenTokStreamID(of: bob.id)
    #expect(throws: OpenTokRefusal.self) { try ledger.classify([other: [], stream.id: ["x"]]) }
    #expect(ledger.state.streams.first?.layoutClasses == ["small"])
  }

  /// Its member is no connection, and its stream is one of its owner's.
  @Test func aFurtherStreamIsOneOfItsOwnersConnection() throws {
    var ledger = try ledger()
    _ = ledger.adopt([member(ada, isPublishing: true)], at: later(1))
    let connection = try #require(ledger.state.connections.first)
    let id = try #require(OpenTokStreamID("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"))
    let further = OpenTokLedger.Further(of: ada.id, OpenTokLedger.StreamDescription(id: id, name: "bass"))
    try ledger.expect(bob.name, OpenTokLedger.Arrival(data: "name=ada", further: further), at: later(1))
    #expect(ledger.handle(.joined(member(bob)), at: later(2)).isEmpty)
    _ = ledger.handle(.published(bob.id), at: later(3))
    #expect(ledger.state.connections == [connection])
    let stream = try #require(ledger.state.streams.last)
    #expect(stream.id == id && stream.name == "bass" && stream.connection == connection.id)
    #expect(stream.participant == bob.id)
    // A client that is sent away ends with all streams, and the session with the last member.
    ledger.note(.forceDisconnected, ending: ada.id)
    var ended = ledger.handle(.left(ada.id), at: later(4))
    for case .streamDestroyed(_, let reason) in ended { #expect(reason == .forceDisconnected) }
    #expect(ended.count == 3 && ended.last == .connectionDestroyed(connection, .forceDisconnected))
    ended = ledger.handle(.left(bob.id), at: later(5))
    #expect(ended == [.sessionDestroyed] && ledger.state.streams.isEmpty)
  }

  @Test func somebodyOfTheSameNameByAnotherDoorGetsNothingOfTheClient() throws {
    var ledger = try ledger()
    let id = try #require(OpenTokConnectionID("11111111-2222-4333-8444-555555555555"))
    try ledger.expect(ada.name, OpenTokLedger.Arrival(id: id, data: "secret=1"), at: later(0))
    let stranger = Participant(id: bob.id, name: ada.name)
    for door in Authorisation.Door.allCases where door != .opentok {
      _ = ledger.handle(.joined(member(stranger, door: door)), at: later(1))
      let connection = try #require(ledger.state.connections.first)
      #expect(connection.id != id && connection.data == "Ada", "\(door)")
      _ = ledger.handle(.left(stranger.id), at: later(1))
    }
    // The client itself still does.
    _ = ledger.handle(.joined(member(ada)), at: later(2))
    #expect(ledger.state.connections.map(\.id) == [id])
  }

  @Test func aConnectionsIDIsOneClients() throws {
    var ledger = try ledger()
    let id = try #require(OpenTokConnectionID("11111111-2222-4333-8444-555555555555"))
    let arrival = OpenTokLedger.Arrival(id: id, data: "")
    try ledger.expect(ada.name, arrival, at: later(0))
    #expect(throws: OpenTokRefusal.self) { try ledger.expect(bob.name, arrival, at: later(0)) }
    _ = ledger.handle(.joined(member(ada)), at: later(1))
    #expect(throws: OpenTokRefusal.self) { try ledger.expect(bob.name, arrival, at: later(1)) }
    _ = ledger.handle(.joined(member(bob)), at: later(2))
    let ids: [OpenTokConnectionID] = ledger.state.connections.map(\.id)
    #expect(ids == [id, OpenTokConnectionID(of: bob.id)])
    _ = ledger.handle(.left(ada.id), at: later(3))
    try ledger.expect(ada.name, arrival, at: later(3))
  }

  @Test func twoStreamsNeverHaveOneID() throws {
    var ledger = try ledger()
    let id = try #require(OpenTokStreamID("aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee"))
    for person in [ada, bob] {
      _ = ledger.handle(.joined(member(person)), at: later(1))
      _ = ledger.describe(OpenTokLedger.StreamDescription(id: id, name: "one"), of: person.id)
    }
    for person in [ada, bob] { _ = ledger.handle(.published(person.id), at: later(2)) }
    #expect(ledger.state.streams.map(\.id) == [id, OpenTokStreamID(of: bob.id)])
    _ = ledger.handle(.unpublished(bob.id), at: later(3))
    #expect(ledger.state.streams.map(\.id) == [id])
  }
}

extension DisplayName {
  fileprivate static var someone: DisplayName { DisplayName("someone")! }
}
