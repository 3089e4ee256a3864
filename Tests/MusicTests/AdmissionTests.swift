import Testing

@testable import Music

@Suite struct AdmissionTests {
  private func occupant(
    _ name: String, _ role: Role = .musician, isPresent: Bool = true, identity: String? = nil
  ) throws -> Admission.Occupant {
    Admission.Occupant(
      participant: Participant(id: ParticipantID(at: WallTime(milliseconds: 1)), name: try DisplayName(checking: name)),
      role: role, isPresent: isPresent, identity: identity)
  }

  private func request(
    _ name: String, _ role: Role = .musician, proves: Bool = false, identity: String? = nil
  ) throws -> Admission.Request {
    Admission.Request(name: try DisplayName(checking: name), role: role, provesResume: proves, identity: identity)
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

  @Test func whoeverIsPresentKeepsTheirName() throws {
    let ada = try occupant("ada")
    #expect(
      Admission.decide(try request("ada"), among: [ada], capacity: 3) == .refuse(.nameTaken(ada.participant.name)))
  }

  @Test func anAbsentMusiciansSeatIsTakenOverByTheName() throws {
    let ada = try occupant("ada", isPresent: false)
    #expect(Admission.decide(try request("ada"), among: [ada], capacity: 3) == .takeOver(ada.participant.id))
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
      Admission.decide(try request("ada"), among: [ada], capacity: 3) == .refuse(.nameTaken(ada.participant.name)))
    let other = try request("ada", identity: "eve@example")
    #expect(Admission.decide(other, among: [ada], capacity: 3) == .refuse(.nameTaken(ada.participant.name)))
    let same = try request("ada", identity: "ada@example")
    #expect(Admission.decide(same, among: [ada], capacity: 3) == .takeOver(ada.participant.id))
  }

  @Test func aListenersTokenOfTheSameNameTakesNoMusiciansSeat() throws {
    let room = [try occupant("ada", isPresent: false, identity: "name:ada")]
    var guest = try request("ada", .listener, proves: true, identity: "name:ada")
    #expect(Admission.decide(guest, among: room, capacity: 3) == .refuse(.nameTaken(guest.name)))
    guest.authority = .musician
    #expect(Admission.decide(guest, among: room, capacity: 3) == .takeOver(room[0].participant.id))
  }
}
