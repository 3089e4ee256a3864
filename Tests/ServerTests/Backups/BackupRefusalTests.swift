import Catalog
import Foundation
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Library
@testable import Server

@Suite(.timeLimit(.minutes(5))) struct BackupRefusalTests {
  @Test func otherAudioIsRefusedAndItsSamplesGo() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let path = try await backed.begin(service)
      var random = SeededRandom(5)
      let noise = (0..<backed.bytes.count).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      try await service.upload(noise, to: path)
      let backup = try await service.over(path)
      #expect(backup["state"] == "refused" && backup["problem"]?.string?.contains("does not fit") == true, "\(backup)")
      #expect(try backed.uploads(service).map { String($0.suffix(5)) } == [".json"])
      let more = try await service.append([1], to: path, at: 0)
      #expect(try more.status == 409 && more.problem == "backup-refused")
      #expect(try await service.send(.DELETE, path).status == 204)
      #expect(try backed.uploads(service).isEmpty)
    }
  }

  /// Its take was cut off before it could be rendered: the musician is told, and the samples stay.
  @Test func theCopyOfATakeThatFailedIsToldAndKept() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let session = Session(
        id: SessionID(at: MonotonicClock.wall), room: backed.take.room, startedAt: MonotonicClock.wall)
      try await service.catalog.open(session)
      let folder = "\(backed.folder)-failed"
      let take = try await service.catalog.create(
        Take(
          id: TakeID(at: MonotonicClock.wall), number: 1, state: .rolling, room: session.room, session: session.id,
          startedAt: MonotonicClock.wall, folder: ""), songTitle: nil, folder: { _ in folder })
      try FileManager.default.createDirectory(
        atPath: "\(service.data.path)/\(folder)", withIntermediateDirectories: true)
      let wish = backed.wish(ParticipantID(at: MonotonicClock.wall))
      let path = try #require(try await service.post("/v1/takes/\(take.id)/backups", wish)["location"])
      let late = try #require(try await service.post("/v1/takes/\(take.id)/backups", wish)["location"])
      try await service.upload(backed.bytes, to: path)
      #expect(try await service.send(.GET, path).json["state"] == "waiting")
      try await service.catalog.setState(of: take.id, to: .failed)
      var failed = take
      failed.state = .failed
      service.broker.events.publish(.takeFailed, room: take.room, .take(failed))
      let backup = try await service.over(path)
      #expect(
        backup["state"] == "failed" && backup["problem"]?.string?.contains("could not be rendered") == true, "\(backup)"
      )
      // One that is complete only now.
      try await service.upload(backed.bytes, to: late)
      #expect(try await service.over(late)["state"] == "failed")
      let names = try FileManager.default.contentsOfDirectory(atPath: "\(service.data.path)/\(folder)")
      #expect(names.filter { $0.hasPrefix("backup-") && !$0.hasSuffix(".json") }.count == 2, "\(names)")
      // Nothing is left of one whose take is gone.
      service.broker.events.publish(.takeDiscarded, room: take.room, .takeID(take.id))
      try await eventually("the backup is forgotten") { try await service.send(.GET, path).status == 404 }
    }
  }

  @Test func nothingIsKeptOfSomebodyWhoHasNoTrack() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let wish = backed.wish(ParticipantID(at: MonotonicClock.wall))
      let answer = try await service.post("/v1/takes/\(backed.take.id)/backups", wish)
      #expect(try answer.status == 409 && answer.problem == "no-track")
      #expect(try answer.json["permitted"]?.array?.count == 2)
      #expect(try backed.uploads(service).isEmpty)
    }
  }

  @Test func thereAreFourOfOneParticipantAtMost() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      var paths: [String] = []
      for _ in 0..<4 { paths.append(try await backed.begin(service)) }
      let answer = try await service.post("/v1/takes/\(backed.take.id)/backups", backed.wish())
      #expect(try answer.status == 409 && answer.problem == "too-many")
      _ = try await backed.begin(service, backed.manifest.tracks[1].participant.id)
      #expect(try await service.send(.DELETE, paths[2]).status == 204)
      _ = try await backed.begin(service)
    }
  }

  @Test func aDiskThatIsNearlyFullTakesNothing() async throws {
    try await TestService.with({ $0.backups = BackupConfiguration(reserve: 1 << 60) }) { service async throws in
      let backed = try await BackedTake(service)
      let answer = try await service.post("/v1/takes/\(backed.take.id)/backups", backed.wish())
      #expect(try answer.status == 507 && answer.problem == "storage")
      #expect(try backed.uploads(service).isEmpty)
      #expect(try await service.send(.GET, "/v1/takes/\(backed.take.id)/backups").items.isEmpty)
    }
  }

  @Test func aPieceHasFourMebibytesAndABackupSixHoursAtMost() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let path = try await backed.begin(service)
      // It is refused before it is sent.
      let large = try await RawConnection.with(port: service.port) { connection in
        try await connection.send(
          "PATCH \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/partial-upload\r\n"
            + "Upload-Offset: 0\r\nUpload-Complete: ?0\r\nContent-Length: \(4 << 20 | 1)\r\n\r\n")
        return await connection.until("}")
      }
      #expect(large.hasPrefix("HTTP/1.1 413") && large.contains("\"limit\":4194304"), "\(large)")
      #expect(try await service.append([UInt8](repeating: 0, count: 4 << 20), to: path, at: 0).status == 204)
      let limit = try await service.send(.HEAD, path)["upload-limit"]
      #expect(limit == "max-append-size=4194304, max-size=\(6 * 3_600 * 44_100 * 3)")
    }
  }

  /// Bodies of a POST that cannot be, and the field that is named.
  private static let wrong: [(String, JSONValue, String)] = [
    ("participant", .null, "participant"), ("participant", "ada", "participant"), ("sampleRate", 7_999, "sampleRate"),
    ("sampleRate", 192_001, "sampleRate"), ("sampleRate", "48000", "sampleRate"), ("channels", 0, "channels"),
    ("channels", 3, "channels"), ("format", "s16le", "format"), ("format", .null, "format"),
    ("startedAt", "yesterday", "startedAt"), ("startedAt", "0001-01-01T00:00:00Z", "startedAt"),
    ("startedAt", "9999-12-31T23:59:59Z", "startedAt"), ("startedAt", "1969-12-31T23:59:59.999Z", "startedAt"),
    ("startedAt", "2200-01-01T00:00:00Z", "startedAt"), ("device", .integer(7), "device"),
    ("device", .string(String(repeating: "x", count: 201)), "device"), ("bits", 24, "bits"),
  ]

  @Test func saysWhatIsWrongWithAWish() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let path = "/v1/takes/\(backed.take.id)/backups"
      for (name, value, field) in Self.wrong {
        var wish = try #require(backed.wish().object)
        wish[name] = value
        let answer = try await service.post(path, .object(wish))
        #expect(try answer.status == 400 && answer.json["field"]?.string == field, "\(name) \(value): \(answer.text)")
      }
      var wish = try #require(backed.wish().object)
      wish["startedAt"] = "0001-01-01T00:00:00Z"
      let range = try await service.post(path, .object(wish)).json["permitted"]?.array
      #expect(range == ["1970-01-01T00:00:00.000Z…2199-12-31T23:59:59.999Z"], "\(String(describing: range))")
      #expect(
        try await service.post("/v1/takes/\(TakeID(at: MonotonicClock.wall))/backups", backed.wish()).status == 404)
      #expect(try await service.post("/v1/takes/x/backups", backed.wish()).status == 404)
      #expect(try await service.send(.GET, "/v1/backups/x").status == 404)
      #expect(try await service.send(.GET, "/v1/backups/\(BackupID(at: MonotonicClock.wall))").status == 404)
      #expect(try backed.uploads(service).isEmpty)
    }
  }

  @Test func saysWhatIsWrongWithAPiece() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let path = try await backed.begin(service)
      let type = ("Content-Type", "application/partial-upload")
      let (offset, complete) = (("Upload-Offset", "0"), ("Upload-Complete", "?0"))
      func patch(_ headers: [(String, String)]) async throws -> TestService.Answer {
        try await service.send(.PATCH, path, headers, bytes: [1, 2, 3])
      }
      let plain = try await patch([("Content-Type", "application/octet-stream"), offset, complete])
      #expect(plain.status == 415 && plain["accept-patch"] == "application/partial-upload")
      for value in ["-1", "1.5", "", "x", "9999999999999999", "0;a=1"] {
        let answer = try await patch([type, ("Upload-Offset", value), complete])
        #expect(try answer.status == 400 && answer.json["field"] == "Upload-Offset", "\(value): \(answer.text)")
      }
      for value in ["1", "true", "?2", ""] {
        let answer = try await patch([type, offset, ("Upload-Complete", value)])
        #expect(try answer.status == 400 && answer.json["field"] == "Upload-Complete", "\(value): \(answer.text)")
      }
      #expect(try await patch([type, complete]).status == 400)
      #expect(try await patch([type, offset]).status == 400)
      #expect(try await patch([type, ("Upload-Offset", "999999999999999"), complete]).status == 409)
      #expect(try await service.send(.HEAD, path)["upload-offset"] == "0")
      // A take in the trash takes nothing, and goes on where it was once it is back.
      #expect(try await service.append([1, 2], to: path, at: 0).status == 204)
      #expect(try await service.send(.DELETE, "/v1/takes/\(backed.take.id)").status == 200)
      let gone = try await service.append([3], to: path, at: 2)
      #expect(try gone.status == 409 && gone.problem == "take-deleted")
      #expect(try await service.post("/v1/takes/\(backed.take.id)/backups", backed.wish()).status == 409)
      #expect(try await service.send(.POST, "/v1/takes/\(backed.take.id)/restore").status == 200)
      #expect(try await service.append([3], to: path, at: 2).status == 204)
    }
  }

  /// What an older release took, or a hand wrote: each ended the service within seconds of its start, again and again.
  @Test func whatCannotBeAlignedOnTheDiskIsListedAsRefusedWithAReason() async throws {
    let data = try DataFolder()
    var take: TakeID?
    let spoils: [(word: String, spoil: (inout Backup) -> Void)] = [
      ("startedAt is 1677-09-21T00:12:43.145Z; permitted: 1970", { $0.startedAt = WallTime(nanoseconds: .min) }),
      ("startedAt is 2262-04-11T23:47:16.854Z; permitted: 1970", { $0.startedAt = WallTime(nanoseconds: .max) }),
      ("sampleRate is 0; permitted: 8000 to 192000 Hz", { $0.sampleRate = 0 }),
      ("sampleRate is 9223372036854775807", { $0.sampleRate = .max }), ("channels is 0", { $0.channels = 0 }),
      ("channels is 9223372036854775807", { $0.channels = .max }),
      ("bytes is -9223372036854775808", { $0.bytes = .min }),
    ]
    var spoiled: [(id: BackupID, word: String)] = []
    try await TestService.with(data: data) { service async throws in
      let backed = try await BackedTake(service)
      take = backed.take.id
      let folder = try TakeFolder(existing: backed.folder, in: data.path)
      for (word, spoil) in spoils {
        let now = MonotonicClock.wall
        var backup = Backup(
          id: BackupID(at: now), take: backed.take.id, participant: backed.ada.participant.id,
          sampleRate: BackedTake.rate, channels: 1, startedAt: backed.take.startedAt, createdAt: now, state: .waiting)
        backup.bytes = Int64(backed.bytes.count)
        spoil(&backup)
        spoiled.append((backup.id, word))
        try BackupFile.createSamples(of: backup.id, in: folder)
        try backed.bytes.withUnsafeBytes { try folder.append($0, to: BackupFile.samplesName(of: backup.id), at: 0) }
        try BackupFile(backup).write(in: folder)
      }
    }
    try await TestService.with(data: data) { service async throws in
      let take = try #require(take)
      let listed = try await service.send(.GET, "/v1/takes/\(take)/backups").items
      #expect(listed.count == spoils.count)
      for (id, word) in spoiled {
        let backup = try #require(listed.first { $0["id"]?.string == id.description })
        #expect(backup["state"] == "refused" && backup["problem"]?.string?.hasPrefix(word) == true, "\(backup)")
        #expect(try await service.send(.HEAD, "/v1/backups/\(id)").status == 200)
        #expect(try await service.append([1], to: "/v1/backups/\(id)", at: 0).problem == "backup-refused")
      }
      // A good one after them is aligned as ever, and they can be removed.
      let folder = try #require(try await service.catalog.take(take)).folder
      let manifest = try Manifest(of: TakeFolder(existing: folder, in: data.path))
      #expect(manifest.tracks.count == 2)
      for (id, _) in spoiled { #expect(try await service.send(.DELETE, "/v1/backups/\(id)").status == 204) }
      #expect(try await service.send(.GET, "/v1/takes/\(take)/backups").items.isEmpty)
    }
  }

  @Test func whatNobodyFinishesIsDropped() async throws {
    try await TestService.with({ $0.backups.patience = -1_000 }) { service async throws in
      let backed = try await BackedTake(service)
      let path = try await backed.begin(service)
      // An event of a take makes it look.
      service.broker.events.publish(.takeReady, room: backed.take.room, .take(backed.take))
      try await eventually("the backup is dropped") { try await service.send(.GET, path).status == 404 }
      #expect(try backed.uploads(service).isEmpty)
    }
  }

  @Test func aMusiciansTokenIsEnoughForTheirRoom() async throws {
    try await TestService.with({ configuration throws in
      configuration.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let backed = try await BackedTake(service)
      let tokens = JoinTokens(secret: Secret(TestService.secret))
      func bearer(_ room: String, _ role: Authority) async throws -> [(String, String)] {
        let later = WallTime(milliseconds: MonotonicClock.wall.milliseconds + 600_000)
        let token = try tokens.make(room: RoomName(checking: room), role: role, expiry: later)
        return [("Authorization", "Bearer \(token)")]
      }
      let path = "/v1/takes/\(backed.take.id)/backups"
      #expect(try await service.post(path, backed.wish()).status == 401)
      #expect(try await service.post(path, backed.wish(), bearer("Cellar", .musician)).status == 404)
      #expect(try await service.post(path, backed.wish(), bearer("Garage", .listener)).status == 403)
      let mine = try await bearer("Garage", .musician)
      let answer = try await service.post(path, backed.wish(), mine)
      #expect(answer.status == 201, "\(answer.text)")
      let backup = try #require(answer["location"])
      #expect(try await service.send(.GET, backup).status == 401)
      #expect(try await service.append([1], to: backup, at: 0, mine).status == 204)
      #expect(try await service.send(.GET, path, mine).items.count == 1)
      #expect(try await service.send(.DELETE, backup, mine).status == 204)
    }
  }
}
