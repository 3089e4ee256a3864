import Foundation
import Machines
import Music
import Realtime
import Signaling
import Testing

@testable import Rooms

@Suite(.serialized, .timeLimit(.minutes(2))) struct SharedObjectsInARoomTests {
  private let score: SharedObjectName

  init() throws {
    score = try SharedObjectName(checking: "score")
  }

  /// Members who take no seat, and may change things as an application may.
  private func enter(
    _ service: LiveService, _ name: String, role: Role = .listener, secret: String? = nil
  ) async throws -> Membership {
    var request = JoinRequest(name: try DisplayName(checking: name), role: role, resumeSecret: secret)
    request.authority = .musician
    return try await service.broker.enter(try RoomName(checking: "studio"), request)
  }

  /// The next thing that is said of shared objects.
  private func next(_ events: inout AsyncStream<RoomEvent>.Iterator) async -> SharedObjectEvent? {
    while let event = await events.next() { if case .sharedObject(let event) = event { return event } }
    return nil
  }

  private func refusal(_ membership: Membership, _ command: RoomCommand) async -> RoomRefusal.Code? {
    do throws(RoomRefusal) {
      _ = try await membership.perform(command)
      return nil
    } catch {
      return error.code
    }
  }

  @Test func twoMembersAndTheServiceShareAnObject() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let (ada, bob) = (try await enter(service, "ada"), try await enter(service, "bob"))
    var (toAda, toBob) = (ada.events.makeAsyncIterator(), bob.events.makeAsyncIterator())
    #expect(await refusal(ada, .sharedObjectChange(score, [.clear])) == .unknownObject)
    #expect(await refusal(ada, .sharedObjectRelease(score)) == .unknownObject)
    _ = try await ada.perform(.sharedObjectUse(score, isPersistent: nil))
    #expect(await next(&toAda)?.content == .slots([]))
    _ = try await ada.perform(.sharedObjectChange(score, [.set("tempo", .number(120))]))
    #expect(await next(&toAda)?.content == .outcomes([.confirmed("tempo", .number(120))]))
    let used = try await bob.perform(.sharedObjectUse(score, isPersistent: false))
    #expect(used == .sharedObject(SharedObjectReceipt(name: score, version: 4)))
    #expect(await next(&toBob)?.content == .slots([.init("tempo", .number(120))]))
    #expect(await refusal(bob, .sharedObjectUse(score, isPersistent: true)) == .objectPersistence)
    _ = try await service.broker.edit(score, in: room, .merge([.init("tempo", .number(60))]))
    #expect(await next(&toBob)?.content == .outcomes([.changed("tempo", .number(60))]))
    #expect(await next(&toAda)?.version == 5)
    try await service.broker.push("countIn", [.number(4)], to: bob.participant, in: room)
    #expect(await toBob.next() == .push(name: "countIn", [.number(4)]))
    // Nobody uses it, so it is no more.
    _ = try await ada.perform(.sharedObjectRelease(score))
    await bob.leave()
    #expect(try await service.broker.sharedObjects(in: room).map(\.object.name) == [.levels, .roster, .take])
    await service.end()
  }

  @Test func aLostLinkKeepsTheObjectAndTheNewOneHearsOfItOnceItUsesIt() async throws {
    let service = try await LiveService()
    let ada = try await enter(service, "ada")
    let bob = try await enter(service, "bob")
    _ = try await ada.perform(.sharedObjectUse(score, isPersistent: nil))
    _ = try await ada.perform(.sharedObjectChange(score, [.set("a", .number(1))]))
    ada.detach()
    let again = try await enter(service, "ada", secret: ada.resumeSecret)
    #expect(again.participant == ada.participant)
    var events = again.events.makeAsyncIterator()
    _ = try await bob.perform(.sharedObjectChange(score, [.set("b", .number(2))]))
    _ = try await again.perform(.sharedObjectUse(score, isPersistent: nil))
    #expect(await next(&events)?.content == .slots([.init("a", .number(1)), .init("b", .number(2))]))
    await service.end()
  }

  @Test func persistentObjectsSurviveEverybodyARestartAndTheLossOfTheIndex() async throws {
    var service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let ada = try await enter(service, "ada")
    _ = try await ada.perform(.sharedObjectUse(score, isPersistent: true))
    _ = try await ada.perform(
      .sharedObjectChange(
        score, [.set("b", .bytes([0, 255])), .set("a", .object(["$x": .date(5)])), .set("c", .null)]))
    let temporary = try SharedObjectName(checking: "temporary")
    _ = try await ada.perform(.sharedObjectUse(temporary, isPersistent: nil))
    _ = try await ada.perform(.sharedObjectChange(temporary, [.set("a", .number(1))]))
    await ada.leave()
    // The room was forgotten and is made anew.
    #expect(try await service.broker.sharedObjects(in: room).map(\.object.name) == [score])
    let kept = try await service.broker.sharedObject(score, in: room).object
    await service.end(keepsFolder: true)
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: service.folder + "/jamjar.sqlite" + suffix)
    }
    service = try await LiveService(folder: service.folder)
    let found = try await service.broker.sharedObject(score, in: room).object
    #expect(found.slots == kept.slots && found.version == 3 && kept.version == 3)
    #expect(found.creator == "name:ada" && kept.creator == "name:ada")
    #expect(found.slots.map(\.key) == ["b", "a"])
    let bob = try await enter(service, "bob")
    var events = bob.events.makeAsyncIterator()
    _ = try await bob.perform(.sharedObjectUse(score, isPersistent: true))
    #expect(await next(&events)?.content == .slots(kept.slots))
    #expect(await service.broker.snapshots().count == 1)
    await service.end()
  }

  @Test func theRosterFollowsTheMembersAndNobodyWritesIt() async throws {
    let service = try await LiveService()
    let ada = try await enter(service, "ada")
    var events = ada.events.makeAsyncIterator()
    _ = try await ada.perform(.sharedObjectUse(.roster, isPersistent: nil))
    guard case .slots(let slots) = await next(&events)?.content, case .object(let fields) = slots.first?.value else {
      Issue.record("no roster")
      return
    }
    #expect(slots.map(\.key) == [ada.participant.description])
    #expect(fields["name"] == .string("ada") && fields["role"] == .string("listener"))
    #expect(fields["connected"] == .bool(true) && fields["publishing"] == .bool(false) && fields["part"] == .null)
    let bob = try await enter(service, "bob")
    guard case .outcomes(let joined) = await next(&events)?.content, case .changed(let key, _) = joined.first else {
      Issue.record("nobody joined")
      return
    }
    #expect(key == bob.participant.description)
    await bob.leave()
    #expect(await next(&events)?.content == .outcomes([.removed(bob.participant.description)]))
    let reply = try await ada.perform(.sharedObjectChange(.roster, [.set("x", .bool(true)), .clear]))
    guard case .sharedObject(let receipt) = reply else {
      Issue.record("no receipt")
      return
    }
    #expect(receipt.denials.map(\.refusal.code) == [.forbidden, .forbidden])
    #expect(await refusal(ada, .sharedObjectUse(.take, isPersistent: true)) == .objectPersistence)
    await service.end()
  }

  @Test func theTakeAndTheLevelsAreSaidWhileSomebodyUsesThem() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let (ada, peer) = try await service.musician("ada", in: "studio")
    let bob = try await enter(service, "bob")
    var events = bob.events.makeAsyncIterator()
    _ = try await bob.perform(.sharedObjectUse(.take, isPersistent: nil))
    #expect(await next(&events)?.content == .slots([]))
    _ = try await ada.perform(.startTake(song: "Solar"))
    guard case .outcomes(let begun) = await next(&events)?.content else {
      Issue.record("no take")
      return
    }
    #expect(begun.contains(.changed("song", .string("Solar"))) && begun.contains(.changed("number", .number(1))))
    _ = try await ada.perform(.stopTake)
    guard case .outcomes(let ended) = await next(&events)?.content else {
      Issue.record("no end")
      return
    }
    #expect(ended.count == 4 && ended.contains(.removed("song")))
    _ = try await bob.perform(.sharedObjectRelease(.take))

    let negotiated = try #require(await peer.negotiated)
    let id = try #require(negotiated.extensions.audioLevel)
    _ = try await bob.perform(.sharedObjectUse(.levels, isPersistent: nil))
    #expect(await next(&events)?.content == .slots([]))
    let ssrc = await peer.ssrc
    for number in 0..<20 {
      let writer = RTPWriter(
        payloadType: negotiated.opusPayloadType, marker: false, sequenceNumber: UInt16(truncatingIfNeeded: number),
        timestamp: UInt32(number * 960), ssrc: ssrc)
      await peer.send(
        writer.packet(
          extensions: [.audioLevel(AudioLevel(hasVoice: false, belowFullScale: 23), id: id)], payload: [0xFC, 0xFF]))
    }
    #expect(await next(&events)?.content == .outcomes([.changed(ada.participant.description, .number(-23))]))
    _ = try await bob.perform(.sharedObjectRelease(.levels))
    await service.end()
  }

  @Test func aHundredMembersHearOfEveryChange() async throws {
    let service = try await LiveService()
    let writer = try await enter(service, "writer")
    _ = try await writer.perform(.sharedObjectUse(score, isPersistent: nil))
    var listeners: [Membership] = []
    for number in 0..<100 {
      let listener = try await enter(service, "listener \(number)")
      _ = try await listener.perform(.sharedObjectUse(score, isPersistent: nil))
      listeners.append(listener)
    }
    let changes = 1_000
    // Nobody is written ahead of by more than a round, far less than a mailbox holds.
    let round = 50
    let readers = listeners.count + 1
    let (rounds, heardRound) = AsyncStream.makeStream(of: Void.self)
    let heard = await withTaskGroup(of: Int.self) { group in
      for listener in listeners {
        group.addTask {
          var count = 0
          for await event in listener.events {
            guard case .sharedObject(let event) = event, case .outcomes = event.content else { continue }
            count += 1
            if count.isMultiple(of: round) { heardRound.yield() }
            if count == changes { return count }
          }
          return count
        }
      }
      group.addTask {
        var finished = rounds.makeAsyncIterator()
        for number in 0..<changes {
          _ = try? await writer.perform(.sharedObjectChange(self.score, [.set("n", .number(Double(number)))]))
          guard (number + 1).isMultiple(of: round) else { continue }
          for _ in 0..<readers { _ = await finished.next() }
        }
        return 0
      }
      group.addTask {
        var count = 0
        for await event in writer.events {
          guard case .sharedObject(let event) = event, case .outcomes = event.content else { continue }
          count += 1
          if count.isMultiple(of: round) { heardRound.yield() }
          if count == changes { break }
        }
        return 0
      }
      return await group.reduce(0, +)
    }
    #expect(heard == 100 * changes)
    await service.end()
  }
}
