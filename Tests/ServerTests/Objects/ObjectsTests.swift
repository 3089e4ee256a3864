import Catalog
import Foundation
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Library
@testable import Server

/// Takes in a service with an object store (moto).
@Suite(.timeLimit(.minutes(10))) struct ObjectsTests {
  private func stored(_ take: Take, _ service: TestService) async throws {
    try await eventually("the take is stored") {
      try await service.send(.GET, "/v1/takes/\(take.id)").json["objects"]?.object?["state"] == "stored"
    }
  }

  private func announce(_ take: Take, _ service: TestService) {
    service.broker.events.publish(.takeReady, room: take.room, .take(take))
  }

  private func sounds(_ rehearsed: RehearsedTake) -> [String] {
    rehearsed.manifest.files.filter { $0.role == .track || $0.role == .mix }.map(\.name)
  }

  private func isHere(_ name: String, _ rehearsed: RehearsedTake, _ service: TestService) -> Bool {
    FileManager.default.fileExists(atPath: "\(service.data.path)/\(rehearsed.take.folder)/\(name)")
  }

  private func store(_ server: S3Server) throws -> S3Store {
    S3Store(try server.address(), credentials: try server.credentials)
  }

  @Test func aFinishedTakeIsStoredAndSaysSo() async throws {
    let server = try await S3Server()
    try await TestService.with({ $0.objects = try server.configuration() }) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      announce(rehearsed.take, service)
      try await stored(rehearsed.take, service)
      let store = try store(server)
      let keys = try await store.keys(beginningWith: "takes/\(rehearsed.take.id)/")
      let names = Set(keys.compactMap { $0.split(separator: "/").last.map(String.init) })
      #expect(names == Set(rehearsed.manifest.files.filter { $0.role != .journal }.map(\.name) + ["manifest.json"]))
      let objects = try await service.send(.GET, "/v1/takes/\(rehearsed.take.id)").json["objects"]?.object
      #expect(objects?["place"]?.string == server.place)
      #expect(objects?["local"] == true)
      #expect(objects?["error"] == .null)
      let sum = rehearsed.manifest.files.filter { $0.role != .journal }.reduce(Int64(0)) { $0 + $1.size }
      let bytes: Int64 = try #require(objects?["bytes"]?.integer)
      // The manifest is stored too.
      #expect(bytes > sum)
      let metrics = try await service.send(.GET, "/metrics").text
      #expect(metrics.contains("jamjar_objects_takes_stored_total 1"))
      // Told once more, it sends nothing.
      let before = server.requests.filter { $0.hasPrefix("PUT") }.count
      announce(rehearsed.take, service)
      try await eventually("nothing waits") {
        try await service.send(.GET, "/metrics").text.contains("jamjar_objects_waiting 0")
      }
      #expect(server.requests.filter { $0.hasPrefix("PUT") }.count == before)
    }
  }

  @Test func aStoreThatIsAwayLosesNothingAndIsTold() async throws {
    let server = try await S3Server()
    try server.setDown(true)
    try await TestService.with({ $0.objects = try server.configuration() }) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      announce(rehearsed.take, service)
      try await eventually("the service says that the store is away") {
        try await service.send(.GET, "/readyz").json["objects"] == "away"
      }
      let objects = try await service.send(.GET, "/v1/takes/\(rehearsed.take.id)").json["objects"]?.object
      #expect(objects?["error"]?.string?.contains("SlowDown") == true, "\(String(describing: objects))")
      #expect(try await service.send(.GET, "/v1/takes/\(rehearsed.take.id)/mix").status == 200)
      try server.setDown(false)
      try await stored(rehearsed.take, service)
      let ready = try await service.send(.GET, "/readyz").json
      #expect(ready["objects"] == nil)
    }
  }

  /// A service ends half-way (here: the store takes nothing more), and the next one does the rest.
  @Test func theNextServiceStoresWhatTheLastOneDidNot() async throws {
    let server = try await S3Server()
    let data = try DataFolder()
    let configuration = try server.configuration()
    try server.setDown(true)
    var made: RehearsedTake?
    try await TestService.with({ $0.objects = configuration }, data: data) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      announce(rehearsed.take, service)
      try await eventually("it was tried") {
        try await service.send(.GET, "/readyz").json["objects"] == "away"
      }
      made = rehearsed
    }
    let rehearsed = try #require(made)
    try server.setDown(false)
    try await TestService.with({ $0.objects = configuration }, data: data) { service async throws in
      try await stored(rehearsed.take, service)
    }
    let puts = server.requests.filter { $0.hasPrefix("PUT") }
    #expect(Set(puts).count == puts.count, "nothing was stored twice: \(puts)")
  }

  @Test func soundLeavesTheDiskAndComesBackWhenItIsHeard() async throws {
    let server = try await S3Server()
    try await TestService.with({ $0.objects = try server.configuration(cacheSize: 1) }) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(rehearsed.take.id)"
      let before = try await service.send(.GET, path + "/mix").bytes
      announce(rehearsed.take, service)
      let sounds = sounds(rehearsed)
      try await eventually("the sound has left") { sounds.allSatisfy { !isHere($0, rehearsed, service) } }
      let away = try await service.send(.GET, path).json["objects"]?.object
      #expect(away?["local"] == false)
      let check = try await CatalogCheck(service.broker.library, readsFiles: true).run()
      #expect(check.findings.filter { $0.code == "file-missing" }.isEmpty, "\(check.findings)")
      let after = try await service.send(.GET, path + "/mix")
      #expect(after.status == 200)
      #expect(after.bytes == before)
      // An export reads every track.
      let ordered = try await service.post(path + "/exports", ["kind": "mix", "format": "wav16"])
      let export = try #require(try ordered.json["id"]?.string)
      try await eventually("the export is made") {
        try await service.send(.GET, "/v1/exports/\(export)").json["state"] == "done"
      }
      let fetched = try await service.send(.POST, path + "/fetch")
      #expect(fetched.status == 200, "\(fetched.text)")
    }
  }

  @Test func aCopyWithOtherBytesIsRefusedAndFetchedAgainOnceItIsMended() async throws {
    let server = try await S3Server()
    try await TestService.with({ $0.objects = try server.configuration(cacheSize: 1) }) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(rehearsed.take.id)/mix"
      let right = try await service.send(.GET, path).bytes
      announce(rehearsed.take, service)
      let sounds = sounds(rehearsed)
      try await eventually("the sound has left") { sounds.allSatisfy { !isHere($0, rehearsed, service) } }
      let store = try store(server)
      let keys = try await store.keys(beginningWith: "takes/\(rehearsed.take.id)/")
      let key = try #require(keys.first { $0.hasSuffix("/mix.flac") })
      var wrong = right
      wrong[wrong.count / 2] ^= 1
      try await put(wrong, key, store)
      let refused = try await service.send(.GET, path)
      #expect(refused.status == 502, "\(refused.text)")
      #expect(try refused.problem == "object-damaged")
      #expect(!isHere("mix.flac", rehearsed, service))
      try await put(right, key, store)
      let mended = try await service.send(.GET, path)
      #expect(mended.status == 200)
      #expect(mended.bytes == right)
    }
  }

  private func put(_ bytes: [UInt8], _ key: String, _ store: S3Store) async throws {
    let data = try DataFolder()
    try data.write(bytes, "a/b/c/x")
    let file = try await RecordedFile.open("x", in: "a/b/c", of: data.path)
    try await store.store(file, as: key, digest: FileDigest(of: bytes))
  }

  @Test func theObjectsOfAPurgedTakeAreRemovedAlsoByTheNextService() async throws {
    let server = try await S3Server()
    let data = try DataFolder()
    let configuration = try server.configuration()
    var made: RehearsedTake?
    try await TestService.with({ $0.objects = configuration }, data: data) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      announce(rehearsed.take, service)
      try await stored(rehearsed.take, service)
      try server.setDown(true)
      #expect(try await service.send(.DELETE, "/v1/takes/\(rehearsed.take.id)").status == 200)
      try await service.broker.library.purge(rehearsed.take.id)
      made = rehearsed
    }
    let rehearsed = try #require(made)
    try server.setDown(false)
    let store = try store(server)
    #expect(try await store.keys(beginningWith: "takes/\(rehearsed.take.id)/").isEmpty == false)
    try await TestService.with({ $0.objects = configuration }, data: data) { service async throws in
      try await eventually("the objects are gone") {
        try await store.keys(beginningWith: "takes/\(rehearsed.take.id)/").isEmpty
      }
      try await eventually("and forgotten") { try TakeObjects.purged(in: data.path).isEmpty }
    }
  }
}
