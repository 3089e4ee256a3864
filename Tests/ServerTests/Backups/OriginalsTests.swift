import Foundation
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct OriginalsTests {
  @Test func theUploadStaysAsItWasAndCanBeDownloaded() async throws {
    try await TestService.with { service async throws in
      let backed = try await BackedTake(service)
      let path = try await backed.begin(service)
      let early = try await service.send(.GET, path + "/original")
      #expect(early.status == 404 && early.text.contains("receiving"))
      try await service.upload(backed.bytes, to: path)
      let backup = try await service.over(path)
      let original = try #require(backup["original"]?.object, "\(backup)")
      let sum = SHA256.hash(backed.bytes)
      let digits = sum.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
      #expect(original["sha256"]?.string == digits && original["bytes"]?.integer == Int64(backed.bytes.count))

      let raw = try await service.send(.GET, path + "/original?format=raw")
      #expect(raw.status == 200 && raw.bytes == backed.bytes)
      #expect(raw["repr-digest"] == "sha-256=:\(Base64.standard.encode(sum)):")
      let wave = try await service.send(.GET, path + "/original")
      #expect(wave["content-type"] == "audio/wav")
      let reader = try SoundFileReader(copying: wave.bytes)
      #expect(reader.rate == BackedTake.rate && reader.frameCount == Int64(backed.bytes.count / 3))
      #expect(Array(wave.bytes.dropFirst(44).prefix(backed.bytes.count)) == backed.bytes)
      let part = try await service.send(.GET, path + "/original", [("Range", "bytes=40-49")])
      #expect(part.status == 206 && part.bytes == Array(wave.bytes[40..<50]))
      #expect(try await service.send(.GET, path + "/original?format=mp3").problem == "invalid-field")

      let archive = "/v1/takes/\(backed.take.id)/archive"
      let (full, usual) = (
        try await service.send(.GET, archive + "?originals=true").end, try await service.send(.GET, archive).end
      )
      #expect(full.contains(".pcm") && !usual.contains(".pcm"))
      #expect(try await service.send(.GET, archive + "?originals=maybe").problem == "invalid-field")

      #expect(try await service.send(.DELETE, path).status == 204)
      #expect(try backed.uploads(service).isEmpty)
    }
  }

  @Test func aServiceThatKeepsNoneRemovesItOnceAligned() async throws {
    try await TestService.with({ $0.backups.originals = 0 }) { service async throws in
      let backed = try await BackedTake(service)
      let path = try await backed.begin(service)
      try await service.upload(backed.bytes, to: path)
      #expect(try await service.over(path)["original"] == .null)
      #expect(try backed.uploads(service).map { String($0.suffix(5)) } == [".json"])
      let gone = try await service.send(.GET, path + "/original")
      #expect(gone.status == 404 && gone.text.contains("--keep-originals"))
    }
  }

  /// As a page sends them that was loaded anew in the middle of a take: the track has the sound of both.
  @Test func theOneWhosePlaceAnotherTookIsKeptToo() async throws {
    let data = try DataFolder()
    var (path, sent): (String, [UInt8]) = ("", [])
    try await TestService.with(data: data) { service async throws in
      let backed = try await BackedTake(service)
      sent = Array(backed.bytes.prefix(BackedTake.rate * 34 / 10 * 3))
      path = try await backed.begin(service)
      try await service.upload(sent, to: path)
      #expect(try await service.over(path)["state"] == "ready")
      let whole = try await backed.begin(service)
      try await service.upload(backed.bytes, to: whole)
      #expect(try await service.over(whole)["state"] == "ready")
      #expect(try await service.send(.GET, path).json["state"] == "refused")
      #expect(try await service.send(.GET, path + "/original?format=raw").bytes == sent)
      let archive = try await service.send(.GET, "/v1/takes/\(backed.take.id)/archive?originals=true").end
      #expect(archive.split(separator: ".pcm").count > 2)
    }
    try await TestService.with(data: data) { service async throws in
      #expect(try await service.send(.GET, path + "/original?format=raw").bytes == sent)
    }
    // A service that keeps none removes the samples, and the record in its own time.
    try await TestService.with({ $0.backups.originals = 0 }, data: data) { service async throws in
      let path = path
      try await eventually("the samples are removed") {
        try await service.send(.GET, path).json["original"] == .null
      }
      #expect(try await service.send(.GET, path).json["state"] == "refused")
    }
  }

  /// The service that finds an upload older than it keeps them removes the samples, and nothing else.
  @Test func anOldOneIsRemovedByTheNextLook() async throws {
    let data = try DataFolder()
    var (path, folder) = ("", "")
    try await TestService.with(data: data) { service async throws in
      let backed = try await BackedTake(service)
      path = try await backed.begin(service)
      try await service.upload(backed.bytes, to: path)
      _ = try await service.over(path)
      folder = "\(data.path)/\(backed.folder)"
      let samples = try #require(try backed.uploads(service).first { $0.hasSuffix(".pcm") })
      let old = Date(timeIntervalSinceNow: -31 * 86_400)
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: "\(folder)/\(samples)")
    }
    try await TestService.with(data: data) { service async throws in
      let (path, folder) = (path, folder)
      try await eventually("the samples are removed") {
        try await service.send(.GET, path).json["original"] == .null
      }
      #expect(try await service.send(.GET, path).json["state"] == "ready")
      let names = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(!names.contains { $0.hasSuffix(".pcm") } && names.contains { $0.contains("-lossless.flac") })
    }
  }

  @Test func aHeadOfMoreThanFourGigabytesIsRF64() {
    let short = WaveHead(size: 3_001, channels: 1, rate: 48_000)
    #expect(short.head.count == 44 && short.tail == [0])
    let long = WaveHead(size: 6_000_000_000, channels: 2, rate: 96_000)
    #expect(Array(long.head.prefix(4)) == Array("RF64".utf8) && long.head.count == 80 && long.tail.isEmpty)
  }

  /// The record of a backup is a file, and nobody checks one of a backup that is ready.
  @Test(arguments: [Int.min, -1, 0, Int.max]) func aHeadOfWhatNoBackupHasIsOneAllTheSame(_ figure: Int) {
    #expect(WaveHead(size: 3_000, channels: figure, rate: figure).head.count == 44)
  }
}
