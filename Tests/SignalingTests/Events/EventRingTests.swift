import Music
import Signaling
import Testing

@Suite struct EventRingTests {
  private func ring(_ count: Int, capacity: Int = 8) -> EventRing {
    var ring = EventRing(epoch: "E", capacity: capacity)
    for number in 0..<count { ring.append(event(number)) }
    return ring
  }

  private func event(_ number: Int) -> ServiceEvent {
    ServiceEvent(
      .takeCue, room: nil, at: WallTime(milliseconds: Int64(number)), .members(["n": .integer(Int64(number))]))
  }

  @Test func givesOutEverythingInOrderAndThenNothing() {
    let ring = ring(5)
    let first = ring.read(after: 0, limit: 3)
    #expect(first.events.map(\.id.number) == [1, 2, 3] && !first.isBroken)
    let second = ring.read(after: first.place, limit: 3)
    #expect(second.events.map(\.id.number) == [4, 5])
    #expect(ring.read(after: second.place, limit: 3).events.isEmpty)
  }

  @Test func tellsAReaderWhoseEventsWereOverwritten() {
    let ring = ring(20)
    let reading = ring.read(after: 3, limit: 100)
    #expect(reading.isBroken)
    #expect(reading.events.map(\.id.number) == Array(13...20))
    #expect(!ring.read(after: 12, limit: 100).isBroken)
  }

  @Test func keepsNoMoreThanItsCapacityHoweverMuchHappens() {
    let ring = ring(100_000, capacity: 64)
    #expect(ring.read(after: 0, limit: .max / 2).events.count == 64)
    #expect(ring.last == 100_000)
  }

  @Test func findsThePlaceOfAnIdentifierOrSaysWhyNot() throws {
    let ring = ring(20)
    #expect(try ring.place(of: "E-15").get() == 15)
    #expect(try ring.place(of: "E-12").get() == 12)
    #expect(try ring.place(of: "E-20").get() == 20)
    func loss(_ text: String) -> EventRing.Loss? {
      if case .failure(let error) = ring.place(of: text) { error.loss } else { nil }
    }
    #expect(loss("E-11") == .tooOld)
    #expect(loss("F-15") == .restarted)
    #expect(loss("E-21") == .unknown)
    for text in ["", "E", "E-", "-7", "E--7", "E-7 ", "E-+7", "E-99999999999999999999", "é-7", "E-0x7"] {
      #expect(loss(text) != nil, "\(text)")
    }
  }

  @Test func anEmptyRingHasAPlaceToBeginAt() throws {
    let ring = ring(0)
    #expect(ring.position.description == "E-0")
    #expect(try ring.place(of: "E-0").get() == 0)
    #expect(ring.read(after: 0, limit: 1).events.isEmpty)
  }

  @Test func aPlaceSaysWhichEditWasTheLast() {
    var ring = EventRing(epoch: "E", capacity: 8)
    ring.begin(atEdit: 40)
    #expect(ring.position.description == "E-0-40")
    ring.append(event(1))
    ring.append(event(2), edit: 41)
    ring.append(event(3))
    #expect((0...3).map { ring.id(of: $0).description } == ["E-0-40", "E-1-40", "E-2-41", "E-3-41"])
    #expect(ring.read(after: 0, limit: 8).events.map(\.edit) == [nil, 41, nil])
    for number in 4...20 { ring.append(event(number)) }
    #expect(ring.id(of: 3).edit == nil && ring.id(of: 13).edit == 41)
  }

  @Test func aFilterNamesKindsAndGroups() throws {
    #expect(try EventFilter.kinds("take.cue, session") == [.takeCue, .sessionStarted, .sessionEnded])
    #expect(try EventFilter.kinds("export.*").allSatisfy { $0.group == "export" })
    #expect(try EventFilter.kinds("warning") == [.warning])
    for text in ["", "take,", "takes", "take.", "Take", "take.cue.*"] {
      #expect(throws: EventFilter.UnknownWord.self) { try EventFilter.kinds(text) }
    }
    let cellar = try RoomName(checking: "Cellar")
    let filter = EventFilter(room: cellar, kinds: [.takeCue])
    #expect(!filter.admits(event(1)))
    #expect(filter.admits(ServiceEvent(.takeCue, room: cellar, at: WallTime(milliseconds: 0), .members([:]))))
    #expect(!filter.admits(ServiceEvent(.warning, room: cellar, at: WallTime(milliseconds: 0), .members([:]))))
  }

  @Test func aTextWithLineEndsStaysInOneLineOfTheStream() {
    let text = EventStreamText.event(
      "warning", id: EventID(epoch: "E", number: 7), data: ["text": "a\nid: 9\r\ndata: b\u{2028}c"])
    #expect(text.hasPrefix("id: E-7\nevent: warning\ndata: {"))
    #expect(text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).count <= 6)
    #expect(text.utf8.filter { $0 == 0x0A || $0 == 0x0D }.count == 4)
    #expect(text.hasSuffix("}\n\n"))
  }
}
