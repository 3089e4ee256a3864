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

/// Recordings that come over REST.
@Suite(.timeLimit(.minutes(5))) struct ImportsTests {
  /// Mono, 16 bit, 48 kHz: a tone of a second.
  static func wave(_ frequency: Double, rate: Int = 48_000) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
    let sound = (0..<rate).flatMap { index -> [UInt8] in
      let sample = sin(2 * .pi * frequency * Double(index) / Double(rate)) * 8_000
      return number(Int(sample), 2)
    }
    var file = Array("RIFF".utf8) + number(36 + sound.count, 4)
    file += Array("WAVEfmt ".utf8) + number(16, 4) + number(1, 2) + number(1, 2)
    file += number(rate, 4) + number(rate * 2, 4) + number(2, 2) + number(16, 2)
    file += Array("data".utf8) + number(sound.count, 4)
    return file + sound
  }

  private func wish(_ names: [String], _ more: [(String, JSONValue)] = []) -> JSONValue {
    let files: [JSONValue] = names.map { ["name": .string($0), "modifiedAt": "2019-05-04T21:10:01Z"] }
    var body: JSONObject = ["room": "Past", "files": .array(files)]
    for (name, value) in more { body[name] = value }
    return .object(body)
  }

  /// Begins an import; its address.
  private func begin(_ service: TestService, _ wish: JSONValue, _ headers: [(String, String)] = []) async throws
    -> String
  {
    let answer = try await service.post("/v1/imports", wish, headers)
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(answer["location"])
  }

  /// Sends whole files, and waits for the end.
  private func finish(_ service: TestService, _ address: String, _ files: [[UInt8]]) async throws -> JSONObject {
    for (index, bytes) in files.enumerated() { try await service.upload(bytes, to: "\(address)/files/\(index + 1)") }
    return try await over(service, address)
  }

  private func over(_ service: TestService, _ address: String) async throws -> JSONObject {
    try await eventually("the import is over") {
      ["done", "failed"].contains(try await service.send(.GET, address).json["state"]?.string)
    }
    return try await service.send(.GET, address).json
  }

  private func texts(_ value: JSONValue?) -> [String] { value?.array?.compactMap(\.string) ?? [] }

  @Test func filesThatAreSentInPiecesBecomeOneTakeOnce() async throws {
    try await TestService.with { service async throws in
      let files = [ImportsTests.wave(440), ImportsTests.wave(660)]
      let wish = self.wish(["01 - Ada.wav", "02 - Bob.wav"], [("song", "Nardis"), ("name", "the old tape")])
      let address = try await begin(service, wish)
      // A piece whose answer was lost is sent again.
      let first = "\(address)/files/1"
      #expect(try await service.append(Array(files[0][..<1_000]), to: first, at: 0).status == 204)
      let again = try await service.append(Array(files[0][..<1_000]), to: first, at: 0)
      #expect(try again.status == 409 && again.problem == "upload-offset" && again["upload-offset"] == "1000")
      #expect(try await service.send(.HEAD, first)["upload-offset"] == "1000")
      #expect(try await service.append(Array(files[0][1_000...]), to: first, at: 1_000, isLast: true).status == 204)
      let late = try await service.append([1], to: first, at: files[0].count)
      #expect(try late.status == 409 && late.problem == "upload-complete")
      #expect(try await service.send(.GET, address).json["state"] == "receiving")
      try await service.upload(files[1], to: "\(address)/files/2")
      let job = try await over(service, address)
      #expect(job["state"] == "done" && job["progress"]?.double == 1, "\(job)")
      let id = try #require(texts(job["takes"]).first)
      let take = try await service.send(.GET, "/v1/takes/\(id)").json
      #expect(take["duration"]?.double == 1 && take["room"] == "Past")
      #expect(take["song"]?.object?["title"] == "Nardis")
      // The files do not say when they were recorded: the last change less the length.
      #expect(take["startedAt"]?.string?.hasPrefix("2019-05-04T21:10:00") == true, "\(take)")
      let tracks = try await service.send(.GET, "/v1/takes/\(id)/tracks").items
      let names = tracks.map { $0["participant"]?.object?["name"]?.string }
      #expect(names == ["Ada", "Bob"])
      let manifest = try await service.send(.GET, "/v1/takes/\(id)/manifest").text
      #expect(manifest.contains("imported from the old tape"))
      let folder = "\(service.data.path)/_incoming/\(address.split(separator: "/").last ?? "")"
      #expect(!FileManager.default.fileExists(atPath: folder + "/files"))
      // The same contents under other names.
      let second = try await begin(service, self.wish(["x.wav", "y.wav"]))
      let known = try await finish(service, second, files)
      #expect(known["state"] == "done" && texts(known["known"]) == [id] && texts(known["takes"]).isEmpty)
      let third = try await begin(service, self.wish(["x.wav", "y.wav"], [("again", true)]))
      #expect(try await texts(finish(service, third, files)["takes"]).count == 1)
      #expect(try await service.send(.GET, "/v1/takes?room=Past").items.count == 2)
      let check = try await CatalogCheck(service.broker.library, readsFiles: true).run().findings
      #expect(check.isEmpty, "\(check)")
    }
  }

  @Test func anImportOutlivesItsService() async throws {
    let data = try DataFolder()
    let bytes = ImportsTests.wave(440)
    var address = ""
    try await TestService.with(data: data) { service async throws in
      address = try await begin(service, wish(["a.wav", "b.wav"]))
      try await service.upload(bytes, to: "\(address)/files/1")
      #expect(try await service.append(Array(bytes[..<5_000]), to: "\(address)/files/2", at: 0).status == 204)
    }
    try await TestService.with(data: data) { service async throws in
      let files = try await service.send(.GET, address).json["files"]?.array?.compactMap(\.object) ?? []
      #expect(files.map { $0["complete"]?.bool } == [true, false])
      #expect(files.map { $0["received"]?.integer } == [Int64(bytes.count), 5_000])
      let rest = Array(ImportsTests.wave(660)[5_000...])
      #expect(try await service.append(rest, to: "\(address)/files/2", at: 5_000, isLast: true).status == 204)
      #expect(try await over(service, address)["state"] == "done")
    }
    try await TestService.with(data: data) { service async throws in
      #expect(try await texts(service.send(.GET, address).json["takes"]).count == 1)
      #expect(try await service.send(.DELETE, address).status == 204)
      #expect(try await service.send(.GET, address).status == 404)
      #expect(try await service.send(.GET, "/v1/takes?room=Past").items.count == 1)
      let left = try FileManager.default.contentsOfDirectory(atPath: data.path).contains("_incoming")
      let names = left ? try FileManager.default.contentsOfDirectory(atPath: "\(data.path)/_incoming") : []
      #expect(names == [])
    }
  }

  /// A process ended between the last byte and the take.
  @Test func whatIsCompleteIsMadeAtTheNextStart() async throws {
    let data = try DataFolder()
    let room = try RoomName(checking: "Past")
    let now = MonotonicClock.wall
    var job = ImportJob(id: ImportID(at: now), room: room, wish: .init(), files: [.init(name: "a.wav")], createdAt: now)
    let shelf = ImportShelf(recordings: data.path, software: "test")
    try shelf.create(job)
    try TakeFolder(existing: ImportShelf.filesPath(of: job.id), in: data.path)
      .append(ImportsTests.wave(440), to: "a.wav", at: 0)
    (job.files[0].isComplete, job.state) = (true, .running)
    try shelf.record(job)
    try await TestService.with(data: data) { service async throws in
      #expect(try await texts(over(service, "/v1/imports/\(job.id)")["takes"]).count == 1)
    }
  }

  @Test func onlyOwnersImportAndOnlyIntoTheirRoom() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let wish = self.wish(["a.wav"])
      for (room, role) in [("Past", Authority.moderator), ("Elsewhere", .owner)] {
        let refused = try await service.post("/v1/imports", wish, [service.token(room, role)])
        #expect(refused.status == 403, "\(refused.text)")
      }
      let owner = try await service.token("Past", .owner)
      let address = try await begin(service, wish, [owner])
      let stranger = try await service.token("Elsewhere", .owner)
      #expect(try await service.send(.GET, address, [stranger]).status == 404)
      #expect(try await service.append([1], to: "\(address)/files/1", at: 0, [stranger]).status == 404)
      #expect(try await service.send(.DELETE, address, [stranger]).status == 404)
      #expect(try await service.send(.GET, "/v1/imports", [stranger]).items.isEmpty)
      #expect(try await service.send(.GET, "/v1/imports", [owner]).items.count == 1)
      #expect(try await service.send(.DELETE, address, [owner]).status == 204)
    }
  }

  @Test(arguments: [
    "", ".", "..", ".a.wav", "../a.wav", "/etc/a.wav", "a/b.wav", "a", "a.txt", "a.m4a", "manifest.json", "a\u{0}.wav",
    "a\n.wav", String(repeating: "a", count: 200) + ".wav",
  ]) func aNameThatLeadsElsewhereIsRefused(name: String) async throws {
    try await TestService.with { service async throws in
      let refused = try await service.post("/v1/imports", wish(["a.wav", name]))
      #expect(try refused.status == 400 && refused.json["field"] == "files.name", "\(refused.text)")
    }
  }

  @Test func aBodyThatSaysTooLittleOrTooMuchIsRefused() async throws {
    try await TestService.with { service async throws in
      let bodies: [(JSONValue, String)] = [
        (["room": "Past"], "files"), (["room": "Past", "files": []], "files"),
        (["files": [["name": "a.wav"]]], "room"), (wish(["a.wav", "a.wav"]), "files.name"),
        (wish(["a.wav"], [("at", "yesterday")]), "at"), (wish(["a.wav"], [("at", "0001-01-01T00:00:00Z")]), "at"),
        (wish(["a.wav"], [("song", .string(String(repeating: "x", count: 10_000)))]), "song"),
        (wish(["a.wav"], [("align", "yes")]), "align"), (wish(["a.wav"], [("tempo", 1)]), "tempo"),
        (wish((0..<257).map { "\($0).wav" }), "files"),
      ]
      for (body, field) in bodies {
        let refused = try await service.post("/v1/imports", body)
        #expect(try refused.status == 400 && refused.json["field"]?.string == field, "\(refused.text)")
      }
      #expect(try await service.send(.GET, "/v1/imports").items.isEmpty)
    }
  }

  @Test func whatCannotBeReadFailsWithAReasonThatNamesNoFolder() async throws {
    try await TestService.with { service async throws in
      for (name, bytes) in [
        ("a.wav", Array("RIFFnonsense".utf8)), ("a.zip", Array("PK nothing".utf8)), ("a.webm", [1, 2, 3]),
        ("a.wav", []),
        ("a.rpp", Array("<REAPER_PROJECT\n>".utf8)),
      ] {
        let address = try await begin(service, wish([name]))
        if bytes.isEmpty {
          #expect(try await service.append([], to: "\(address)/files/1", at: 0, isLast: true).status == 204)
        } else {
          try await service.upload(bytes, to: "\(address)/files/1")
        }
        let job = try await over(service, address)
        let problem = job["problem"]?.string ?? ""
        #expect(job["state"] == "failed" && problem.contains(name) && !problem.contains("_incoming"), "\(job)")
      }
      #expect(try await service.send(.GET, "/v1/takes?room=Past").items.isEmpty)
    }
  }

  @Test func aProjectFindsItsFilesBesideItAndNoOthers() async throws {
    func project(_ file: String) -> [UInt8] {
      let text = """
        <REAPER_PROJECT 0.1
          <TRACK
            NAME "Ada"
            <ITEM
              POSITION 0.5
              LENGTH 1
              <SOURCE WAVE
                FILE "\(file)"
              >
            >
          >
        >
        """
      return Array(text.utf8)
    }
    try await TestService.with { service async throws in
      let sound = ImportsTests.wave(440)
      let address = try await begin(service, wish(["s.rpp", "ada.wav"]))
      let job = try await finish(service, address, [project(#"C:\Bands\Past\ada.wav"#), sound])
      #expect(job["state"] == "done" && texts(job["takes"]).count == 1, "\(job)")
      // A sound file of somebody else, where a path would lead.
      try service.data.write(sound, "secret.wav")
      for path in ["../../../secret.wav", service.data.path + "/secret.wav", ".."] {
        let address = try await begin(service, wish(["s.rpp", "ada.wav"], [("again", true)]))
        #expect(try await finish(service, address, [project(path), sound])["state"] == "failed", "\(path)")
      }
    }
  }

  @Test func noRoomHasMoreThanAFew() async throws {
    try await TestService.with({ $0.imports.bytes = 1_000 }) { service async throws in
      var addresses: [String] = []
      for _ in 0..<4 { addresses.append(try await begin(service, wish(["a.wav"]))) }
      let refused = try await service.post("/v1/imports", wish(["a.wav"]))
      #expect(try refused.status == 409 && refused.problem == "too-many" && refused.json["limit"]?.integer == 4)
      let large = try await service.append([UInt8](repeating: 0, count: 1_001), to: addresses[0] + "/files/1", at: 0)
      #expect(large.status == 413, "\(large.text)")
      #expect(try await service.send(.DELETE, addresses[0]).status == 204)
      _ = try await begin(service, wish(["a.wav"]))
    }
  }

  @Test func aRoomWithoutSpaceImportsNothing() async throws {
    try await TestService.with(roomQuota: 10_000) { service async throws in
      let address = try await begin(service, wish(["a.wav"]))
      let bytes = [UInt8](repeating: 0, count: 10_000)
      #expect(try await service.append(bytes, to: address + "/files/1", at: 0).status == 204)
      let more = try await service.append(bytes, to: address + "/files/1", at: 10_000)
      #expect(more.status == 507, "\(more.text)")
      #expect(try await service.post("/v1/imports", wish(["b.wav"])).status == 507)
      // An upload that cannot go on is still there.
      #expect(try await service.send(.HEAD, address + "/files/1")["upload-offset"] == "10000")
    }
  }
}
