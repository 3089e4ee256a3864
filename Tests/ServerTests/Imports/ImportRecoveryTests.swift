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

/// What becomes of imports whose service was killed, or whose disk is full, or that another release has begun.
@Suite(.timeLimit(.minutes(5))) struct ImportRecoveryTests {
  private let room = RoomName("Past")

  /// An import on disk whose files have all arrived.
  private func shelve(_ job: ImportJob, in data: DataFolder) throws -> ImportJob {
    var job = job
    let shelf = ImportShelf(recordings: data.path, software: "test")
    try shelf.create(job)
    let files = try TakeFolder(existing: ImportShelf.filesPath(of: job.id), in: data.path)
    for index in job.files.indices {
      try files.append(ImportsTests.wave(440), to: job.files[index].name, at: 0)
      job.files[index].isComplete = true
    }
    job.state = .running
    try shelf.record(job)
    return job
  }

  private func job(_ wish: ImportJob.Wish = .init()) throws -> ImportJob {
    let now = MonotonicClock.wall
    return ImportJob(
      id: ImportID(at: now), room: try #require(room), wish: wish, files: [.init(name: "a.wav")], createdAt: now)
  }

  private func state(of job: ImportJob, in service: TestService) async throws -> JSONObject {
    try await service.send(.GET, "/v1/imports/\(job.id)").json
  }

  /// Killed after the take had its place, and before the import knew.
  @Test func aTakeThatHasItsPlaceIsNotMadeAgain() async throws {
    let data = try DataFolder()
    var wish = ImportJob.Wish()
    wish.repeats = true
    var job = try shelve(try self.job(wish), in: data)
    var id = ""
    try await TestService.with(data: data) { service async throws in
      try await eventually("the import is over") { try await state(of: job, in: service)["state"] == "done" }
      id = try #require(try await state(of: job, in: service)["takes"]?.array?.first?.string)
    }
    var again = try self.job(wish)
    again.making = TakeID(id)
    job = try shelve(again, in: data)
    try await TestService.with(data: data) { service async throws in
      try await eventually("the import is over") { try await state(of: job, in: service)["state"] == "done" }
      let takes = try await state(of: job, in: service)["takes"]?.array?.compactMap(\.string)
      #expect(takes == [id])
      #expect(try await service.send(.GET, "/v1/takes?room=Past").items.count == 1)
    }
  }

  @Test func aFullDiskPutsItOffAndKeepsItsFiles() async throws {
    let data = try DataFolder()
    let job = try shelve(try self.job(), in: data)
    try await TestService.with({ $0.backups = BackupConfiguration(reserve: 1 << 60) }, data: data) {
      service async throws in
      try await eventually("it says what it waits for") {
        try await state(of: job, in: service)["problem"]?.string?.contains("rolling takes") == true
      }
      #expect(try await state(of: job, in: service)["state"] == "queued")
      let more: JSONValue = ["room": "Past", "files": [["name": "b.wav"]]]
      #expect(try await service.post("/v1/imports", more).status == 507)
    }
    try await TestService.with(data: data) { service async throws in
      try await eventually("the import is over") { try await state(of: job, in: service)["state"] == "done" }
      #expect(try await state(of: job, in: service)["problem"] == .null)
    }
  }

  /// Removed while it was in work, by a service that is killed before the work has ended.
  @Test func whatWasRemovedDoesNotComeBack() async throws {
    let data = try DataFolder()
    let job = try shelve(try self.job(), in: data)
    ImportShelf(recordings: data.path, software: "test").forget(job.id)
    try await TestService.with(data: data) { service async throws in
      #expect(try await service.send(.GET, "/v1/imports").items.isEmpty)
      #expect(try await service.send(.GET, "/v1/takes?room=Past").items.isEmpty)
    }
    #expect(!FileManager.default.fileExists(atPath: "\(data.path)/\(ImportShelf.path(of: job.id))"))
  }

  @Test func whatALaterReleaseHasBegunIsLeftAlone() async throws {
    let data = try DataFolder()
    let job = try shelve(try self.job(), in: data)
    let record = "\(data.path)/\(ImportShelf.path(of: job.id))/import.json"
    let text = try String(contentsOfFile: record, encoding: .utf8)
    let later = text.replacing(try Regex("\"version\"\\s*:\\s*1"), with: "\"version\":99")
    #expect(later != text)
    try later.write(toFile: record, atomically: true, encoding: .utf8)
    try await TestService.with(data: data) { service async throws in
      #expect(try await service.send(.GET, "/v1/imports").items.isEmpty)
    }
    let files = try TakeFolder(existing: ImportShelf.filesPath(of: job.id), in: data.path)
    #expect(try files.upload("a.wav")?.size == Int64(ImportsTests.wave(440).count))
    #expect(try String(contentsOfFile: record, encoding: .utf8) == later)
  }

  /// A project may say any time; a take of years would keep the machine busy for days.
  @Test func aTakeOfYearsIsRefused() async throws {
    let text = """
      <REAPER_PROJECT 0.1
        <TRACK
          NAME "Ada"
          <ITEM
            POSITION 1000000
            LENGTH 1
            <SOURCE WAVE
              FILE "a.wav"
            >
          >
        >
      >
      """
    try await TestService.with { service async throws in
      let wish: JSONValue = ["room": "Past", "files": [["name": "s.rpp"], ["name": "a.wav"]]]
      let address = try #require(try await service.post("/v1/imports", wish)["location"])
      try await service.upload(Array(text.utf8), to: "\(address)/files/1")
      try await service.upload(ImportsTests.wave(440), to: "\(address)/files/2")
      try await eventually("the import is over") {
        try await service.send(.GET, address).json["state"] == "failed"
      }
      let problem = try await service.send(.GET, address).json["problem"]?.string ?? ""
      #expect(problem.contains("277 hours"), "\(problem)")
    }
  }
}
