import Glibc
import Music
import NIOHTTP1
import Recording
import Signaling
import TestSupport
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct TakeFilesTests {
  @Test func sendsATrackWholeInPartAndOnlyItsHead() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)/tracks/\(shelved.track.id)/audio"
      let whole = try await service.send(.GET, path)
      #expect(whole.status == 200 && whole.text == ShelvedTake.audio)
      #expect(whole["content-type"] == "audio/flac" && whole["accept-ranges"] == "bytes")
      #expect(whole["content-length"] == "1000" && whole["x-content-type-options"] == "nosniff")
      #expect(
        whole["content-disposition"]?.contains("filename=\"Cellar - Blue in Green 1 - Ada (guitar).flac\"") == true)

      let part = try await service.send(.GET, path, [("Range", "bytes=10-19")])
      #expect(part.status == 206 && part["content-range"] == "bytes 10-19/1000")
      #expect(part.text == String(ShelvedTake.audio.dropFirst(10).prefix(10)))
      let end = try await service.send(.GET, path, [("Range", "bytes=-5")])
      #expect(end.status == 206 && end.text == String(ShelvedTake.audio.suffix(5)))
      let outside = try await service.send(.GET, path, [("Range", "bytes=1000-")])
      #expect(outside.status == 416 && outside["content-range"] == "bytes */1000")

      let head = try await service.send(.HEAD, path)
      #expect(head.status == 200 && head.bytes.isEmpty && head["content-length"] == "1000")
    }
  }

  @Test func sendsTheQualityTrackAndNoneForATakeWithout() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)/quality"
      let none = try await service.send(.GET, path)
      let nothing = try none.json
      #expect(none.status == 200 && nothing["tracks"] == [])
      #expect(nothing["take"]?.string == shelved.take.id.description)
      let row = QualityRow(
        start: .zero, end: SamplePosition(96_000), reading: QualityReading(expected: 100, missed: 10, lost: 1))
      let rows = QualityFile.TrackRows(track: shelved.track.id, rows: [row])
      let file = QualityFile(take: shelved.take.id, tracks: [rows])
      try service.data.write(try file.encoded(), "\(shelved.take.folder)/quality.json")
      let answer = try await service.send(.GET, path)
      #expect(answer["content-type"] == "application/json")
      let written = try answer.json
      let track = try #require(written["tracks"]?.array?.first?.object)
      #expect(track["track"]?.string == shelved.track.id.description)
      let first = try #require(track["rows"]?.array?.first?.object)
      #expect(first["level"] == 4 && first["cause"] == "loss" && first["end"] == 2)
      let tag = try #require(answer["etag"])
      let again = try await service.send(.GET, path, [("If-None-Match", tag)])
      #expect(again.status == 304)
      let wrong = try await service.send(.GET, path + "?format=csv")
      #expect(wrong.status == 400)
    }
  }

  @Test func honoursPreconditions() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let path = "/v1/takes/\(shelved.take.id)/mix"
      let first = try await service.send(.GET, path)
      #expect(first.text == "the mix")
      let tag = try #require(first["etag"])
      let date = try #require(first["last-modified"])
      func status(_ headers: (String, String)...) async throws -> Int {
        try await service.send(.GET, path, headers).status
      }
      #expect(try await status(("If-None-Match", tag)) == 304)
      #expect(try await status(("If-None-Match", "\"x\"")) == 200)
      #expect(try await status(("If-Modified-Since", date)) == 304)
      #expect(try await status(("If-Match", "\"x\"")) == 412)
      #expect(try await status(("If-Match", tag)) == 200)
      #expect(try await status(("Range", "bytes=0-1"), ("If-Range", tag)) == 206)
      #expect(try await status(("Range", "bytes=0-1"), ("If-Range", "\"x\"")) == 200)
      #expect(try await status(("Range", "bytes=0-1"), ("If-Range", date)) == 206)
      #expect(try await status(("Range", "bytes=0-1"), ("If-Range", "Sun, 06 Nov 1994 08:49:37 GMT")) == 200)
    }
  }

  @Test func sendsManifestAndPeaks() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let base = "/v1/takes/\(shelved.take.id)"
      #expect(try await service.send(.GET, base + "/manifest").json["take"]?.object?["room"] == "Cellar")
      #expect(try await service.send(.GET, base + "/peaks").text == "peaks of the mix")
      #expect(try await service.send(.GET, base + "/tracks/\(shelved.track.id)/peaks").text == "peaks of ada")
    }
  }

  @Test func sendsPeaksAsJSONToWhoeverAsks() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let head: [UInt8] = [2, 0, 0, 0, 1, 0, 0, 0, 0x80, 0xBB, 0, 0, 0, 1, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0]
      let pixels: [Int8] = [-128, 127, 0, 5, -10, 100]
      try service.data.write(head + pixels.map { UInt8(bitPattern: $0) }, "\(shelved.take.folder)/mix.peaks.dat")
      let path = "/v1/takes/\(shelved.take.id)/peaks"
      let json = try await service.send(.GET, path, [("Accept", "application/json")])
      #expect(json["content-type"] == "application/json" && json["vary"] == "Accept")
      #expect(
        json.text == "{\"version\":2,\"channels\":1,\"sample_rate\":48000,\"samples_per_pixel\":256,\"bits\":8,"
          + "\"length\":3,\"data\":[-128,127,0,5,-10,100]}\n")
      let binary = try await service.send(.GET, path, [("Accept", "*/*")])
      #expect(binary.bytes.count == 30 && binary["etag"] != json["etag"])
      #expect(try await service.send(.GET, path + "?format=json").bytes == json.bytes)
      let part = try await service.send(.GET, path + "?format=json", [("Range", "bytes=2-8")])
      #expect(part.status == 206 && part.text == "version")
      let wrong = try await service.send(.GET, path + "?format=xml")
      #expect(try wrong.status == 400 && wrong.json["permitted"] == ["json", "binary"])
      // What is no outline is not turned into one.
      let track = "/v1/takes/\(shelved.take.id)/tracks/\(shelved.track.id)/peaks"
      #expect(try await service.send(.GET, track + "?format=json").status == 404)
    }
  }

  @Test func sendsAWholeTakeAsAnArchiveInAnyPart() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      try service.data.write("the journal", "\(shelved.take.folder)/take.journal")
      let path = "/v1/takes/\(shelved.take.id)/archive"
      let whole = try await service.send(.GET, path)
      #expect(whole.status == 200 && whole["content-type"] == "application/zip")
      #expect(whole["content-disposition"]?.contains("filename=\"Cellar - Blue in Green 1.zip\"") == true)
      #expect(whole.text.contains(ShelvedTake.audio) && whole.text.contains("Blue in Green 1/mix.flac"))
      #expect(!whole.text.contains("journal"))
      let tag = try #require(whole["etag"])
      #expect(try await service.send(.GET, path, [("If-None-Match", tag)]).status == 304)
      for range in [0..<10, 60..<1_300, (whole.bytes.count - 40)..<whole.bytes.count] {
        let part = try await service.send(
          .GET, path, [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"), ("If-Range", tag)])
        #expect(part.status == 206 && part.bytes == Array(whole.bytes[range]))
      }
      try service.data.remove(shelved.take.folder)
      #expect(try await service.send(.GET, path).status == 404)
    }
  }

  /// Noise of 24 bits on two channels, of which a wrong bit or a shift by one sample could not be missed.
  private static func noise(frames: Int) -> [Float] {
    var random = SeededRandom(1)
    return (0..<frames * 2).map { _ in Float(Int32(truncatingIfNeeded: random.next()) >> 8) / 8_388_608 }
  }

  /// A take whose track is `noise` as a real file.
  private func soundTake(_ service: TestService, frames: Int) async throws -> (path: String, samples: [Float]) {
    let shelved = try await ShelvedTake(in: service.data, service.catalog)
    try service.data.remove("\(shelved.take.folder)/01-ada-guitar.flac")
    let folder = try TakeFolder(existing: shelved.take.folder, in: service.data.path)
    let writer = try SoundFileWriter("01-ada-guitar.flac", in: folder, channels: 2)
    let samples = TakeFilesTests.noise(frames: frames)
    try writer.write(samples)
    _ = try writer.finish()
    return ("/v1/takes/\(shelved.take.id)/tracks/\(shelved.track.id)/audio", samples)
  }

  /// The samples of a FLAC file that came.
  private func decoded(_ bytes: [UInt8], _ service: TestService) throws -> [Float] {
    try service.data.write(bytes, "came/stretch.flac")
    let reader = try SoundFileReader("stretch.flac", in: try TakeFolder(existing: "came", in: service.data.path))
    #expect(reader.rate == 48_000 && reader.channels == 2)
    return try reader.read(frames: Int(reader.frameCount) + 1)
  }

  @Test func sendsAStretchOfASoundToTheSample() async throws {
    try await TestService.with { service async throws in
      let (path, samples) = try await soundTake(service, frames: 100_001)
      func stretch(_ query: String) async throws -> [Float] {
        let answer = try await service.send(.GET, path + query)
        #expect(answer.status == 200 && answer["content-type"] == "audio/flac", "\(query)")
        #expect(answer["cache-control"] == "private, no-cache")
        return try decoded(answer.bytes, service)
      }
      #expect(try await stretch("?start=0.5&duration=1") == Array(samples[48_000..<144_000]))
      #expect(try await stretch("?start=0.00001&duration=0.00001") == Array(samples[0..<2]), "one sample at least")
      #expect(try await stretch("?start=1.23456&duration=0.3") == Array(samples[(2 * 59_259)..<(2 * 73_659)]))
      #expect(try await stretch("?start=2&duration=5") == Array(samples[192_000...]), "the last one is shorter")
      #expect(try await stretch("?duration=2") + stretch("?start=2") == samples)
      #expect(try await stretch("?start=2.08333") == Array(samples.suffix(2)))
    }
  }

  @Test func aStretchHasATagThatChangesWithTheFileAndThePlace() async throws {
    try await TestService.with { service async throws in
      let (path, _) = try await soundTake(service, frames: 96_000)
      let first = try await service.send(.GET, path + "?start=0&duration=1")
      let tag = try #require(first["etag"])
      let same = [("If-None-Match", tag)]
      #expect(try await service.send(.GET, path + "?duration=1", same).status == 304)
      #expect(try await service.send(.GET, path + "?start=1&duration=1", same).status == 200)
      #expect(try await service.send(.GET, path, same).status == 200)
      let part = try await service.send(.GET, path + "?duration=1", [("Range", "bytes=0-3")])
      #expect(part.status == 206 && part.text == "fLaC")
      let head = try await service.send(.HEAD, path + "?duration=1")
      #expect(head.bytes.isEmpty && head["content-length"] == "\(first.bytes.count)")
    }
  }

  @Test func refusesStretchesThatCannotBe() async throws {
    try await TestService.with { service async throws in
      let (path, _) = try await soundTake(service, frames: 96_000)
      let wrong = [
        ("start", "2"), ("start", "-0.1"), ("start", "soon"), ("start", ""), ("start", "1e300"), ("start", "nan"),
        ("start", "0x1p0"), ("duration", "0"), ("duration", "60.1"), ("duration", "-1"), ("duration", "inf"),
      ]
      for (field, value) in wrong {
        let answer = try await service.send(.GET, path + "?\(field)=\(value)")
        #expect(answer.status == 400, "\(field)=\(value)")
        #expect(try answer.problem == "invalid-field" && answer.json["field"]?.string == field)
      }
      // What is no sound at all is our fault, or the disk's.
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      #expect(try await service.send(.GET, "/v1/takes/\(shelved.take.id)/mix?start=0").status == 500)
    }
  }

  @Test func saysHowFarATakeIsThatHasNoFilesYet() async throws {
    try await TestService.with { service async throws in
      for state in [TakeState.rolling, .captured, .rendering, .failed] {
        let shelved = try await ShelvedTake(in: service.data, service.catalog, state: state)
        let answer = try await service.send(.GET, "/v1/takes/\(shelved.take.id)/mix")
        #expect(answer.status == 409)
        #expect(try answer.problem == "take-not-ready")
        #expect(try answer.json["state"]?.string == state.rawValue)
      }
    }
  }

  /// In place of a file of the take lies a link out of the data folder, a pipe that nobody writes, or a folder.
  @Test(arguments: ["link", "pipe", "folder", "loop"])
  func whatIsPlantedIsNamedAndNotFollowed(kind: String) async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let file = "\(shelved.take.folder)/01-ada-guitar.flac"
      try service.data.remove(file)
      try service.data.write("the secret of another", "outside/secret.flac")
      switch kind {
      case "link": try service.data.link(file, to: service.data.path + "/outside/secret.flac")
      case "pipe": #expect(mkfifo(service.data.path + "/" + file, 0o600) == 0)
      case "folder": try service.data.write("x", "\(file)/x.flac")
      default: try service.data.link(file, to: "01-ada-guitar.flac")
      }
      let take = "/v1/takes/\(shelved.take.id)"
      let track = "/tracks/\(shelved.track.id)/audio"
      for path in ["/archive", track, track + "?start=0&duration=1"] {
        let answer = try await service.send(.GET, take + path)
        #expect(answer.status == 404 && answer["content-type"] == "application/problem+json", "\(path)")
        #expect(!answer.text.contains("the secret") && answer.text.contains("01-ada-guitar.flac"), "\(answer.text)")
        #expect(!answer.text.contains(service.data.path))
      }
      // What is in order is sent.
      #expect(try await service.send(.GET, take + "/mix").text == "the mix")
      // The folder of the take itself.
      try service.data.remove(shelved.take.folder)
      try service.data.link(shelved.take.folder, to: service.data.path + "/outside")
      try service.data.write("another mix", "outside/mix.flac")
      for path in ["/archive", "/mix"] { #expect(try await service.send(.GET, take + path).status == 404) }
    }
  }

  @Test func sendsNothingThroughAPlantedLink() async throws {
    try await TestService.with { service async throws in
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let mix = "\(shelved.take.folder)/mix.wav"
      try service.data.write("secret", "secret")
      try service.data.remove("\(shelved.take.folder)/mix.flac")
      try service.data.link(mix, to: service.data.path + "/secret")
      let answer = try await service.send(.GET, "/v1/takes/\(shelved.take.id)/mix")
      #expect(answer.status == 404 && !answer.text.contains("secret\""))
    }
  }
}
