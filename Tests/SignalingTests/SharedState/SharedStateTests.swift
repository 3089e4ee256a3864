import Music
import TestSupport
import Testing

@testable import Signaling

@Suite struct SharedStateTests {
  private let score = SharedObjectName(known: "score")
  private let ada = ParticipantID(ULID(high: 0, low: 1))
  private let bob = ParticipantID(ULID(high: 0, low: 2))

  private func use(
    _ state: inout SharedState, _ name: SharedObjectName, _ participant: ParticipantID, persistent: Bool? = nil,
    identity: String = "name:Ada"
  ) throws -> SharedStateStep {
    try state.use(name, isPersistent: persistent, by: participant, link: 1, identity: identity)
  }

  // MARK: Life

  @Test func whoeverBeginsToUseAnObjectIsSentAllOfIt() throws {
    var state = SharedState()
    var step = try use(&state, score, ada)
    #expect(step.receipt == SharedObjectReceipt(name: score, version: 2) && step.record == nil && step.toOthers == nil)
    #expect(step.toWriter?.content == .slots([]))
    _ = try state.change(score, [.set("b", .number(2)), .set("a", .number(1))], by: .member("x"), participant: ada)
    step = try use(&state, score, bob)
    #expect(step.toWriter?.content == .slots([.init("b", .number(2)), .init("a", .number(1))]))
    #expect(step.toWriter?.version == 4)
    // Once more: everything anew, and still one user.
    step = try use(&state, score, bob)
    #expect(step.toWriter?.version == 5 && state.userCount(of: score) == 2)
  }

  @Test func anObjectLivesWhileSomebodyUsesIt() throws {
    var state = SharedState()
    _ = try use(&state, score, ada)
    _ = try use(&state, score, bob)
    #expect(try state.release(score, by: ada) == nil)
    #expect(state[score] != nil)
    #expect(state.releaseAll(of: bob) == [])
    #expect(state[score] == nil)
    let refusal = #expect(throws: RoomRefusal.self) { try state.release(score, by: bob) }
    #expect(refusal?.code == .unknownObject)
    let change = #expect(throws: RoomRefusal.self) { try state.change(score, [.clear], by: .member("x")) }
    #expect(change?.code == .unknownObject)
  }

  @Test func aPersistentObjectSurvivesItsUsersUnlessItIsEmpty() throws {
    var state = SharedState()
    #expect(try use(&state, score, ada, persistent: true).record != nil)
    _ = try state.change(score, [.set("a", .number(1))], by: .member("x"), participant: ada)
    #expect(try state.release(score, by: ada) == nil)
    #expect(state[score]?.version == 3)
    #expect(try use(&state, score, ada).record == .change(score, version: 4, []))
    _ = try state.change(score, [.clear], by: .member("x"), participant: ada)
    #expect(state.releaseAll(of: ada) == [.removed(score)])
    #expect(state[score] == nil)
  }

  @Test func whatItsMakerSettledCannotBeAskedForOtherwise() throws {
    var state = SharedState()
    _ = try use(&state, score, ada, persistent: true)
    let refusal = #expect(throws: RoomRefusal.self) { try use(&state, score, bob, persistent: false) }
    #expect(refusal?.code == .objectPersistence)
    #expect(state.userCount(of: score) == 1 && state[score]?.version == 2)
    _ = try use(&state, score, bob)
  }

  @Test func aMemberWhoDoesNotUseItMayWriteAndHearsWhatBecameOfIt() throws {
    var state = SharedState()
    _ = try use(&state, score, ada)
    let step = try state.change(score, [.set("a", .number(1))], by: .member("name:Bob"), participant: bob)
    #expect(step.toWriter?.content == .outcomes([.confirmed("a", .number(1))]))
    #expect(step.toOthers?.content == .outcomes([.changed("a", .number(1))]))
    #expect(state.link(of: bob, to: score) == nil)
  }

  // MARK: Limits and policy

  @Test func objectsOfARoomAndOfAMemberAreLimited() throws {
    var state = SharedState()
    for number in 0..<256 {
      let participant = ParticipantID(ULID(high: 1, low: UInt64(number / 64)))
      _ = try use(&state, SharedObjectName(known: "\(number)"), participant)
    }
    let full = #expect(throws: RoomRefusal.self) { try use(&state, score, ada) }
    #expect(full?.code == .tooMany && full?.description.contains("256") == true)
    let member = ParticipantID(ULID(high: 1, low: 0))
    let busy = #expect(throws: RoomRefusal.self) { try use(&state, SharedObjectName(known: "200"), member) }
    #expect(busy?.code == .tooMany && busy?.description.contains("64") == true)
    // One that they use already they may be sent again.
    _ = try use(&state, SharedObjectName(known: "0"), member)
    _ = try state.release(SharedObjectName(known: "0"), by: member)
    _ = try use(&state, score, member)
  }

  @Test func namesKeepTheirRules() {
    for name in ["", String(repeating: "x", count: 256), "a\u{0}", "line\nbreak", "\u{85}"] {
      let refusal = #expect(throws: RoomRefusal.self) { try SharedObjectName(checking: name) }
      #expect(refusal?.code == .invalidName)
    }
    for name in ["../../etc/passwd", "Übung 1", String(repeating: "x", count: 255)] {
      #expect(throws: Never.self) { try SharedObjectName(checking: name) }
    }
  }

  @Test func allPersistentObjectsOfARoomHaveOneQuota() throws {
    var state = SharedState()
    let large = SharedValue.bytes(Array(repeating: 1, count: 200 << 10))
    var denials: [RoomRefusal] = []
    for number in 0..<9 {
      let name = SharedObjectName(known: "\(number)")
      _ = try use(&state, name, ada, persistent: true)
      let step = try state.change(name, (0..<10).map { .set("\($0)", large) }, by: .member("x"), participant: ada)
      denials += step.receipt.denials.map(\.refusal)
    }
    #expect(state.objects.reduce(0) { $0 + $1.object.size } <= 16 << 20)
    #expect(!denials.isEmpty && denials.allSatisfy { $0.code == .tooLarge })
    // One that is not kept is none of that quota's business, but the room has one for all.
    for number in 0..<30 {
      let name = SharedObjectName(known: "temporary \(number)")
      _ = try use(&state, name, ada)
      let step = try state.change(name, (0..<10).map { .set("\($0)", large) }, by: .member("x"), participant: ada)
      if number < 20 { #expect(step.receipt.denials.isEmpty) }
    }
    let all = state.objects.reduce(0) { $0 + $1.object.size }
    #expect(all <= 64 << 20 && all > 60 << 20)
  }

  @Test func thePolicySaysWhoMayMakeAndRemove() throws {
    var closed = SharedState(policy: SharedObjectPolicy(creation: .nobody, deletion: .nobody))
    let refusal = #expect(throws: RoomRefusal.self) { try use(&closed, score, ada, persistent: true) }
    #expect(refusal?.code == .forbidden)
    // The service may, and so may the members what is left to them.
    _ = try closed.edit(score, .replace([.init("a", .number(1))], isPersistent: nil))
    _ = try use(&closed, score, ada, persistent: true)
    #expect(try closed.change(score, [.clear], by: .member("name:Ada"), participant: ada).receipt.denials.count == 1)
    _ = try closed.edit(score, .delete)
    #expect(closed[score]?.isEmpty == true)

    var own = SharedState(policy: SharedObjectPolicy(deletion: .creator))
    _ = try use(&own, score, ada, identity: "name:Ada")
    _ = try own.change(score, [.set("a", .number(1))], by: .member("name:Bob"), participant: bob)
    #expect(try own.change(score, [.remove("a")], by: .member("name:Bob"), participant: bob).receipt.denials.count == 1)
    #expect(try own.change(score, [.remove("a")], by: .member("name:Ada"), participant: ada).receipt.denials.isEmpty)
  }

  // MARK: The service

  @Test func theServiceChangesAllOrNothing() throws {
    var state = SharedState()
    let made = try state.edit(score, .replace([.init("a", .number(1)), .init("b", .number(2))], isPersistent: nil))
    #expect(made.record != nil && made.toWriter == nil && state[score]?.isPersistent == true)
    let before = state[score]
    #expect(throws: RoomRefusal.self) {
      try state.edit(score, .merge([.init("a", .null), .init("", .null), .init("", .number(1))]))
    }
    #expect(state[score] == before)
    let replaced = try state.edit(
      score, .replace([.init("b", .number(2)), .init("c", .number(3))], isPersistent: true))
    #expect(replaced.toOthers?.content == .outcomes([.removed("a"), .changed("c", .number(3))]))
    #expect(throws: RoomRefusal.self) { try state.edit(score, .replace([], isPersistent: false)) }
    #expect(try state.edit(score, .delete).record == .removed(score))
    #expect(state[score] == nil)
    for edit in [SharedState.Edit.delete, .merge([]), .send(handler: "h", [])] {
      let refusal = #expect(throws: RoomRefusal.self) { try state.edit(score, edit) }
      #expect(refusal?.code == .unknownObject)
    }
    let temporary = #expect(throws: RoomRefusal.self) { try state.edit(score, .replace([], isPersistent: false)) }
    #expect(temporary?.code == .wrongState)
    let own = #expect(throws: RoomRefusal.self) { try state.edit(.roster, .replace([], isPersistent: nil)) }
    #expect(own?.code == .forbidden)
  }

  @Test func theRoomsOwnObjectsSayOnlyWhatIsNew() throws {
    var state = SharedState()
    #expect(state.reflect(.take, [.set("number", .number(1))]) == nil)
    state.provide(.take, [.init("number", .number(1))])
    _ = try use(&state, .take, ada)
    #expect(state.reflect(.take, [.set("number", .number(1)), .remove("song")]) == nil)
    let step = state.reflect(.take, [.set("number", .number(2))])
    #expect(step?.toOthers?.content == .outcomes([.changed("number", .number(2))]) && step?.record == nil)
    _ = state.releaseAll(of: ada)
    #expect(state[.take] == nil)
  }

  // MARK: What is kept

  /// Random change messages by several; whoever does what the events say, and whoever reads the lines, has the same.
  @Test func usersAndTheDiskEndWithTheSameSlots() throws {
    var generator = SeededRandom(3)
    var state = SharedState(policy: SharedObjectPolicy(deletion: .creator))
    var kept: [SharedObjectName: SharedObject] = [:]
    var records: [SharedObjectRecord] = []
    var start = kept
    var copies: [ParticipantID: [String: SharedValue]] = [:]
    let members = [ada, bob, ParticipantID(ULID(high: 0, low: 3))]
    func keep(_ record: SharedObjectRecord?) throws {
      guard let record else { return }
      records.append(record)
      kept.replay(try SharedObjectRecord(JSONValue(parsing: JSONValue.object(record.json).text).object ?? [:]))
    }
    for member in members {
      try keep(state.use(score, isPersistent: true, by: member, link: 1, identity: "name:\(member)").record)
      copies[member] = [:]
    }
    for _ in 0..<3_000 {
      let writer = members[Int.random(in: 0..<3, using: &generator)]
      let changes = (0..<Int.random(in: 0...4, using: &generator)).map { _ -> SharedChange in
        let key = "k\(Int.random(in: 0..<6, using: &generator))"
        switch Int.random(in: 0..<12, using: &generator) {
        case 0: return .clear
        case 1, 2: return .remove(key)
        case 3: return .set(key, .null)
        case 4: return .send(handler: "h", [.number(1)])
        default: return .set(key, .number(Double(Int.random(in: 0..<4, using: &generator))))
        }
      }
      // What a client does at once, before it hears anything.
      for change in changes {
        switch change {
        case .set(let key, let value): copies[writer]?[key] = value == .null ? nil : value
        case .remove(let key): copies[writer]?[key] = nil
        case .clear: copies[writer] = [:]
        case .send: break
        }
      }
      let step = try state.change(score, changes, by: .member("name:\(writer)"), participant: writer)
      try keep(step.record)
      for member in members {
        guard let event = member == writer ? step.toWriter : step.toOthers, case .outcomes(let outcomes) = event.content
        else { continue }
        for outcome in outcomes {
          switch outcome {
          case .confirmed(let key, let value), .changed(let key, let value): copies[member]?[key] = value
          case .removed(let key): copies[member]?[key] = nil
          case .cleared: copies[member] = [:]
          case .sent, .denied: break
          }
        }
      }
      let truth = Dictionary(uniqueKeysWithValues: (state[score]?.slots ?? []).map { ($0.key, $0.value) })
      for member in members { #expect(copies[member] == truth) }
      #expect(kept[score]?.slots == state[score]?.slots && kept[score]?.version == state[score]?.version)
      // What waits for a full disk says the same in fewer words.
      if records.count == 50 {
        let split = Int.random(in: 1..<50, using: &generator)
        let folded =
          SharedObjectRecord.folded(Array(records[..<split])) + SharedObjectRecord.folded(Array(records[split...]))
        var again = start
        for record in folded { again.replay(record) }
        #expect(
          folded.count <= 2 && again[score]?.slots == kept[score]?.slots
            && again[score]?.version == kept[score]?.version)
        (start, records) = (kept, [])
      }
    }
  }

  @Test func aLineThatIsNoneIsRefused() throws {
    for text in [
      "{}", #"{"object":""}"#, #"{"object":"a","version":0,"changes":[]}"#, #"{"object":"a","version":1}"#,
      #"{"object":"a","version":1,"changes":[{}]}"#, #"{"object":"a","version":1,"slots":[]}"#,
    ] {
      let json = try #require(JSONValue(parsing: text).object)
      #expect(throws: RoomRefusal.self) { try SharedObjectRecord(json) }
    }
  }
}
