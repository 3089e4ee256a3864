import Foundation
import Logging
import Machines
import Music
import Realtime
import Signaling
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct SharedStateStoreTests {
  private let root: String
  private let room: RoomName
  private let score: SharedObjectName

  init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "jamjar-state-\(UInt64.random(in: 0 ... .max))").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    room = try RoomName(checking: "Größe & Co")
    score = try SharedObjectName(checking: "../score")
  }

  private func store() -> SharedStateStore {
    SharedStateStore(recordings: root, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private var path: String { root + "/" + SharedStateFile.folder + "/" + SharedStateFile.name(of: room) }

  private func remove() { try? FileManager.default.removeItem(atPath: root) }

  private func change(_ version: Int, _ changes: SharedChange...) -> SharedObjectRecord {
    .change(score, version: version, changes)
  }

  @Test func whatWasSaidBeforeIsThereAtTheNextLoading() async throws {
    defer { remove() }
    let first = store()
    first.keep(.object(SharedObject(name: score, isPersistent: true, creator: "name:Ada")), of: room)
    first.keep(change(2, .set("b", .bytes([1, 2])), .set("a", .date(5))), of: room)
    // Nothing waits for the disk, and yet the next one finds it.
    let found = try await first.load(room)
    #expect(found.map(\.name) == [score] && found.first?.creator == "name:Ada" && found.first?.version == 2)
    #expect(found.first?.slots == [.init("b", .bytes([1, 2])), .init("a", .date(5))])
    #expect(try await store().load(room).first?.slots == found.first?.slots)
    #expect(try await store().load(RoomName(checking: "Groesse & Co")).isEmpty)
  }

  @Test func halfALineOfACrashIsCutOffAndTheNextOneIsWhole() async throws {
    defer { remove() }
    let first = store()
    first.keep(change(1, .set("a", .number(1))), of: room)
    await first.settle()
    let whole = try Data(contentsOf: URL(fileURLWithPath: path))
    for length in [1, 7, 20] {
      try (whole + Data(#"{"object":"score","version":9,"#.utf8.prefix(length))).write(to: URL(fileURLWithPath: path))
      let next = store()
      #expect(try await next.load(room).first?.version == 1)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == whole)
    }
  }

  @Test func aDamagedLineCostsThatLineAndIsKeptForPeople() async throws {
    defer { remove() }
    let first = store()
    for version in 1...3 { first.keep(change(version, .set("k\(version)", .number(1))), of: room) }
    await first.settle()
    var lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    lines[2] = "\u{0}\u{0}\u{0}"
    try (lines.joined(separator: "\n") + "\n").write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try await store().load(room).first?.slots.map(\.key) == ["k1", "k3"])
    #expect(FileManager.default.fileExists(atPath: path + ".damaged"))
    #expect(try await store().load(room).first?.version == 3)
  }

  @Test func aNewerFileIsLeftAloneAndSaysSo() async throws {
    defer { remove() }
    let first = store()
    first.keep(change(1, .set("a", .number(1))), of: room)
    await first.settle()
    let text = try String(contentsOfFile: path, encoding: .utf8)
      .replacing("\"version\":1,\"room\"", with: "\"version\":2,\"room\"")
    try text.write(toFile: path, atomically: false, encoding: .utf8)
    let refusal = await #expect(throws: RoomRefusal.self) { try await store().load(room) }
    #expect(refusal?.code == .storage)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
  }

  @Test func aLongFileIsWrittenAnewAndShorter() async throws {
    defer { remove() }
    let first = store()
    _ = try await first.load(room)
    let value = SharedValue.string(String(repeating: "x", count: 200_000))
    for version in 1...30 {
      first.keep(change(version, .set("a", value), .set("n", .number(Double(version)))), of: room)
      if version % 10 == 0 { await first.settle() }
    }
    await first.settle()
    let size = try #require(try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int)
    #expect(size < 3_000_000)
    let found = try await store().load(room)
    #expect(found.first?["n"] == .number(30) && found.first?.version == 30)
    first.keep(.removed(score), of: room)
    #expect(try await first.load(room).isEmpty)
  }

  @Test func whatTheDiskRefusesIsTriedAgainAndIsTrueMeanwhile() async throws {
    defer { remove() }
    let first = store()
    _ = try await first.load(room)
    // A folder in the file's place: nothing can be written.
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    first.keep(change(1, .set("a", .number(1))), of: room)
    await first.settle()
    try FileManager.default.removeItem(atPath: path)
    first.keep(change(2, .set("b", .number(2))), of: room)
    #expect(try await first.load(room).first?.slots.map(\.key) == ["a", "b"])
    #expect(try await store().load(room).first?.version == 2)
  }
}

@Suite struct LevelWindowTests {
  private let ada = ParticipantID(ULID(high: 0, low: 1))

  private func packet(_ level: UInt8) throws -> ReceivedPacket {
    let writer = RTPWriter(payloadType: 111, marker: false, sequenceNumber: 1, timestamp: 0, ssrc: 1)
    let bytes = writer.packet(
      extensions: [.audioLevel(AudioLevel(hasVoice: true, belowFullScale: level), id: 1)], payload: [1])
    return ReceivedPacket(
      packet: try RTPPacket(parsing: bytes), extendedSequence: 1, extendedTimestamp: 0,
      arrival: MonotonicTime(nanoseconds: 0))
  }

  @Test func theLoudestOfTheMomentIsToldTenTimesASecondAtMost() throws {
    var now = MonotonicTime(nanoseconds: 0)
    var window = LevelWindow(at: now)
    var told = 0
    for _ in 0..<40 {
      now = now + .milliseconds(50)
      for level in [60, 12, 90] as [UInt8] { window.note(try packet(level), of: ada, extensionID: 1) }
      if let levels = window.take(at: now) {
        told += 1
        #expect(levels == [ada: 12])
      }
    }
    #expect(told == 20)
    now = now + .milliseconds(100)
    window.note(try packet(3), of: ada, extensionID: nil)
    #expect(window.take(at: now) == [:])
  }
}
