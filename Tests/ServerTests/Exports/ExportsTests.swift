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

@Suite(.timeLimit(.minutes(5))) struct ExportsTests {
  /// Waits by the event stream, as a client would, until an export is over.
  private func over(_ id: String, _ service: TestService) async throws -> JSONObject {
    var place: UInt64 = 0
    let reader = service.broker.events.subscribe()
    for await _ in reader.wakes {
      let reading = service.broker.events.read(after: place, limit: 10_000)
      place = reading.place
      for numbered in reading.events {
        guard case .members(let members) = numbered.event.content, let export = members["export"]?.object,
          export["id"]?.string == id
        else { continue }
        if [.exportDone, .exportFailed, .exportCancelled].contains(numbered.event.kind) { return export }
      }
    }
    return [:]
  }

  private func done(_ take: TakeID, _ body: JSONValue, _ service: TestService) async throws -> JSONObject {
    let answer = try await service.post("/v1/takes/\(take)/exports", body)
    #expect([200, 202].contains(answer.status), "\(answer.text)")
    let id = try #require(try answer.json["id"]?.string)
    #expect(answer["location"] == "/v1/exports/\(id)")
    if answer.status == 202 {
      let export = try await over(id, service)
      #expect(export["state"] == "done", "\(export)")
    }
    return try await service.send(.GET, "/v1/exports/\(id)").json
  }

  @Test func anExportIsUnknownToTheTokensOfOtherRooms() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let own = try await service.token(rehearsed.take.room.description)
      let listener = try await service.token(rehearsed.take.room.description, .listener)
      let stranger = try await service.token("elsewhere")
      let answer = try await service.post(
        "/v1/takes/\(rehearsed.take.id)/exports", ["kind": "mix", "format": "flac24"], [own])
      let id = try #require(try answer.json["id"]?.string)
      _ = try await over(id, service)
      let path = "/v1/exports/\(id)"
      let missing = "/v1/exports/\(String(repeating: "0", count: 32))"
      for (method, ending) in [(HTTPMethod.GET, ""), (.GET, "/file"), (.DELETE, "")] {
        let hidden = try await service.send(method, path + ending, [stranger])
        #expect(hidden.status == 404, "\(method) \(ending)")
        // Word for word as for an export that never was, but for its id: nobody learns which there are.
        let other = try await service.send(method, missing + ending, [stranger])
        #expect(hidden.text.replacing(id, with: "") == other.text.replacing(missing.suffix(32), with: ""))
      }
      #expect(try await service.send(.GET, path + "/file", [listener]).status == 200)
      #expect(try await service.send(.DELETE, path, [listener]).status == 403)
      let listed = try await service.send(.GET, "/v1/exports?take=\(rehearsed.take.id)", [own]).items
      #expect(listed.map { $0["id"]?.string } == [id])
      #expect(try await service.send(.DELETE, path, [own]).status == 204)
    }
  }

  @Test func anOrderThatNoProcessCouldBeGivenIsRefusedByName() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let text = String(repeating: "x", count: 4_096)
      let cues = (0..<2_000).map { _ in Cue(id: CueID(at: MonotonicClock.wall), position: SamplePosition(0), text: text)
      }
      try await service.catalog.store(rehearsed.take, tracks: rehearsed.manifest.tracks, cues: cues)
      let answer = try await service.post("/v1/takes/\(rehearsed.take.id)/exports", ["format": "wav16"])
      #expect(try answer.status == 409 && answer.problem == "too-many")
      #expect(answer.text.contains("the 2000 cues of the take \(rehearsed.take.id)"), "\(answer.text)")
      #expect(try await service.send(.GET, "/v1/exports").items.isEmpty)
      // The folder is made when the service looks for former exports.
      let left = try? FileManager.default.contentsOfDirectory(atPath: service.data.path + "/_exports")
      #expect(left?.isEmpty != false, "\(left ?? [])")
    }
  }

  @Test func makesAMixAndHandsItOutInPieces() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let export = try await done(rehearsed.take.id, ["kind": "mix", "format": "wav24"], service)
      #expect(export["state"] == "done" && export["progress"]?.double == 1 && export["problem"] == .null)
      let path = try #require(export["file"]?.string)
      let whole = try await service.send(.GET, path)
      #expect(whole.status == 200 && whole["content-type"] == "audio/wav")
      #expect(whole["content-disposition"]?.contains(".wav") == true)
      #expect(Int64(whole.bytes.count) == export["size"]?.integer)
      #expect(Array(whole.bytes.prefix(4)) == Array("RIFF".utf8))
      let part = try await service.send(.GET, path, [("Range", "bytes=8-11")])
      #expect(part.status == 206 && part.text == "WAVE")
      let tag = try #require(whole["etag"])
      #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
      #expect(try await service.send(.HEAD, path)["content-length"] == "\(whole.bytes.count)")
      #expect(try await service.send(.GET, "/v1/exports").items.count == 1)
      #expect(try await service.send(.GET, "/v1/exports?state=failed").items.isEmpty)
      #expect(try await service.send(.GET, "/v1/exports?take=\(rehearsed.take.id)").items.count == 1)
    }
  }

  @Test func answersTheSameWishWithTheSameExportAlsoAfterARestart() async throws {
    let data = try DataFolder()
    var first: JSONObject = [:]
    let wish: JSONValue = ["format": "wav16", "mix": ["gain": -3]]
    // Another way to say the same.
    let same = try JSONValue(
      parsing: #"{"kind":"mix","format":"wav16","rate":48000,"mix":{"gain":-3.0,"channels":{"1":{"pan":0}}}}"#)
    try await TestService.with(data: data) { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      first = try await done(rehearsed.take.id, wish, service)
      let again = try await service.post("/v1/takes/\(rehearsed.take.id)/exports", same)
      #expect(again.status == 200)
      #expect(try again.json["id"] == first["id"])
      let other = try await done(rehearsed.take.id, ["format": "wav16", "mix": ["gain": -4]], service)
      #expect(other["id"] != first["id"])
      // What is half done when the service ends is removed at the next start.
      try data.write("half", "_exports/\(String(repeating: "a", count: 32))/mix.wav.part")
      try data.write("whole, but of nothing", "_exports/\(String(repeating: "b", count: 32))/mix.wav")
    }
    try await TestService.with(data: data) { service async throws in
      let take = try #require(first["take"]?.string.flatMap { TakeID($0) })
      try await eventually("the exports of the last run are found") {
        try await service.send(.GET, "/v1/exports").items.count == 2
      }
      let again = try await service.post("/v1/takes/\(take)/exports", wish)
      #expect(again.status == 200)
      #expect(try again.json["id"] == first["id"] && again.json["createdAt"] == first["createdAt"])
      let folders = try FileManager.default.contentsOfDirectory(atPath: data.path + "/_exports")
      #expect(folders.count == 2)
    }
  }

  @Test func aChangedTakeIsExportedAnew() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let first = try await done(rehearsed.take.id, ["format": "wav24"], service)
      let cue = Cue(id: CueID(at: MonotonicClock.wall), position: SamplePosition(1_000), text: "solo")
      try await service.catalog.store(rehearsed.take, tracks: rehearsed.manifest.tracks, cues: [cue])
      let second = try await done(rehearsed.take.id, ["format": "wav24"], service)
      #expect(first["id"] != second["id"])
    }
  }

  @Test func packsTheWholeTake() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let export = try await done(rehearsed.take.id, ["kind": "archive"], service)
      let answer = try await service.send(.GET, try #require(export["file"]?.string))
      #expect(answer["content-type"] == "application/zip" && Array(answer.bytes.prefix(2)) == Array("PK".utf8))
    }
  }

  @Test func removesAnExportAndThoseOfADeletedTake() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let export = try await done(rehearsed.take.id, ["format": "wav24"], service)
      let id = try #require(export["id"]?.string)
      #expect(try await service.send(.DELETE, "/v1/exports/\(id)").status == 204)
      #expect(try await service.send(.GET, "/v1/exports/\(id)").status == 404)
      #expect(try await service.send(.GET, "/v1/exports/\(id)/file").status == 404)
      #expect(try await service.send(.DELETE, "/v1/exports/\(id)").status == 404)
      // The last one takes the folder of all with it.
      #expect((try? FileManager.default.contentsOfDirectory(atPath: service.data.path + "/_exports"))?.isEmpty != false)
      _ = try await done(rehearsed.take.id, ["format": "wav24"], service)
      #expect(try await service.send(.DELETE, "/v1/takes/\(rehearsed.take.id)").status == 200)
      try await eventually("the exports of the deleted take are removed") {
        try await service.send(.GET, "/v1/exports").items.isEmpty
      }
    }
  }

  /// A command deletes takes while no service runs, and there is no event of it then.
  @Test func aStartRemovesTheExportsOfTakesThatAreGone() async throws {
    let data = try DataFolder()
    let take: TakeID
    do {
      let catalog = try SQLiteCatalog.open(at: data.path + "/catalog.db", now: MonotonicClock.wall)
      take = try await RehearsedTake(in: data, catalog).take.id
      try catalog.close()
    }
    try await TestService.with(data: data) { service async throws in
      _ = try await done(take, ["format": "wav24"], service)
    }
    try await TestService.with(data: data) { service async throws in
      #expect(try await service.send(.GET, "/v1/exports").items.count == 1)
      let command = try Library(recordings: data.path, index: service.catalog)
      _ = try await command.delete(take)
    }
    try await TestService.with(data: data) { service async throws in
      try await eventually("the export of the deleted take is removed") {
        try await service.send(.GET, "/v1/exports").items.isEmpty
      }
    }
  }

  /// Bodies that cannot be, and the field that is named.
  private static let wrong: [(String, String)] = [
    (#"{"kind":"tape"}"#, "kind"), (#"{"format":"flac23"}"#, "format"), (#"{"rate":44101}"#, "rate"),
    (#"{"rate":"48000"}"#, "rate"), (#"{"loud":true}"#, "loud"), (#"{"mix":7}"#, "mix"),
    (#"{"mix":{"gain":900}}"#, "mix.gain"), (#"{"mix":{"gain":"loud"}}"#, "mix.gain"),
    (#"{"mix":{"gian":1}}"#, "mix.gian"), (#"{"mix":{"channels":{"9":{"gain":1}}}}"#, "mix.channels"),
    (#"{"mix":{"channels":{"01":{}}}}"#, "mix.channels"), (#"{"mix":{"channels":{"1":3}}}"#, "mix.channels.1"),
    (#"{"mix":{"channels":{"1":{"pan":2}}}}"#, "mix.channels.1.pan"),
    (#"{"mix":{"channels":{"1":{"offset":1e300}}}}"#, "mix.channels.1.offset"),
    (#"{"mix":{"normalization":{}}}"#, "mix.normalization.loudness"),
    (#"{"mix":{"from":1,"to":0.5}}"#, "mix.to"), (#"{"mix":{"from":"nowhere"}}"#, "mix.from"),
    (#"{"mix":{"to":1e9}}"#, "mix.to"), (#"{"mix":{"fadeIn":-1}}"#, "mix.fadeIn"),
    (#"{"mix":{"from":0,"to":100000}}"#, "mix.range"), (#"{"perspective":"zoe"}"#, "perspective"),
    (#"{"perspective":"ada","follow":"bob"}"#, "follow"), (#"{"follow":"7"}"#, "follow"),
  ]

  @Test func refusesWhatCannotBeAndSaysWhatCould() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(rehearsed.take.id)/exports"
      for (body, field) in ExportsTests.wrong {
        let answer = try await service.send(.POST, path, [("Content-Type", "application/json")], body: body)
        #expect(answer.status == 400, "\(body)")
        #expect(try answer.json["field"]?.string == field, "\(body)")
      }
      let nobody = try await service.post("/v1/takes/\(TakeID(at: MonotonicClock.wall))/exports", [:])
      #expect(nobody.status == 404)
      for path in ["/v1/exports/x", "/v1/exports/..%2F..%2Fx", "/v1/exports/x/file"] {
        #expect(try await service.send(.GET, path).status == 404)
      }
      #expect(try await service.send(.GET, "/v1/exports?take=x").status == 400)
      #expect(try await service.send(.GET, "/v1/exports?state=x").status == 400)
      #expect(try await service.send(.GET, "/v1/exports").items.isEmpty)
    }
  }

  @Test func aTakeWhoseFilesAreGoneFailsAndSaysSo() async throws {
    try await TestService.with { service async throws in
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      for file in rehearsed.manifest.files where file.role != .journal {
        try service.data.remove("\(rehearsed.take.folder)/\(file.name)")
      }
      let answer = try await service.post("/v1/takes/\(rehearsed.take.id)/exports", ["format": "wav24"])
      let id = try #require(try answer.json["id"]?.string)
      let export = try await over(id, service)
      #expect(export["state"] == "failed" && export["problem"]?.string?.isEmpty == false)
      let file = try await service.send(.GET, "/v1/exports/\(id)/file")
      #expect(file.status == 409)
      #expect(try file.problem == "export-not-ready")
      // The last one takes the folder of all with it.
      #expect((try? FileManager.default.contentsOfDirectory(atPath: service.data.path + "/_exports"))?.isEmpty != false)
    }
  }

  /// As a full disk or a careless hand leaves it.
  @Test func aDamagedManifestIsNamedWithoutItsPlace() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      try service.data.write(#"{"version": 1, "take": {"#, "\(shelved.take.folder)/manifest.json")
      let answer = try await service.post("/v1/takes/\(shelved.take.id)/exports", ["format": "wav16"])
      let text = String(decoding: answer.bytes, as: UTF8.self)
      #expect(answer.status == 404 && text.contains("manifest.json") && text.contains("jamjar catalog check"))
      #expect(!text.contains(shelved.take.folder) && !text.contains(service.data.path))
    }
  }

  @Test func aRecordOfNonsenseIsNoExport() throws {
    for text in ["", "{", "{}", "[]", "{\"id\":\"../../x\"}", "{\"id\":\"\(String(repeating: "a", count: 32))\"}"] {
      #expect(ExportJob(record: Array(text.utf8)) == nil)
    }
  }
}
