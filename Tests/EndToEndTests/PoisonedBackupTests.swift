import Foundation
import Music
import NIOHTTP1
import Recording
import Signaling
import TestSupport
import Testing

extension Programs {
  /// Times and counts that no backup can have, by request and on the disk: the service lives, and says what is wrong.
  @Suite struct PoisonedBackupTests {
    /// Before the first time that 64 bits of nanoseconds hold.
    private static let ancient = "0001-01-01T00:00:00Z"

    @Test func aTimeBeyondAllClocksIsRefusedAndTheServiceLives() async throws {
      let folder = try await PlayedFolder.copy()
      let service = try await Service(folder: folder)
      let take = try #require(try await service.get("/v1/takes").object?["items"]?.array?.first?.object)
      let path = "/v1/takes/\(take["id"]?.string ?? "")"
      let track = try #require(try await service.get(path + "/tracks").object?["items"]?.array?.first?.object)
      func begin(_ startedAt: String) async throws -> HTTP.Answer {
        try await HTTP.send(
          "POST", service.address + path + "/backups",
          json: [
            "participant": .optional(track["participant"]?.object?["id"]?.string), "sampleRate": 48_000, "channels": 1,
            "format": "s24le", "startedAt": .string(startedAt),
          ])
      }
      let refused = try await begin(Self.ancient)
      #expect(refused.status == 400)
      #expect(try refused.json.object?["permitted"] == ["1970-01-01T00:00:00.000Z…2199-12-31T23:59:59.999Z"])

      // A clock that was never set is taken, and what is wrong with the sound is found out.
      let begun = try await begin("1970-01-01T00:00:00Z")
      let backup = try #require(begun.headers.first(name: "Location"))
      let sent = try await HTTP.send(
        "PATCH", service.address + backup,
        headers: ["Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1"],
        body: String(repeating: "\0", count: 3 * 48_000 * 4))
      #expect(sent.status == 204)
      try await over(backup, service)
      #expect(try await service.get(backup).object?["problem"]?.string?.contains("too little sound") == true)
      #expect(await service.close() == 0)
    }

    @Test func aPoisonedBackupOnTheDiskEndsNoStart() async throws {
      let folder = try await PlayedFolder.copy()
      let journal = try PlayedFolder.journal(in: folder)
      let root = folder.path + "/Recordings"
      let files = try TakeFolder(
        existing: String(journal.dropFirst(root.count + 1).dropLast("/take.journal".count)), in: root)
      let manifest = try Manifest(of: files)
      let track = try #require(manifest.tracks.first)
      // As the releases before wrote it: the time had become the first that there is.
      let now = WallTime(milliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
      var poisoned = Backup(
        id: BackupID(at: now), take: manifest.take.id, participant: track.participant.id, sampleRate: 48_000,
        channels: 1, startedAt: WallTime(Self.ancient), createdAt: now, state: .waiting)
      let samples = [UInt8](repeating: 0, count: 3 * 48_000 * 4)
      poisoned.bytes = Int64(samples.count)
      try BackupFile.createSamples(of: poisoned.id, in: files)
      try samples.withUnsafeBytes { try files.append($0, to: BackupFile.samplesName(of: poisoned.id), at: 0) }
      try BackupFile(poisoned).write(in: files)

      for _ in 0..<2 {
        let service = try await Service(folder: folder)
        // A good one behind it in the queue shows that the thread which aligns is alive.
        let begun = try await HTTP.send(
          "POST", service.address + "/v1/takes/\(manifest.take.id)/backups",
          json: [
            "participant": .string(track.participant.id.description), "sampleRate": 48_000, "channels": 1,
            "format": "s24le",
          ])
        let other = try #require(begun.headers.first(name: "Location"))
        let sent = try await HTTP.send(
          "PATCH", service.address + other,
          headers: ["Content-Type": "application/partial-upload", "Upload-Offset": "0", "Upload-Complete": "?1"],
          body: String(repeating: "\0", count: samples.count))
        #expect(sent.status == 204)
        try await over(other, service)
        let list = try await service.get("/v1/takes/\(manifest.take.id)/backups").object?["items"]?.array ?? []
        let listed = try #require(list.compactMap(\.object).first { $0["id"]?.string == poisoned.id.description })
        #expect(listed["state"] == "refused", "\(listed)")
        #expect(listed["problem"]?.string?.hasPrefix("startedAt is 1677-09-21T00:12:43.145Z; permitted: 1970") == true)
        #expect(try await HTTP.send("DELETE", service.address + other).status == 204)
        #expect(await service.close() == 0)
      }
      // Nobody removed what the musician sent.
      #expect(files.has(BackupFile.samplesName(of: poisoned.id)))
    }

    private func over(_ backup: String, _ service: Service) async throws {
      let process = service.process
      try await eventually("the backup is over", or: { process.text }) {
        guard process.isRunning else { throw EndToEndFailure("the service ended:\n\(process.text)") }
        return ["ready", "refused"].contains(try await service.get(backup).object?["state"]?.string)
      }
    }
  }
}
