import Foundation
import Music
import Testing

@testable import Recording

struct StemTests {
  private struct Wave: Decodable {
    var channels, width, rate, frames: Int
    var date, time, description: String
    var reference: Int64
    var cues: [Int64]
    var labels: [String]
  }

  /// Python's wave module for the sound; the chunks by the specification (EBU Tech 3285, RIFF).
  private static let reader = """
    import json, struct, sys, wave
    sound = wave.open(sys.argv[1], "rb")
    data = open(sys.argv[1], "rb").read()
    assert data[:4] == b"RIFF" and data[8:12] == b"WAVE" and struct.unpack("<I", data[4:8])[0] == len(data) - 8
    chunks, place = {}, 12
    while place < len(data):
        name, size = data[place:place + 4], struct.unpack("<I", data[place + 4:place + 8])[0]
        chunks[name if name != b"LIST" else name + data[place + 8:place + 12]] = data[place + 8:place + 8 + size]
        place += 8 + size + size % 2
    bext, cue, labels = chunks[b"bext"], chunks.get(b"cue ", bytes(4)), []
    text = lambda a, b: bext[a:b].split(b"\\0")[0].decode("utf-8")
    cues = [struct.unpack("<IIIIII", cue[4 + 24 * i:28 + 24 * i])[5] for i in range(struct.unpack("<I", cue[:4])[0])]
    names, place = chunks.get(b"LISTadtl", b"adtl"), 4
    while place < len(names):
        size = struct.unpack("<I", names[place + 4:place + 8])[0]
        labels.append(names[place + 12:place + 8 + size].split(b"\\0")[0].decode("utf-8"))
        place += 8 + size + size % 2
    print(json.dumps(dict(channels=sound.getnchannels(), width=sound.getsampwidth(), rate=sound.getframerate(),
        frames=sound.getnframes(), description=text(0, 256), date=text(320, 330), time=text(330, 338),
        reference=struct.unpack("<Q", bext[338:346])[0], cues=cues, labels=labels)))
    """

  @Test func stemsBeginTogetherAndSayWhen() throws {
    let take = try ProjectRehearsal()
    let settings = MixSettings(channels: [2: .init(offset: 100), 3: .init(offset: -480)])
    let result = try take.export.writeFolder("out", in: take.target, .stems, settings: settings)
    let folder = try take.exported("out")
    #expect(result.files.map(\.name).allSatisfy { $0.hasSuffix(".wav") || $0 == "cues.txt" })
    try #require(result.files.count == 4)
    for (index, file) in result.files.prefix(3).enumerated() {
      let wave: Wave = try OutsideReader.python(Self.reader, take.path("out/\(file.name)"))
      #expect(wave.channels == ProjectRehearsal.channels[index])
      #expect(wave.width == 3 && wave.rate == 48_000)
      #expect(wave.frames == 96_000 + 480 + 100)
      // The take began at 03:10:00 UTC; the stems begin 10 ms before it.
      #expect(wave.date == "2026-11-21" && wave.time == "03:09:59")
      #expect(wave.reference == 48_000 * (3 * 3_600 + 10 * 60) - 480)
      #expect(wave.description.contains(index == 1 ? "Söhne" : index == 0 ? "Ada" : "Cléo"))
      #expect(wave.cues == [24_480, 48_480, 96_480])
      #expect(wave.labels.last == "end")
      let before = [480, 580, 0][index] * wave.channels
      let samples = try ProjectRehearsal.samples(file.name, in: folder)
      #expect(samples.prefix(before).allSatisfy { $0 == 0 })
      #expect(Array(samples[before..<before + take.tracks[index].count]) == take.tracks[index])
    }
    let words = String(
      decoding: try OutsideReader.run(
        "ffprobe",
        ["-v", "error", "-show_entries", "format_tags=time_reference", take.path("out/\(result.files[0].name)")]),
      as: UTF8.self)
    let reference: Int = 48_000 * (3 * 3_600 + 10 * 60) - 480
    #expect(words.contains("TAG:time_reference=\(reference)"))
  }
}
