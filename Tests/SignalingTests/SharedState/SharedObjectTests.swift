import Testing

@testable import Signaling

/// The table of what each step means for its writer and for the others, row by row.
@Suite struct SharedObjectTests {
  private static let ada = SharedWriter.member("name:Ada")

  private func object(_ slots: [(String, SharedValue)] = [("tempo", .number(120))]) throws -> SharedObject {
    var object = SharedObject(name: try SharedObjectName(checking: "score"), isPersistent: false, creator: "name:Ada")
    for (key, value) in slots { object.store(value, at: key) }
    return object
  }

  @Test func aNewObjectHasVersionOneAndEveryUseCounts() throws {
    var object = try object()
    #expect(object.version == 1)
    object.join()
    #expect(object.version == 2)
  }

  @Test func aChangedValueIsConfirmedWithItAndToldToTheOthers() throws {
    var object = try object()
    let update = try object.apply(
      [.set("tempo", .number(96)), .set("key", .string("Dm"))], by: SharedObjectTests.ada)
    #expect(update.toWriter == [.confirmed("tempo", .number(96)), .confirmed("key", .string("Dm"))])
    #expect(update.toOthers == [.changed("tempo", .number(96)), .changed("key", .string("Dm"))])
    #expect(update.stored == [.set("tempo", .number(96)), .set("key", .string("Dm"))])
    // One message, one version.
    #expect(object.version == 2 && object.slots.map(\.key) == ["tempo", "key"])
  }

  @Test func theSameValueIsConfirmedAndTheOthersHearNothing() throws {
    var object = try object()
    let update = try object.apply([.set("tempo", .number(120))], by: SharedObjectTests.ada)
    #expect(update.toWriter == [.confirmed("tempo", .number(120))])
    #expect(update.toOthers == [] && update.stored == [])
    #expect(object.version == 2)
  }

  @Test(arguments: [SharedChange.set("tempo", .null), .remove("tempo")])
  func aSlotThatIsTakenAwayIsRemovedForAll(change: SharedChange) throws {
    var object = try object()
    let update = try object.apply([change], by: SharedObjectTests.ada)
    #expect(update.toWriter == [.removed("tempo")] && update.toOthers == [.removed("tempo")])
    #expect(object.isEmpty && object.size == 0 && object.version == 2)
  }

  @Test(arguments: [SharedChange.set("none", .null), .remove("none")])
  func aSlotThatIsNotThereIsRemovedForTheWriterAlone(change: SharedChange) throws {
    var object = try object()
    let update = try object.apply([change], by: SharedObjectTests.ada)
    #expect(update.toWriter == [.removed("none")] && update.toOthers == [] && update.stored == [])
    #expect(object.version == 2)
  }

  @Test func aClearIsToldToAll() throws {
    var object = try object([("a", .bool(true)), ("b", .null), ("c", .string("x"))])
    let update = try object.apply([.clear], by: SharedObjectTests.ada)
    #expect(update.toWriter == [.cleared] && update.toOthers == [.cleared] && update.stored == [.clear])
    #expect(object.isEmpty && object.size == 0)
  }

  @Test func aCallGoesToTheSenderTooAndKeepsNothing() throws {
    var object = try object()
    let call = SharedChange.send(handler: "onBeat", [.number(1), .array([.null])])
    let update = try object.apply([call], by: SharedObjectTests.ada)
    #expect(update.toWriter == [.sent(handler: "onBeat", [.number(1), .array([.null])])])
    #expect(update.toOthers == update.toWriter && update.stored == [])
    #expect(object.version == 2)
  }

  @Test func aMessageWithoutStepsIsNoChange() throws {
    var object = try object()
    #expect(try object.apply([], by: SharedObjectTests.ada) == SharedObjectUpdate())
    #expect(object.version == 1)
  }

  @Test func theServiceIsTheWriterOfNobody() throws {
    var object = try object()
    let update = try object.apply([.set("tempo", .number(60)), .remove("tempo"), .clear], by: .service)
    #expect(update.toOthers == [.changed("tempo", .number(60)), .removed("tempo"), .cleared])
  }

  // MARK: Refused steps

  @Test func whoMayNotRemoveIsToldWhatIsTrueAndOtherStepsAreDone() throws {
    var object = try object([("a", .number(1)), ("b", .number(2))])
    let update = try object.apply(
      [.remove("a"), .set("a", .null), .clear, .set("b", .number(3)), .remove("none")], by: SharedObjectTests.ada,
      mayDelete: false)
    let refusal = try #require(update.denials.first?.refusal)
    #expect(refusal.code == .forbidden)
    #expect(update.denials.map(\.key) == ["a", "a", nil])
    #expect(
      update.toWriter == [
        .denied("a", refusal), .changed("a", .number(1)), .denied("a", refusal), .changed("a", .number(1)),
        .denied(nil, refusal), .changed("a", .number(1)), .changed("b", .number(2)), .confirmed("b", .number(3)),
        .removed("none"),
      ])
    #expect(update.toOthers == [.changed("b", .number(3))])
    #expect(object.version == 2)
  }

  @Test func aMessageThatIsRefusedAltogetherCountsNoVersion() throws {
    var object = try object()
    _ = try object.apply([.clear], by: SharedObjectTests.ada, mayDelete: false)
    #expect(object.version == 1 && object["tempo"] == .number(120))
  }

  @Test func whatTheRoomWritesNobodyElseDoes() throws {
    var object = SharedObject(name: .roster, isPersistent: false, isReadOnly: true)
    for writer in [SharedObjectTests.ada, .service] {
      let update = try object.apply([.set("x", .null), .set("x", .bool(true)), .send(handler: "h", [])], by: writer)
      #expect(update.denials.map(\.refusal.code) == [.forbidden, .forbidden, .forbidden])
      #expect(update.toOthers == [] && object.isEmpty && object.version == 1)
      #expect(update.toWriter.contains(.removed("x")))
    }
    #expect(try object.apply([.set("x", .bool(true))], by: .room).toOthers == [.changed("x", .bool(true))])
  }

  @Test func everyLimitIsRefusedBySentenceAndLeavesTheSlotAsItWas() throws {
    var object = try object([("full", .bytes(Array(repeating: 7, count: 100)))])
    let long = String(repeating: "k", count: 256)
    var deep = SharedValue.null
    for _ in 0..<32 { deep = .array([deep]) }
    let cases: [(SharedChange, RoomRefusal.Code)] = [
      (.set("", .bool(true)), .invalidName), (.set(long, .bool(true)), .invalidName),
      (.set("full", .string(String(repeating: "x", count: 256 << 10))), .tooLarge), (.set("full", deep), .tooLarge),
      (.set("full", .array(Array(repeating: .null, count: 10_000))), .tooLarge),
      (.send(handler: "", []), .invalidName), (.send(handler: "a\u{7}", []), .invalidName),
      (.send(handler: "h", [.bytes(Array(repeating: 0, count: 256 << 10))]), .tooLarge),
    ]
    for (change, code) in cases {
      let update = try object.apply([change], by: SharedObjectTests.ada)
      #expect(update.denials.map(\.refusal.code) == [code], "\(change)")
      #expect(update.toOthers == [])
    }
    #expect(object["full"] == .bytes(Array(repeating: 7, count: 100)) && object.version == 1)
  }

  @Test func slotsAndBytesOfAnObjectAreLimited() throws {
    var object = try object([])
    let names = (0..<1_001).map { "slot \($0)" }
    var update = try object.apply(names.prefix(1_000).map { .set($0, .bool(true)) }, by: SharedObjectTests.ada)
    #expect(update.denials.isEmpty && object.count == 1_000)
    update = try object.apply(
      [.set(names[1_000], .bool(true)), .set(names[3], .bool(false))], by: SharedObjectTests.ada)
    #expect(update.denials.map(\.key) == [names[1_000]] && object.count == 1_000)
    #expect(throws: RoomRefusal.self) {
      try object.apply(names.map { .set($0, .null) }, by: SharedObjectTests.ada)
    }
    _ = try object.apply([.clear], by: SharedObjectTests.ada)

    let large = SharedValue.bytes(Array(repeating: 1, count: 200 << 10))
    update = try object.apply((0..<11).map { .set("\($0)", large) }, by: SharedObjectTests.ada)
    #expect(update.denials.map(\.key) == ["10"] && update.denials.first?.refusal.code == .tooLarge)
    // A smaller value in the place of a larger one always fits.
    #expect(try object.apply([.set("3", .null), .set("10", large)], by: SharedObjectTests.ada).denials.isEmpty)
    #expect(object.size == object.slots.reduce(0) { $0 + SharedObject.size($1.key, $1.value) })
  }
}
