import Testing

@testable import Music

@Suite struct AdmissionTests {
  private func occupant(
    _ name: String, _ role: Role = .musician, isPresent: Bool = true, identity: String? = nil,
    address: String? = nil, ghostFor: Double? = nil
  ) throws -> Admission.Occupant {
    Admission.Occupant(
      participant: Participant(id: ParticipantID(at: WallTime(milliseconds: 1)), name: try DisplayName(checking: name)),
      role: role, isPresent: isPresent, identity: identity, address: address, ghostFor: ghostFor)
  }

  private func request(
    _ name: String, _ role: Role = .musician, proves: Bool = false, identity: String? = nil,
    address: String? = nil
  ) throws -> Admission.Request {
    Admission.Request(
      name: try DisplayName(checking: name), role: role, provesResume: proves, identity: identity, address: address)
  }

  @Test func threeMusiciansEnterAndAFourthDoesNot() throws {
    var room: [Admission.Occupant] = []
    for name in ["ada", "bob", "cyd"] {
      #expect(Admission.decide(try request(name), among: room, capacity: 3) == .enter)
      room.append(try occupant(name))
    }
    #expect(Admission.decide(try request("dan"), among: room, capacity: 3) == .refuse(.roomFull(capacity: 3)))
  }

  @Test func listenersTakeNoSeat() throws {
    let room = try [occupant("ada"), occupant("bob"), occupant("x", .listener), occupant("y", .listener)]
    #expect(Admission.decide(try request("cyd"), among: room, capacity: 3) == .enter)
    let full = try room + [occupant("cyd")]
    #expect(Admission.decide(try request("z", .listener), among: full, capacity: 3) == .enter)
  }

  @Test func anAbsentMusicianStillHoldsTheirSeat() throws {
    let room = try [occupant("ada"), occupant("bob"), occupant("cyd", isPresent: false)]
    #expect(Admission.decide(try request("dan"), among: room, capacity: 3) == .refuse(.roomFull(capacity: 3)))
  }

  @Test func aFullRoomGivesAwayTheSeatOfTheLongestGone() throws {
    let (bob, cyd) = try (
      occupant("bob", isPresent: false, ghostFor: 0.5), occupant("cyd", isPresent: false, ghostFor: 2)
    )
    let room = try [occupant("ada"), bob, cyd, occupant("eve", .listener, isPresent: false, ghostFor: 9)]
    #expect(Admission.decide(try request("dan"), among: room, capacity: 3) == .giveAway(cyd.participant.id))
    #expect(Admission.decide(try request("dan"), among: room, capacity: 4) == .enter, "there is a seat left")
    #expect(Admission.decide(try request("dan", .listener), among: room, capacity: 3) == .enter)
    let name = cyd.participant.name
    #expect(
      Admission.decide(try request("cyd"), among: room, capacity: 3) == .refuse(.nameTaken(name, isPresent: false)),
      "the name is not given away with the seat")
  }

  @Test func aTokensNameTakesItsSeatOverHoweverItIsWritten() throws {
    let ada = try occupant("Ada", identity: "name:ada")
    func decide(_ name: String, _ identity: String?, _ role: Role = .musician) throws -> Admission.Decision {
      Admission.decide(try request(name, role, identity: identity), among: [ada], capacity: 3)
    }
    #expect(try decide("ADA", "name:ada") == .takeOver(ada.participant.id))
    #expect(try decide("ADA", nil) == .enter, "another one, of no token")
    // Who has a subject chooses the name freely, and may be in a room twice.
    let bob = try occupant("Bob", identity: "sub:7")
    #expect(Admission.decide(try request("Bo", identity: "sub:7"), among: [bob], capacity: 3) == .enter)
  }

  @Test func whoeverIsPresentKeepsTheirName() throws {
    let ada = try occupant("ada")
    #expect(
      Admission.decide(try request("ada"), among: [ada], capacity: 3)
        == .refuse(.nameTaken(ada.participant.name, isPresent: true)))
  }

  /// Everybody in the room can read the name, so it proves nothing.
  @Test func anAbsentMusiciansSeatIsNotTakenOverByTheNameAlone() throws {
    let taken = Admission.Decision.refuse(.nameTaken(try DisplayName(checking: "ada"), isPresent: false))
    let ada = try occupant("ada", isPresent: false, address: "192.0.2.1")
    #expect(Admission.decide(try request("ada"), among: [ada], capacity: 3) == taken)
    #expect(Admission.decide(try request("ada", address: "192.0.2.2"), among: [ada], capacity: 3) == taken)
    #expect(
      Admission.decide(try request("ada", identity: "sub:9", address: "192.0.2.1"), among: [ada], capacity: 3) == taken)
    let unknown = try occupant("ada", isPresent: false)
    #expect(Admission.decide(try request("ada"), among: [unknown], capacity: 3) == taken)
  }

  /// Clients of Kurento and RTMP know no secret.
  @Test func anAbsentMusiciansSeatIsTakenOverFromTheSameAddress() throws {
    let ada = try occupant("ada", isPresent: false, address: "192.0.2.1")
    let back = try request("ada", address: "192.0.2.1")
    #expect(Admission.decide(back, among: [ada], capacity: 3) == .takeOver(ada.participant.id))
    let present = try occupant("ada", address: "192.0.2.1")
    #expect(
      Admission.decide(back, among: [present], capacity: 3)
        == .refuse(.nameTaken(present.participant.name, isPresent: true)))
  }

  @Test func theSecretTakesALivingSeatOverEvenInAFullRoom() throws {
    let ada = try occupant("ada")
    let room = try [ada, occupant("bob"), occupant("cyd")]
    let decision = Admission.decide(try request("ada", proves: true), among: room, capacity: 3)
    #expect(decision == .takeOver(ada.participant.id))
  }

  @Test func aProvenIdentityIsNotInheritedByAStranger() throws {
    let ada = try occupant("ada", isPresent: false, identity: "ada@example")
    #expect(
      Admission.decide(try request("ada"), among: [ada], capacity: 3)
        == .refuse(.nameTaken(ada.participant.name, isPresent: false)))
    let other = try request("ada", identity: "eve@example")
    #expect(
      Admission.decide(other, among: [ada], capacity: 3) == .refuse(.nameTaken(ada.participant.name, isPresent: false)))
    let same = try request("ada", identity: "ada@example")
    #expect(Admission.decide(same, among: [ada], capacity: 3) == .takeOver(ada.participant.id))
  }

  @Test func aListenersTokenOfTheSameNameTakesNoMusiciansSeat() throws {
    let room = [try occupant("ada", isPresent: false, identity: "name:ada")]
    var guest = try request("ada", .listener, proves: true, identity: "name:ada")
    #expect(Admission.decide(guest, among: room, capacity: 3) == .refuse(.nameTaken(guest.name, isPresent: false)))
    guest.authority = .musician
    #expect(Admission.decide(guest, among: room, capacity: 3) == .takeOver(room[0].participant.id))
  }
}
