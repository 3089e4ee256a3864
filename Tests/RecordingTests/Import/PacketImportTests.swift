import Foundation
import Music
import Realtime
import TestSupport
import Testing

@testable import Recording

/// Takes of recordings that other servers made: packets with their times.
@Suite struct PacketImportTests {
  private let scratch: ScratchFolder
  private let noon = WallTime(milliseconds: 1_795_262_400_000)

  init() throws {
    scratch = try ScratchFolder()
    _ = try TakeFolder.obtain("in", in: scratch.path)
  }

  private func path(_ name: String) -> String { "\(scratch.path)/in/\(name)" }

  private func store(_ bytes: [UInt8], _ name: String) throws {
    try Data(bytes).write(to: URL(fileURLWithPath: path(name)))
  }

  private func plan(_ names: [String]) throws -> ImportPlan {
    let plans = try ImportPlanner().plans(for: names.map(path))
    #expect(plans.count == 1)
    return try #require(plans.first)
  }

  /// The sound of a plan's lane, first channel.
  private func sound(_ plan: ImportPlan, _ lane: Int = 0) throws -> [Float] {
    let source = LaneSource(plan.lanes[lane], of: plan)
    let samples = try source.read(from: 0, frames: Int(source.frameCount))
    return stride(from: 0, to: samples.count, by: source.channels).map { samples[$0] }
  }

  // MARK: Janus

  /// Packets of 20 ms of a tone.
  private func packets(_ frequency: Double, count: Int, channels: Int = 1) throws -> [[UInt8]] {
    let encoder = try OpusEncoder(.init(channels: channels))
    let tone = Tone.stereo(frequency, frames: count * 960)
    return try (0..<count).map { index in
      let stretch = (0..<960).flatMap { frame in (0..<channels).map { tone[(index * 960 + frame) * 2 + $0] } }
      return try encoder.encode(stretch)
    }
  }

  private struct Frame {
    var sequence: UInt16
    var timestamp: UInt32
    var arrival: UInt32
    var payload: [UInt8]
    var source: UInt32 = 7
    var type: UInt8 = 111
  }

  private func mjr(_ frames: [Frame], header: String, version: Int = 2) -> [UInt8] {
    func number(_ value: Int, _ bytes: Int) -> [UInt8] {
      (0..<bytes).map { UInt8(truncatingIfNeeded: value >> (8 * (bytes - 1 - $0))) }
    }
    var bytes = Array("MJR0000\(version)".utf8) + number(header.utf8.count, 2) + Array(header.utf8)
    for frame in frames {
      let packet = RTPWriter(
        payloadType: frame.type, sequenceNumber: frame.sequence, timestamp: frame.timestamp, ssrc: frame.source
      ).packet(payload: frame.payload)
      bytes += Array("MEET".utf8) + (version == 2 ? number(Int(frame.arrival), 4) : Array("ECHO".utf8))
      bytes += number(packet.count, 2) + packet
    }
    return bytes
  }

  private func header(_ microseconds: Int64, _ rest: String = "") -> String {
    #"{"t":"a","c":"opus","s":\#(microseconds - 5),"u":\#(microseconds)\#(rest)}"#
  }

  /// Frames in order, from numbers and times that wrap around at once.
  private func frames(_ payloads: [[UInt8]]) -> [Frame] {
    payloads.enumerated().map { index, payload in
      Frame(
        sequence: 65_530 &+ UInt16(index), timestamp: 0xFFFF_F000 &+ UInt32(index * 960), arrival: UInt32(index * 20),
        payload: payload)
    }
  }

  @Test(arguments: [1, 2]) func aJanusRecordingIsDecodedInItsOrder(version: Int) throws {
    var all = frames(try packets(440, count: 100))
    all.swapAt(20, 21)
    all.swapAt(50, 53)
    all.insert(all[70], at: 72)
    try store(mjr(all, header: header(1_795_262_400_250_000), version: version), "room-ada-audio.mjr")
    let plan = try plan(["room-ada-audio.mjr"])
    #expect(plan.length == 96_000 && plan.notes.isEmpty)
    #expect(plan.startedAt == WallTime(milliseconds: 1_795_262_400_250))
    let samples = try sound(plan)
    #expect(samples.count == 96_000)
    for start in stride(from: 9_600, to: 90_000, by: 9_600) {
      #expect(abs(Tone.amplitude(440, in: Array(samples[start..<(start + 4_800)])) - 0.25) < 0.02)
    }
  }

  @Test func twoRecordingsLieAsTheirFirstPacketsArrived() throws {
    try store(mjr(frames(try packets(440, count: 50)), header: header(1_795_262_400_000_000)), "ada.mjr")
    try store(
      mjr(frames(try packets(660, count: 50)), header: header(1_795_262_400_500_000, #","d":"Bob""#)), "b.mjr")
    // The room's video lies beside it.
    try store(mjr([], header: #"{"t":"v","c":"vp8"}"#), "video.mjr")
    let plans = try ImportPlanner().plans(for: ["\(scratch.path)/in"])
    let plan = try #require(plans.first)
    #expect(plan.lanes.map(\.name.description).contains("Bob"))
    let positions = plan.lanes.flatMap(\.pieces).map(\.position)
    #expect(positions == [0, 24_000])
    #expect(plan.lanes.allSatisfy { $0.basis == "the arrival of the first packet" })
  }

  @Test func lostPacketsAreConcealedAndTold() throws {
    var all = frames(try packets(440, count: 100))
    all.removeSubrange(30..<33)
    try store(mjr(all, header: header(1_795_262_400_000_000)), "a.mjr")
    let plan = try plan(["a.mjr"])
    #expect(plan.length == 96_000)
    #expect(plan.notes == ["a.mjr lacks 3 packets of 97, which were concealed"])
    let samples = try sound(plan)
    #expect(abs(Tone.amplitude(440, in: Array(samples[48_000..<52_800])) - 0.25) < 0.02)
  }

  @Test func aNewStreamContinuesWhereItArrived() throws {
    let payloads = try packets(440, count: 100)
    var all = frames(Array(payloads[..<50]))
    all += frames(Array(payloads[50...])).map { frame in
      var frame = frame
      (frame.source, frame.arrival) = (8, frame.arrival + 3_000)
      frame.sequence &+= 1_000
      return frame
    }
    try store(mjr(all, header: header(1_795_262_400_000_000)), "a.mjr")
    let plan = try plan(["a.mjr"])
    #expect(plan.length == 144_000 + 48_000)
    let samples = try sound(plan)
    #expect(samples[60_000..<140_000].allSatisfy { abs($0) < 1e-3 })
    #expect(abs(Tone.amplitude(440, in: Array(samples[160_000..<164_800])) - 0.25) < 0.02)
  }

  @Test func aCutRecordingKeepsWhatIsThere() throws {
    let bytes = mjr(frames(try packets(440, count: 50)), header: header(1_795_262_400_000_000))
    try store(Array(bytes.dropLast(10)), "a.mjr")
    let plan = try plan(["a.mjr"])
    #expect(plan.length == 49 * 960 && plan.notes == ["a.mjr ends within a packet"])
  }

  @Test(arguments: [
    (#"{"t":"v","c":"vp8"}"#, "video"), (#"{"t":"a","c":"pcmu"}"#, "pcmu"),
    (#"{"t":"a","c":"opus","e":true}"#, "encrypted"),
    ("nonsense", "MJR00001 or MJR00002"), (#"{"t":"a","c":"opus"}"#, "no sound"),
  ]) func refusesWhatItCannotHear(header: String, word: String) throws {
    try store(mjr([], header: header), "a.mjr")
    #expect {
      _ = try plan(["a.mjr"])
    } throws: { "\($0)".contains(word) && $0 is ImportProblem }
  }

  @Test func damagedRecordingsNeverTrap() throws {
    let whole = mjr(frames(try packets(440, count: 10)), header: header(1_795_262_400_000_000))
    var random = SeededRandom(3)
    for _ in 0..<300 {
      var bytes = whole
      for _ in 0..<3 { bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next()) }
      _ = try? JanusRecording(SequentialBytes(Array(bytes.prefix(Int(random.next() % 2_000)))), name: "a")
    }
  }

  // MARK: WebM and OpenTok

  /// A tone as WebM by ffmpeg.
  private func webm(_ name: String, frequency: Int, seconds: Int, channels: Int = 2) throws {
    _ = try OutsideReader.run(
      "ffmpeg",
      [
        "-v", "error", "-y", "-f", "lavfi", "-i", "sine=frequency=\(frequency):sample_rate=48000:duration=\(seconds)",
        "-ac", "\(channels)", "-c:a", "libopus", "-b:a", "96k", path(name),
      ])
  }

  @Test func webMIsDecodedAtItsPlaces() throws {
    try webm("a.webm", frequency: 440, seconds: 5, channels: 1)
    let plan = try plan(["a.webm"])
    // ffmpeg's pre-skip of 312 samples lies before the zero; the end is rounded up to a packet.
    #expect((240_000...241_920).contains(plan.length))
    let samples = try sound(plan)
    let reference = try OutsideReader.run(
      "ffmpeg", ["-v", "error", "-i", path("a.webm"), "-f", "f32le", "-"])
    let theirs = reference.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
    var highest: Float = 0
    for (one, other) in zip(samples[9_600..<230_000], theirs[9_600..<230_000]) {
      highest = max(highest, abs(one - other))
    }
    #expect(highest < 0.01, "\(highest)")
  }

  @Test func anOpenTokArchiveTellsPlacesAndMusicians() throws {
    try webm("s1.webm", frequency: 440, seconds: 2)
    try webm("s2.webm", frequency: 660, seconds: 1)
    try webm("s3.webm", frequency: 660, seconds: 1)
    try store([1, 2, 3], "s4.webm")
    let manifest = """
      {"createdAt": 1795262400000, "id": "abc", "name": "take 1", "sessionId": "1_x", "files": [
        {"connectionData": "{\\"name\\": \\"Ada\\"}", "filename": "s1.webm", "size": 1, "startTimeOffset": 250,
         "stopTimeOffset": 2250, "streamId": "s1", "videoType": "camera"},
        {"connectionData": "name=Bob&instrument=bass", "filename": "s2.webm", "startTimeOffset": 0, "streamId": "s2"},
        {"connectionData": "name=Bob", "filename": "s3.webm", "startTimeOffset": 1500, "streamId": "s3"},
        {"filename": "s4.webm", "startTimeOffset": 0, "streamId": "s4"},
        {"filename": "s5.webm", "startTimeOffset": 0, "streamId": "s5"}]}
      """
    try store(Array(manifest.utf8), "abc.json")
    let pack = """
      import sys, zipfile
      with zipfile.ZipFile(sys.argv[1] + "/a.zip", "w") as z:
          for n, m in ("s1.webm", 8), ("s2.webm", 0), ("s3.webm", 8), ("s4.webm", 0), ("abc.json", 8):
              z.write(sys.argv[1] + "/" + n, n, compress_type=m)
      """
    _ = try OutsideReader.run("python3", ["-c", pack, "\(scratch.path)/in"])
    let plan = try plan(["a.zip"])
    #expect(plan.startedAt == noon)
    #expect(plan.lanes.map(\.name.description) == ["Ada", "Bob"])
    #expect(plan.lanes.map { $0.pieces.map(\.position) } == [[12_000], [0, 72_000]])
    #expect(plan.files.count == 1 && plan.sources.count == 3)
    #expect(plan.notes.contains { $0.contains("s4.webm") } && plan.notes.contains("the archive lacks s5.webm"))
    let bob = try sound(plan, 1)
    let amplitude = Tone.amplitude(660, in: Array(bob[80_000..<84_800]))
    #expect(amplitude > 0.05)
    #expect(bob[60_000..<70_000].allSatisfy { $0 == 0 })
  }

  @Test(arguments: [
    ("Ada", "Ada"), (#"{"userName":"Bo"}"#, "Bo"), ("name=Cy;x=1", "Cy"), ("x=1,user = Di", "Di"),
  ]) func namesOfMusicians(data: String, name: String) {
    #expect(OpenTokArchive.musician(data) == name)
  }

  @Test func archivesAndFilesOfOthersAreRefused() throws {
    try store(Array("PK no archive".utf8), "a.zip")
    #expect(throws: ImportProblem.self) { try plan(["a.zip"]) }
    _ = try OutsideReader.run(
      "python3", ["-c", "import sys, zipfile; zipfile.ZipFile(sys.argv[1], 'w').writestr('x', 'y')", path("b.zip")])
    #expect(throws: ImportProblem.self) { try plan(["b.zip"]) }
    try store(Array("nonsense".utf8), "a.webm")
    #expect(throws: ImportProblem.self) { try plan(["a.webm"]) }
    _ = try OutsideReader.run(
      "ffmpeg", ["-v", "error", "-f", "lavfi", "-i", "sine", "-t", "1", "-c:a", "libvorbis", path("v.webm")])
    #expect {
      _ = try plan(["v.webm"])
    } throws: { "\($0)".contains("A_VORBIS") }
  }
}
