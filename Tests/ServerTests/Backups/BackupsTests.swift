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

@Suite(.timeLimit(.minutes(5))) struct BackupsTests {
  /// What is amiss on the disk; the rehearsed take's row knows less than its manifest.
  private func findings(_ service: TestService) async throws -> [CatalogCheck.Finding] {
    try await CatalogCheck(service.broker.library, readsFiles: true).run().findings.filter { $0.code != "differs" }
  }

  @Test func becomesALosslessTrackThatIsOfferedEverywhere() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let tracks = "/v1/takes/\(backed.take.id)/tracks"
      let (audio, peaks) = ("\(tracks)/\(backed.ada.id)/audio", "\(tracks)/\(backed.ada.id)/peaks")
      let before = try await service.send(.GET, tracks).items
      #expect(!before.isEmpty && before.allSatisfy { $0["lossless"] == .null })
      #expect(try await service.send(.GET, audio + "?source=lossless").status == 404)
      let path = try await backed.begin(service)
      try await service.upload(backed.bytes, to: path)
      let backup = try await service.over(path)
      #expect(backup["state"] == "ready" && backup["complete"] == true && backup["problem"] == .null, "\(backup)")
      #expect(backup["track"]?.string == backed.ada.id.description)
      #expect(backup["received"]?.integer == Int64(backed.bytes.count))
      let alignment = try #require(backup["alignment"]?.object)
      #expect(abs((alignment["offset"]?.double ?? 0) + 0.5) < 0.005, "\(alignment)")
      #expect(alignment["pieces"] == 1 && (alignment["correlation"]?.double ?? 0) > 0.95)
      let covered = try #require(alignment["covered"]?.double)
      // The copy has 3.5 s of the take; where the track has not settled yet nothing shows that it fits.
      #expect((3.2...3.5).contains(covered) && covered + (alignment["filled"]?.double ?? 0) == BackedTake.length)

      // What was uploaded stays beside what tells of it.
      #expect(try backed.uploads(service).map { String($0.suffix(4)) } == ["json", ".pcm"])
      let lossless = try #require(try await service.send(.GET, tracks).items[0]["lossless"]?.object)
      #expect(lossless["backup"]?.string == backup["id"]?.string && lossless["covered"]?.double == covered)
      #expect(try await service.send(.GET, tracks).items[1]["lossless"] == .null)

      let sound = try await service.send(.GET, audio + "?source=lossless")
      #expect(sound.status == 200 && sound["content-type"] == "audio/flac")
      let own = try await service.send(.GET, audio)
      #expect(try await service.send(.GET, audio + "?source=take").bytes == own.bytes && sound.bytes != own.bytes)
      #expect(try await service.send(.GET, audio + "?source=lossless", [("Range", "bytes=0-3")]).text == "fLaC")
      #expect(try await service.send(.GET, audio + "?source=tape").problem == "invalid-field")
      #expect(try await service.send(.GET, peaks + "?source=lossless&format=json").status == 200)
      let folder = try TakeFolder(existing: backed.folder, in: service.data.path)
      let list = try LosslessTracks(of: backed.take.id, in: folder)
      let file = try SoundFileReader(try #require(list.tracks.first).sound.name, in: folder)
      #expect(SamplePosition(file.frameCount) == backed.take.length && file.channels == 1)
      #expect(file.tags.artist == "ada")

      #expect(try await findings(service) == [])
      let archive = try await service.send(.GET, "/v1/takes/\(backed.take.id)/archive").end
      #expect(archive.contains("-lossless.flac") && archive.contains("lossless.json") && !archive.contains("backup-"))

      // Without the list's entry the files go as well.
      #expect(try await service.send(.DELETE, path).status == 204)
      #expect(try await service.send(.GET, path).status == 404)
      #expect(try await service.send(.GET, tracks).items[0]["lossless"] == .null)
      #expect(try backed.uploads(service).isEmpty)
      // Segments for listening may be in the making; they do not stay.
      try await eventually("nothing of it is left") { try !folder.names().contains { $0.contains("lossless") } }
    }
  }

  /// As a page sends them that was loaded anew in the middle of a take.
  @Test func twoBackupsOfOneTrackAddUp() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service, length: 10)
      let frame = 3
      func send(_ seconds: Range<Double>) async throws -> JSONObject {
        let bytes = seconds.lowerBound * Double(BackedTake.rate) * Double(frame)
        let end = seconds.upperBound * Double(BackedTake.rate) * Double(frame)
        let range = (Int(bytes) / frame * frame)..<min(backed.bytes.count, Int(end) / frame * frame)
        let path = try await backed.begin(service)
        try await service.upload(Array(backed.bytes[range]), to: path)
        return try await service.over(path)
      }
      let covered = { (backup: JSONObject) in backup["alignment"]?.object?["covered"]?.double ?? 0 }
      let first = try await send(0..<5)
      #expect(first["state"] == "ready" && (4.2...4.5).contains(covered(first)), "\(first)")
      // A second away: the take's own sound stands in there.
      let second = try await send(6..<20)
      #expect(second["state"] == "ready" && (8.2...8.5).contains(covered(second)), "\(second)")
      let third = try await send(1..<5)
      #expect(third["state"] == "refused" && third["problem"]?.string?.contains("another backup") == true, "\(third)")
      let track = try await service.send(.GET, "/v1/takes/\(backed.take.id)/tracks").items[0]
      #expect((8.2...8.5).contains(track["lossless"]?.object?["covered"]?.double ?? 0))
      // What the first gave is still there, to the sample.
      let folder = try TakeFolder(existing: backed.folder, in: service.data.path)
      let list = try LosslessTracks(of: backed.take.id, in: folder)
      let file = try SoundFileReader(try #require(list.tracks.first).sound.name, in: folder)
      let samples = try file.read(frames: 10 * 48_000)
      let sides = (0..<2).map { VirtualSignal().samples(from: 0, count: 10 * 48_000, channel: $0) }
      let truth = zip(sides[0], sides[1]).map { ($0 + $1) / 2 }
      for range in [48_000..<192_000, 288_000..<432_000] {
        let match = try #require(
          CrossCorrelation.align(Array(samples[range]), to: Array(truth[range]), maximumLag: 480))
        #expect(match.coefficient > 0.999, "\(match)")
      }
    }
  }

  @Test func anExportIsMadeOfLosslessTracksWhereItIsAskedTo() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      func export(_ body: JSONValue) async throws -> String {
        let answer = try await service.post("/v1/takes/\(backed.take.id)/exports", body)
        #expect(answer.status == 202, "\(answer.text)")
        let path = try #require(answer["location"])
        #expect(try await service.over(path)["state"] == "done")
        return path
      }
      let before = try await export(["format": "wav24"])
      let same = try await service.post(
        "/v1/takes/\(backed.take.id)/exports", ["format": "wav24", "source": "take"])
      #expect(same.status == 200 && same["location"] == before)
      let path = try await backed.begin(service)
      try await service.upload(backed.bytes, to: path)
      #expect(try await service.over(path)["state"] == "ready")
      let after = try await export(["format": "wav24", "source": "lossless"])
      #expect(after != before)
      let (old, new) = (
        try await service.send(.GET, before + "/file").bytes, try await service.send(.GET, after + "/file").bytes
      )
      #expect(old.count == new.count && old != new)
      let stems = try await export(["kind": "stems", "source": "lossless"])
      #expect(try await service.send(.GET, stems + "/file").end.contains("lossless"))
      let archive = try await export(["kind": "archive"])
      #expect(try await service.send(.GET, archive + "/file").end.contains("-lossless.flac"))
      let wrong = try await service.post("/v1/takes/\(backed.take.id)/exports", ["source": "tape"])
      #expect(try wrong.status == 400 && wrong.json["field"] == "source")
    }
  }

  @Test func goesOnWhereItStoppedAlsoAfterARestart() async throws {
    let data = try DataFolder()
    var path = ""
    var bytes: [UInt8] = []
    try await TestService.with(data: data) { service async throws in
      let backed = try await BackedTake(service)
      bytes = backed.bytes
      path = try await backed.begin(service)
      #expect(try await service.append(Array(bytes[..<100_001]), to: path, at: 0).status == 204)
      // The answer was lost, and the same bytes come again.
      let again = try await service.append(Array(bytes[..<100_001]), to: path, at: 0)
      #expect(try again.status == 409 && again.problem == "upload-offset")
      #expect(try again.json["received"] == 100_001 && again["upload-offset"] == "100001")
      #expect(try await service.append([1], to: path, at: 100_002).status == 409)
      let head = try await service.send(.HEAD, path)
      #expect(head.status == 200 && head["upload-offset"] == "100001" && head["upload-complete"] == "?0")
    }
    try await TestService.with(data: data) { service async throws in
      let shown = try await service.send(.GET, path).json
      #expect(shown["received"] == 100_001 && shown["state"] == "receiving" && shown["device"] == "a sound card")
      let half = bytes.count / 2
      #expect(try await service.append(Array(bytes[100_001..<half]), to: path, at: 100_001).status == 204)
      #expect(try await service.append(Array(bytes[half...]), to: path, at: half).status == 204)
      let end = try await service.append([], to: path, at: bytes.count, isLast: true)
      #expect(end.status == 204 && end["upload-complete"] == "?1")
      // Once more does no harm, and nothing can follow.
      #expect(try await service.append([], to: path, at: bytes.count, isLast: true).status == 204)
      let more = try await service.append([7], to: path, at: bytes.count)
      #expect(try more.status == 409 && more.problem == "upload-complete")
      #expect(try await service.over(path)["state"] == "ready")
    }
    try await TestService.with(data: data) { service async throws in
      let backup = try await service.send(.GET, path).json
      #expect(backup["state"] == "ready" && backup["received"]?.integer == Int64(bytes.count))
      let take = try #require(backup["take"]?.string)
      #expect(try await service.send(.GET, "/v1/takes/\(take)/backups").items.count == 1)
      // A take that goes to the trash takes everything along, and brings it back.
      #expect(try await service.send(.DELETE, "/v1/takes/\(take)").status == 200)
      #expect(try await service.send(.GET, path).status == 200)
      #expect(try await service.send(.POST, "/v1/takes/\(take)/restore").status == 200)
      #expect(try await service.send(.GET, "/v1/takes/\(take)/tracks").items[0]["lossless"]?.object != nil)
      let id = try #require(TakeID(take))
      _ = try await service.broker.library.delete(id)
      try await service.broker.library.purge(id)
      #expect(!FileManager.default.fileExists(atPath: "\(data.path)/_trash/\(take)"))
      #expect(try await service.send(.GET, path).status == 404)
    }
  }

  @Test func waitsForTheTakeAndIsAlignedByTheNextProcessWhereOneEnded() async throws {
    let data = try DataFolder()
    var (mine, strange) = ("", "")
    try await TestService.with(data: data) { service async throws in
      let backed = try await BackedTake(service)
      try await service.catalog.setState(of: backed.take.id, to: .rendering)
      mine = try await backed.begin(service)
      // Nobody knows yet who will have a track.
      strange = try await backed.begin(service, ParticipantID(at: MonotonicClock.wall))
      try await service.upload(backed.bytes, to: mine)
      try await service.upload(Array(backed.bytes.prefix(400_000)), to: strange)
      #expect(try await service.send(.GET, mine).json["state"] == "waiting")
      #expect(try backed.uploads(service).count == 4)
      try await service.catalog.store(backed.take, tracks: backed.manifest.tracks, cues: [])
    }
    try await TestService.with(data: data) { service async throws in
      #expect(try await service.over(mine)["state"] == "ready")
      let other = try await service.over(strange)
      #expect(other["state"] == "refused" && other["problem"]?.string?.contains("no track") == true)
      let take = try #require(other["take"]?.string.flatMap { TakeID($0) })
      let folder = try #require(try await service.catalog.take(take)).folder
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(data.path)/\(folder)")
      #expect(
        names.count { $0.hasSuffix(".pcm") } == 1
          && !names.contains { $0.hasPrefix("backup-") && $0.hasSuffix(".part") })
    }
  }

  @Test func theFeedOfATakeThatIsReadyBeginsTheWork() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      try await service.catalog.setState(of: backed.take.id, to: .rendering)
      let path = try await backed.begin(service)
      try await service.upload(backed.bytes, to: path)
      #expect(try await service.send(.GET, path).json["state"] == "waiting")
      try await service.catalog.store(backed.take, tracks: backed.manifest.tracks, cues: [])
      service.broker.events.publish(.takeReady, room: backed.take.room, .take(backed.take))
      #expect(try await service.over(path)["state"] == "ready")
    }
  }

  @Test func theOneThatCoversMoreStays() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let (short, whole, late) = (
        try await backed.begin(service), try await backed.begin(service), try await backed.begin(service)
      )
      let part = Array(backed.bytes.prefix(BackedTake.rate * 34 / 10 * 3))
      try await service.upload(part, to: short)
      #expect(try await service.over(short)["state"] == "ready")
      try await service.upload(backed.bytes, to: whole)
      #expect(try await service.over(whole)["state"] == "ready")
      let former = try await service.send(.GET, short).json
      #expect(former["state"] == "refused" && former["problem"]?.string?.contains("took its place") == true)
      try await service.upload(part, to: late)
      #expect(try await service.over(late)["problem"]?.string?.contains("another backup covers") == true)
      #expect(try await service.send(.GET, whole).json["state"] == "ready")
      #expect(try await findings(service) == [])
    }
  }
}
