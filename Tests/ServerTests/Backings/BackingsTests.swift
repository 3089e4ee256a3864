import Foundation
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Backing tracks over REST: sent, decoded, played at one time for everybody, bounded, deleted.
@Suite(.timeLimit(.minutes(5))) struct BackingsTests {
  private static let path = "/v1/rooms/den/backings"
  private static let bytes = ("Content-Type", "application/octet-stream")

  private func add(
    _ service: TestService, title: String = "drums", _ headers: [(String, String)] = []
  ) async throws -> TestService.Answer {
    let path = "\(BackingsTests.path)?title=\(title)"
    return try await service.send(.POST, path, headers + [BackingsTests.bytes], bytes: SawtoothWAV.bytes())
  }

  private func enter(_ service: TestService, _ name: String) async throws -> Membership {
    try await service.broker.enter(
      try RoomName(checking: "den"), JoinRequest(name: try DisplayName(checking: name)))
  }

  @Test func isDecodedOnceListedPlayedForEverybodyAndDeleted() async throws {
    try await TestService.with { service async throws in
      let (ada, bob) = (try await enter(service, "ada"), try await enter(service, "bob"))
      let added = try await add(service)
      #expect(try added.status == 201 && added.json["title"] == "drums" && added.json["duration"] == 1, "\(added.text)")
      let id = try #require(try added.json["id"]?.string)
      #expect(added["location"] == "\(BackingsTests.path)/\(id)")
      #expect(try await service.send(.GET, BackingsTests.path).items.map { $0["id"]?.string } == [id])

      let sound = try await service.send(.GET, "\(BackingsTests.path)/\(id)/sound")
      #expect(sound.status == 200 && sound["content-type"] == "audio/flac" && sound.text.hasPrefix("fLaC"))
      let reader = try SoundFileReader(copying: sound.bytes)
      #expect(reader.frameCount == 48_000 && reader.channels == 2)
      let light = try await service.send(.GET, "\(BackingsTests.path)/\(id)/sound?format=opus")
      #expect(light.status == 200 && light.bytes.count < sound.bytes.count)
      #expect(try await service.send(.GET, "\(BackingsTests.path)/\(id)/sound?format=aac").problem == "invalid-field")

      let place: JSONValue = ["backing": .string(id), "from": .number(0.25)]
      let started = try await service.send(
        .PUT, "/v1/rooms/den/backing", [("Content-Type", "application/json")], body: place.text)
      let playing = try #require(try started.json["playing"]?.object)
      #expect(playing["from"]?.double == 0.25 && playing["backing"]?.string == id && playing["title"] == "drums")
      // Both hear it at the same time of the service's clock, which is still to come.
      var heard: [BackingPlay?] = []
      for member in [ada, bob] {
        for await event in member.events {
          if case .backing(let play?) = event {
            heard.append(play)
            break
          }
        }
      }
      #expect(heard.count == 2 && heard[0] == heard[1] && heard[0]?.from == SamplePosition(12_000))
      #expect(try await service.send(.GET, "/v1/rooms/den/backing").json["playing"]?.object == playing)
      let snapshot = await service.broker.snapshot(of: try RoomName(checking: "den"))
      #expect(snapshot?.backing == heard[0])

      // Deleted, it is heard no more.
      #expect(try await service.send(.DELETE, "\(BackingsTests.path)/\(id)").status == 204)
      for await event in ada.events { if case .backing(nil) = event { break } }
      #expect(try await service.send(.GET, "/v1/rooms/den/backing").json["playing"] == .null)
      #expect(try await service.send(.GET, BackingsTests.path).items.isEmpty)
      #expect(try await service.send(.GET, "\(BackingsTests.path)/\(id)/sound").status == 404)
      let left = FileManager.default.subpaths(atPath: service.data.path + "/_backings") ?? []
      #expect(left.filter { $0.contains(id) } == [])
    }
  }

  @Test func whatCannotBeIsRefusedWithTheReasonAndLeavesNothing() async throws {
    try await TestService.with({ $0.limits.backing = 200_000 }) { service async throws in
      let text = try await service.send(
        .POST, BackingsTests.path, [BackingsTests.bytes], bytes: Array("no sound at all, by any means".utf8))
      #expect(try text.status == 422 && text.problem == "unusable-sound" && text.text.contains("FLAC"), "\(text.text)")
      let large = try await service.send(
        .POST, BackingsTests.path, [BackingsTests.bytes], bytes: SawtoothWAV.bytes(seconds: 3))
      #expect(try large.status == 413 && large.problem == "too-large", "\(large.text)")
      let page = try await service.send(.POST, BackingsTests.path, [("Content-Type", "text/html")], body: "<p>")
      #expect(page.status == 415)
      let title = String(repeating: "x", count: 201)
      #expect(try await add(service, title: title).problem == "invalid-field")
      #expect(try await service.send(.GET, BackingsTests.path).items.isEmpty)
      let left = FileManager.default.subpaths(atPath: service.data.path + "/_backings") ?? []
      #expect(left.filter { $0.contains("/") } == [])

      let added = try await add(service)
      let id = try #require(try added.json["id"]?.string)
      let json = ("Content-Type", "application/json")
      // Nobody is there to hear it.
      let empty: JSONValue = ["backing": .string(id)]
      #expect(try await service.send(.PUT, "/v1/rooms/den/backing", [json], body: empty.text).status == 409)
      _ = try await enter(service, "ada")
      let late: JSONValue = ["backing": .string(id), "from": 1]
      let beyond = try await service.send(.PUT, "/v1/rooms/den/backing", [json], body: late.text)
      #expect(try beyond.status == 400 && beyond.json["field"] == "from", "\(beyond.text)")
      let foreign = try await service.send(.PUT, "/v1/rooms/attic/backing", [json], body: empty.text)
      #expect(foreign.status == 404)
    }
  }

  @Test func aRoomHasSoManyAndAClosedOneHasNone() async throws {
    try await TestService.with { service async throws in
      let ada = try await enter(service, "ada")
      for _ in 0..<Backings.perRoom { #expect(try await add(service).status == 201) }
      let refused = try await add(service)
      #expect(try refused.status == 409 && refused.problem == "too-many", "\(refused.text)")
      #expect(try await service.send(.DELETE, "/v1/rooms/den").status == 204)
      #expect(try await service.send(.GET, BackingsTests.path).items.isEmpty)
      withExtendedLifetime(ada) {}
    }
  }

  @Test func theyAreThereAfterARestartAndUnfinishedOnesAreNot() async throws {
    let data = try DataFolder()
    var id = ""
    try await TestService.with(data: data) { service async throws in
      id = try #require(try await add(service).json["id"]?.string)
    }
    let half = BackingID(at: WallTime(milliseconds: 1_795_230_600_000)).description
    let folder = try TakeFolder.obtain("_backings/den/\(half)", in: data.path)
    try BackingUpload(in: folder).append(SawtoothWAV.bytes())
    try await TestService.with(data: data) { service async throws in
      #expect(try await service.send(.GET, BackingsTests.path).items.map { $0["id"]?.string } == [id])
      let left = try FileManager.default.contentsOfDirectory(atPath: data.path + "/_backings/den")
      #expect(left == [id])
    }
  }

  @Test func whatALaterReleaseHasNotedIsLeftAlone() async throws {
    let data = try DataFolder()
    var id = ""
    try await TestService.with(data: data) { service async throws in
      id = try #require(try await add(service).json["id"]?.string)
    }
    let note = "\(data.path)/_backings/den/\(id)/backing.json"
    let text = try String(contentsOfFile: note, encoding: .utf8)
    let later = text.replacing(try Regex("\"version\"\\s*:\\s*1"), with: "\"version\":99")
    #expect(later != text)
    try later.write(toFile: note, atomically: true, encoding: .utf8)
    try await TestService.with(data: data) { service async throws in
      #expect(try await service.send(.GET, BackingsTests.path).items.isEmpty)
    }
    try text.write(toFile: note, atomically: true, encoding: .utf8)
    try await TestService.with(data: data) { service async throws in
      let sound = try await service.send(.GET, "\(BackingsTests.path)/\(id)/sound")
      #expect(sound.status == 200 && sound.text.hasPrefix("fLaC"))
    }
  }

  @Test func aFullDiskTakesNoneAndAServiceThatStopsDecodesNone() async throws {
    try await TestService.with({ $0.backups = BackupConfiguration(reserve: 1 << 60) }) { service async throws in
      let refused = try await add(service)
      #expect(try refused.status == 507 && refused.problem == "storage", "\(refused.text)")
    }
    try await TestService.with { service async throws in
      let jobs = JobRunner(program: nil, root: service.data.path)
      let backings = Backings(broker: service.broker, jobs: jobs, reserve: 0, logger: TestService.quiet)
      backings.state.withLock { $0.isStopping = true }
      // Its thread has ended: whoever asks now gets an answer all the same.
      await #expect(throws: CancellationError.self) { _ = try await backings.decode(in: "_backings/den/none") }
    }
  }

  @Test func listenersHearAndMusiciansOfOtherRoomsDoNot() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let (own, listener) = (try await service.token("den"), try await service.token("den", .listener))
      let stranger = try await service.token("attic", .owner)
      let id = try #require(try await add(service, [own]).json["id"]?.string)
      let sound = "\(BackingsTests.path)/\(id)/sound"
      #expect(try await service.send(.GET, sound, [listener]).status == 200)
      #expect(try await service.send(.GET, sound, [stranger]).status == 403)
      #expect(try await service.send(.GET, sound).status == 401)
      for bad in [listener, stranger] {
        #expect(try await add(service, [bad]).status == 403)
        #expect(try await service.send(.DELETE, "\(BackingsTests.path)/\(id)", [bad]).status == 403)
        #expect(try await service.send(.DELETE, "/v1/rooms/den/backing", [bad]).status == 403)
      }
    }
  }
}
