import Foundation
import Machines
import Music
import TestSupport
import Testing

@testable import Recording

/// Archives of streams, read by ourselves and by others.
@Suite struct StreamArchiveTests {
  private let id = "0b5b0b5b-0000-4000-8000-000000000001"

  private struct ManifestFile: Decodable {
    struct Gap: Decodable {
      var startSample: Int64
      var stopSample: Int64
      var cause: String?
    }

    var filename: String
    var connectionData: String
    var streamId: String
    var size: Int64
    var startTimeOffset: Int64
    var stopTimeOffset: Int64
    var startSample: Int64
    var stopSample: Int64
    var gaps: [Gap]
  }

  private struct ReadManifest: Decodable {
    var id: String
    var name: String?
    var createdAt: Int64
    var lengthSamples: Int64
    var files: [ManifestFile]
  }

  /// A take and what is archived of it.
  private struct Archive {
    var take: ExportRehearsal
    var file: StreamArchiveFile
    var folder: TakeFolder

    func manifest() throws -> ReadManifest {
      let zip = try ZIPReader(file.name, in: folder)
      let names = zip.entries.map(\.name).filter { $0.hasSuffix(".json") }
      let entry = try #require(zip.entries.first { $0.name == names.first })
      #expect(names.count == 1)
      return try JSONDecoder().decode(
        ReadManifest.self, from: Data(try zip.bytes(of: entry).all(limit: 1 << 20)))
    }

    /// The bytes of a file in it.
    func bytes(_ name: String) throws -> [UInt8] {
      let zip = try ZIPReader(file.name, in: folder)
      let entry = try #require(zip.entries.first { $0.name == name })
      return try zip.bytes(of: entry).all(limit: 64 << 20)
    }
  }

  private func players(_ change: (inout VirtualPlayer) -> Void = { _ in }) -> [VirtualPlayer] {
    ["ada", "bob"].enumerated().map { index, name in
      var player = VirtualPlayer(name)
      player.signal.seed = UInt64(index + 1) * 100
      player.start = 0.3 + 0.217 * Double(index)
      player.end = ExportRehearsal.length - 0.5
      player.drift = index == 0 ? 40 : -60
      player.source = 0x100 + UInt32(index)
      change(&player)
      return player
    }
  }

  private func span(_ take: ExportRehearsal, _ from: Double, _ to: Double?) -> StreamArchiveOrder.Span {
    func samples(_ seconds: Double) -> SamplePosition { SamplePosition(Int64((seconds * 48_000).rounded())) }
    return StreamArchiveOrder.Span(
      take: take.manifest.take.id, folder: take.folder.path, from: samples(from), to: to.map(samples))
  }

  private func stay(
    _ take: ExportRehearsal, _ track: Int, _ stream: String, from: Double = 0
  ) -> StreamArchiveOrder.Stay {
    let participant = take.manifest.tracks[track].participant
    return StreamArchiveOrder.Stay(
      stream: stream, participant: participant.id, name: participant.name.description,
      connectionData: "name=\(participant.name)",
      from: take.manifest.take.startedAt + .milliseconds(Int64(from * 1_000)))
  }

  private func make(
    _ take: ExportRehearsal, _ product: StreamArchiveOrder.Product, spans: [StreamArchiveOrder.Span],
    stays: [StreamArchiveOrder.Stay] = []
  ) throws -> Archive {
    let folder = try TakeFolder.obtain("_archive", in: take.scratch.path)
    let order = StreamArchiveOrder(
      id: id, name: "take 1", session: "1_MX", createdAt: take.manifest.take.startedAt, product: product,
      software: "jamjar test", spans: spans, stays: stays)
    let maker = StreamArchiveMaker(order, takes: spans.map { _ in take.folder }, target: folder)
    let file = try maker.make(encoder: { try OpusMixEncoder() }, progress: { _ in })
    return Archive(take: take, file: file, folder: folder)
  }

  // MARK: Individual streams

  @Test func aStreamLiesWhereItsTrackHasIt() throws {
    let take = try ExportRehearsal(players(), ways: [10, 30], playouts: [])
    let archive = try make(
      take, .streams, spans: [span(take, 1, 7)], stays: [stay(take, 0, "s-ada"), stay(take, 1, "s-bob")])
    let manifest = try archive.manifest()
    #expect(manifest.id == id && manifest.name == "take 1")
    #expect(manifest.lengthSamples == 6 * 48_000)
    let data = manifest.files.map(\.connectionData).sorted()
    #expect(data == ["name=ada", "name=bob"])
    for (index, name) in ["s-ada", "s-bob"].enumerated() {
      let file = try #require(manifest.files.first { $0.streamId == name })
      #expect(file.filename == "\(name).webm")
      let bytes = try archive.bytes(file.filename)
      #expect(Int64(bytes.count) == file.size)
      let sound = try WebMSound(SequentialBytes(bytes), name: name).sound
      #expect(sound.lostPackets == 0)
      let source = try EncodedSoundSource(sound)
      let decoded = try source.read(from: 96_000, frames: 48_000)
      let track = try take.left(of: try #require(take.manifest.tracks[index].file))
      let place = 48_000 + Int(file.startSample) + 96_000
      let match = CrossCorrelation.align(Array(track[place..<(place + 48_000)]), to: decoded, maximumLag: 480)
      let lag = try #require(match?.lag)
      // A millisecond; times in the file are rounded to one.
      #expect(abs(lag) < 48, "\(name): \(lag)")
    }
  }

  /// StoryCorps' recipe: a WAV for each stream, delayed by its offset, resampled where its times say so.
  @Test func theRecipeOfOthersFindsTheSameAlignment() throws {
    let take = try ExportRehearsal(players(), ways: [10, 30], playouts: [])
    for match in try matches(of: take, filter: "aresample=async=1000") {
      #expect(abs(match.lag) < 48, "\(match)")
    }
  }

  /// The one of docs/opentok-archives.md. With theirs, everything after a lost packet is 20 ms early.
  @Test func ourRecipeKeepsThePlaceBehindALostPacket() throws {
    let take = try ExportRehearsal(
      players { $0.events = [.outage(at: 3, length: 0.02)] }, ways: [10, 30], playouts: [])
    let recipe = "aresample=async=1000:min_comp=0.0001:min_hard_comp=0.005"
    for match in try matches(of: take, filter: recipe) {
      #expect(match.coefficient > 0.9 && abs(match.lag) < 48, "\(match)")
    }
  }

  /// How the streams of a take, as ffmpeg places them with `filter` and their offset, lie beside its tracks, in its second and
  /// its sixth second.
  private func matches(of take: ExportRehearsal, filter: String) throws -> [CrossCorrelation.Match] {
    let archive = try make(
      take, .streams, spans: [span(take, 0, nil)], stays: [stay(take, 0, "s-ada"), stay(take, 1, "s-bob")])
    var matches: [CrossCorrelation.Match] = []
    for file in try archive.manifest().files {
      let webm = "\(take.scratch.path)/\(file.filename)"
      let wav = "\(take.scratch.path)/_archive/\(file.streamId).wav"
      try Data(try archive.bytes(file.filename)).write(to: URL(fileURLWithPath: webm))
      let facts = try OutsideReader.run(
        "ffprobe",
        [
          "-v", "error", "-show_entries", "stream=codec_name,channels", "-of", "csv=p=0", webm,
        ])
      #expect(String(decoding: facts, as: UTF8.self) == "opus,1\n")
      let delay = "adelay=\(file.startTimeOffset):all=1"
      _ = try OutsideReader.run(
        "ffmpeg", ["-v", "error", "-y", "-i", webm, "-af", "\(filter),\(delay)", "-ar", "48000", wav])
      let reader = try SoundFileReader("\(file.streamId).wav", in: archive.folder)
      let sound = try reader.read(frames: Int(reader.frameCount))
      let index = file.streamId == "s-ada" ? 0 : 1
      let track = try take.left(of: try #require(take.manifest.tracks[index].file))
      for place in [72_000, 240_000] {
        let match = CrossCorrelation.align(
          Array(track[place..<(place + 48_000)]), to: Array(sound[place..<(place + 48_000)]), maximumLag: 480)
        matches.append(try #require(match))
      }
    }
    return matches
  }

  @Test func aReturnIsASecondFile() throws {
    let take = try ExportRehearsal(
      players { if $0.name == "ada" { $0.events = [.reconnect(at: 4)] } }, ways: [10, 30], playouts: [])
    let archive = try make(
      take, .streams, spans: [span(take, 0, nil)],
      stays: [stay(take, 0, "s-ada"), stay(take, 0, "s-ada-again", from: 4), stay(take, 1, "s-bob")])
    let files = try archive.manifest().files
    let names = Set(files.map(\.streamId))
    #expect(names == ["s-ada", "s-ada-again", "s-bob"])
    let first = try #require(files.first { $0.streamId == "s-ada" })
    let second = try #require(files.first { $0.streamId == "s-ada-again" })
    #expect(first.stopTimeOffset <= second.startTimeOffset + 20)
    #expect(abs(second.startTimeOffset - 4_000) < 100)
  }

  @Test func aGapIsListedAndStaysOne() throws {
    let take = try ExportRehearsal(
      players { if $0.name == "ada" { $0.events = [.outage(at: 3, length: 1)] } }, ways: [10, 30], playouts: [])
    let archive = try make(
      take, .streams, spans: [span(take, 0, nil)], stays: [stay(take, 0, "s-ada"), stay(take, 1, "s-bob")])
    let file = try #require(try archive.manifest().files.first { $0.streamId == "s-ada" })
    let gap = try #require(file.gaps.max { $0.stopSample - $0.startSample < $1.stopSample - $1.startSample })
    #expect(abs(gap.startSample - 3 * 48_000) < 4_800)
    #expect(abs(gap.stopSample - 4 * 48_000) < 4_800)
    #expect(gap.cause == "disconnected")
    let sound = try WebMSound(SequentialBytes(try archive.bytes(file.filename)), name: "ada").sound
    // What follows the gap is where it was played.
    let length = file.stopSample - file.startSample
    #expect(abs(sound.length - length) < 96)
  }

  @Test func streamsThatNobodyDescribedAreKept() throws {
    let take = try ExportRehearsal(players(), ways: [10, 30], playouts: [])
    let archive = try make(take, .streams, spans: [span(take, 0, nil)])
    let data = Set(try archive.manifest().files.map(\.connectionData))
    #expect(data == ["ada", "bob"])
  }

  @Test func onlyTheChosenMusiciansAreHeard() throws {
    let take = try ExportRehearsal(players(), ways: [10, 30], playouts: [])
    var chosen = span(take, 0, nil)
    chosen.only = [take.manifest.tracks[1].participant.id]
    let archive = try make(take, .streams, spans: [chosen], stays: [stay(take, 0, "s-ada"), stay(take, 1, "s-bob")])
    let names = try archive.manifest().files.map(\.streamId)
    #expect(names == ["s-bob"])
  }

  // MARK: Pauses

  @Test func noTimeOfAFilePassesDuringAPause() throws {
    let take = try ExportRehearsal(players(), ways: [10, 30], playouts: [])
    let spans = [span(take, 1, 3), span(take, 5, 6.5)]
    let streams = try make(take, .streams, spans: spans, stays: [stay(take, 0, "s-ada"), stay(take, 1, "s-bob")])
    #expect(streams.file.length.seconds == 3.5)
    for file in try streams.manifest().files {
      #expect(file.stopTimeOffset <= 3_500 + 20)
      let sound = try WebMSound(SequentialBytes(try streams.bytes(file.filename)), name: "x").sound
      #expect(abs(sound.length - 168_000) < 2_000)
    }
    let mix = try make(take, .mix, spans: spans)
    #expect(mix.file.length.seconds == 3.5)
    let path = "\(take.scratch.path)/_archive/\(mix.file.name)"
    let text = try OutsideReader.run(
      "ffprobe", ["-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", path])
    let duration = Double(String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }) ?? 0
    #expect(abs(duration - 3.5) < 0.001)
  }

  @Test func aMixIsTheTakesMix() throws {
    let take = try ExportRehearsal(players(), ways: [10, 30], playouts: [])
    let archive = try make(take, .mix, spans: [span(take, 1, 7)])
    let path = "\(take.scratch.path)/_archive"
    _ = try OutsideReader.run(
      "ffmpeg", ["-v", "error", "-y", "-i", "\(path)/\(archive.file.name)", "-ac", "1", "\(path)/mix.wav"])
    let reader = try SoundFileReader("mix.wav", in: archive.folder)
    // The edit list ends with the mix; ffmpeg drops whole AAC frames behind it and plays the one that it ends in.
    #expect((0..<1_024).contains(reader.frameCount - 6 * 48_000))
    let sound = try reader.read(frames: Int(reader.frameCount))
    let mix = try take.left(of: "mix.flac")
    let match = CrossCorrelation.align(
      Array(mix[144_000..<192_000]), to: Array(sound[96_000..<144_000]), maximumLag: 480)
    let lag = try #require(match?.lag)
    #expect(abs(lag) < 2)
    let bytes = try archive.folder.read(archive.file.name)
    let sum = SHA256.hash(bytes)
    #expect(archive.file.sum == sum)
    #expect(archive.file.size == Int64(bytes.count))
  }

  @Test func nothingIsLeftOfAnArchiveThatWasCancelled() throws {
    let take = try ExportRehearsal(players(), ways: [10, 30], playouts: [])
    struct Enough: Error {}
    let folder = try TakeFolder.obtain("_archive", in: take.scratch.path)
    for product in [StreamArchiveOrder.Product.mix, .streams] {
      let order = StreamArchiveOrder(
        id: id, name: nil, session: "1_MX", createdAt: take.manifest.take.startedAt, product: product, software: "test",
        spans: [span(take, 0, nil)], stays: [])
      let maker = StreamArchiveMaker(order, takes: [take.folder], target: folder)
      #expect(throws: Enough.self) {
        _ = try maker.make(encoder: { try OpusMixEncoder() }, progress: { _ in throw Enough() })
      }
      let names = try folder.names()
      #expect(names.isEmpty, "\(product): \(names)")
    }
  }
}
