import Foundation
import Logging
import Music
import Recording
import Signaling
import Testing

@testable import Server

/// The archives on disk.
@Suite struct OpenTokArchiveStoreTests {
  private let data: DataFolder
  private let store: OpenTokArchiveStore

  init() throws {
    data = try DataFolder()
    store = OpenTokArchiveStore(recordings: data.path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }

  private func archive(_ name: String, at time: Int64 = 0) throws -> OpenTokArchive {
    let project = try OpenTokProject(key: "46000001", secret: String(repeating: "s", count: 40))
    let session = try OpenTokSessionID(of: project, nonce: ULID(high: 0, low: 1), hashes: .openSSL)
    var wish = OpenTokArchiveWish()
    wish.name = name
    return OpenTokArchive(
      id: OpenTokArchive.newID(), session: session, wish: wish, at: WallTime(milliseconds: 1_795_262_400_000 + time))
  }

  private var file: URL { URL(fileURLWithPath: "\(data.path)/_opentok/archives.jsonl") }

  @Test func theLastStateOfEveryArchiveIsRead() async throws {
    var first = try archive("one")
    let second = try archive("two")
    await store.keep(first).value
    await store.keep(second).value
    first.updatedAt = first.createdAt + .seconds(5)
    await store.keep(first).value
    let read = try await store.load()
    #expect(Set(read) == [first, second])
  }

  @Test func aLineThatAKillHasTornIsLeftOut() async throws {
    let whole = try archive("whole")
    await store.keep(whole).value
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(#"{"id":"half","#.utf8))
    try handle.close()
    let read = try await store.load()
    #expect(read == [whole])
    // The next line is whole again.
    let next = try archive("next")
    await store.keep(next).value
    let both = try await store.load()
    #expect(Set(both) == [whole, next])
  }

  @Test func damagedLinesAndForeignNamesAreLeftOut() async throws {
    let whole = try archive("whole")
    await store.keep(whole).value
    let text = try String(contentsOf: file, encoding: .utf8)
    let bad = text.replacingOccurrences(of: whole.id, with: "../../../../etc/passwd")
    try Data((bad + "nonsense\n" + text).utf8).write(to: file)
    let read = try await store.load()
    #expect(read == [whole])
  }

  @Test func whatIsDeletedStaysSoAndTheFileStaysSmall() async throws {
    let kept = try archive("kept")
    await store.keep(kept).value
    for number in 0..<20 {
      var gone = try archive("gone \(number)")
      await store.keep(gone).value
      gone.giveUp()
      await store.keep(gone).value
    }
    let read = try await store.load()
    #expect(read == [kept])
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").count
    #expect(lines == 1)
  }

  @Test func filesThatNoArchiveHasAreRemoved() async throws {
    let (kept, gone) = (try archive("kept").id, try archive("gone").id)
    await store.keep(try archive("kept")).value
    for id in [kept, gone] { try data.write("sound", "_opentok/\(id)/archive.zip") }
    await store.removeFiles(except: [kept])
    let names = try FileManager.default.contentsOfDirectory(atPath: "\(data.path)/_opentok")
    #expect(Set(names) == ["archives.jsonl", kept])
  }
}
