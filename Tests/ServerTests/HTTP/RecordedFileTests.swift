import Foundation
import Glibc
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct RecordedFileTests {
  @Test func readsWhatIsThere() async throws {
    let data = try DataFolder()
    try data.write("0123456789", "room/session/01/mix.flac")
    let file = try await RecordedFile.open("mix.flac", in: "room/session/01", of: data.path)
    #expect(file.size == 10)
    #expect(try await file.read(at: 3, count: 4) == Array("3456".utf8))
    await #expect(throws: RecordedFile.Failure.truncated) { try await file.read(at: 8, count: 3) }
  }

  @Test(arguments: [
    ("../secret", "room"), ("..", "room"), (".", "room"), ("", "room"), ("a/b", "room"), ("x\0y", "room"),
    ("secret", ".."), ("secret", "room/../.."), ("secret", "/"), ("secret", ""), ("secret", "room//session"),
  ])
  func leavesTheDataFolderByNoName(name: String, folder: String) async throws {
    let data = try DataFolder()
    try data.write("secret", "secret")
    try data.write("x", "inner/room/session/file")
    await #expect(throws: RecordedFile.Failure.missing) {
      try await RecordedFile.open(name, in: folder, of: data.path + "/inner")
    }
  }

  @Test func followsNoLink() async throws {
    let data = try DataFolder()
    try data.write("secret", "outside/secret")
    try data.write("x", "inner/room/file")
    try data.link("inner/room/mix.flac", to: data.path + "/outside/secret")
    try data.link("inner/other", to: data.path + "/outside")
    for (name, folder) in [("mix.flac", "room"), ("secret", "other")] {
      await #expect(throws: RecordedFile.Failure.missing) {
        try await RecordedFile.open(name, in: folder, of: data.path + "/inner")
      }
    }
  }

  @Test func servesFilesOnly() async throws {
    let data = try DataFolder()
    try data.write("x", "room/folder/x")
    #expect(mkfifo(data.path + "/room/pipe", 0o600) == 0)
    for name in ["folder", "pipe", "nothing"] {
      await #expect(throws: RecordedFile.Failure.missing) {
        try await RecordedFile.open(name, in: "room", of: data.path)
      }
    }
  }

  @Test func hasAnotherTagOnceItIsMadeAnew() async throws {
    let data = try DataFolder()
    try data.write("0123456789", "room/mix.flac")
    let before = try await RecordedFile.open("mix.flac", in: "room", of: data.path)
    try FileManager.default.removeItem(atPath: data.path + "/room/mix.flac")
    try data.write("9876543210", "room/mix.flac")
    let after = try await RecordedFile.open("mix.flac", in: "room", of: data.path)
    #expect(before.tag != after.tag)
  }
}
