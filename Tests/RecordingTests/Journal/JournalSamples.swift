import Machines
import Music
import TestSupport

@testable import Recording

/// Headers and frames for the tests, always the same.
enum JournalSamples {
  static func id<Entity>(_ number: UInt64, of entity: Entity.Type = Entity.self) -> Identifier<Entity> {
    // 2026-11-21T03:00:00Z in milliseconds, so that folder names have a date to show.
    Identifier(ULID(high: 1_795_230_000_000 << 16 | 0xABCD, low: number))
  }

  static func time(_ milliseconds: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: milliseconds * 1_000_000)
  }

  static func name(_ text: String) throws -> DisplayName { try DisplayName(checking: text) }

  static func take(number: Int = 3, song: String? = "Blue Train", room: String = "Studio") throws -> Take {
    var take = Take(
      id: id(1), number: number, state: .rolling, room: try RoomName(checking: room), session: id(2),
      song: song.map { Song(id: id(3), title: $0) }, startedAt: WallTime(milliseconds: 1_795_230_600_000), folder: "")
    take.folder = TakeFolder.relativePath(for: take)
    return take
  }

  static func header() throws -> JournalHeader {
    JournalHeader(
      take: try take(), zero: time(5_000), software: "jamjar 1.0.0", options: ["topology": "routed", "window": "4 s"])
  }

  static func track() throws -> JournalTrack {
    JournalTrack(
      trackID: id(10), participant: Participant(id: id(11), name: try name("Zoë 🎷")), part: "tenor saxophone",
      origin: "webrtc",
      stream: JournalStream(
        opusPayloadType: 111, redPayloadType: 63, audioLevelExtension: 1, absoluteCaptureTimeExtension: 4,
        isStereo: true))
  }

  /// One frame of every kind, and some that differ in what may be absent.
  static func frames() throws -> [JournalFrame] {
    [
      .trackOpened(track: 1, try track(), at: time(5_010)),
      .trackOpened(
        track: 2,
        JournalTrack(
          trackID: id(12), participant: Participant(id: id(13), name: try name("Bo")), origin: "rtp",
          stream: JournalStream(opusPayloadType: 96)), at: time(5_011)),
      .streamChanged(track: 2, JournalStream(opusPayloadType: 97, isStereo: false), at: time(5_012)),
      .rtp(track: 1, arrival: time(5_020), packet: (0..<173).map { UInt8($0) }),
      .rtp(track: 1, arrival: time(5_020), packet: []),
      .rtcp(track: 2, arrival: time(5_021), packet: [0x80, 200, 0, 6] + [UInt8](repeating: 7, count: 24)),
      .clockSample(track: 1, arrival: time(5_022), senderTime: -9_000_000_001, roundTrip: .microseconds(812)),
      .roundTrip(track: 2, at: time(5_023), .milliseconds(31)),
      .playoutDelay(track: 2, at: time(5_024), of: 1, delay: .milliseconds(42)),
      .path(track: 1, at: time(5_025), isUp: false),
      .path(track: 1, at: time(5_026), isUp: true),
      .wallClock(at: time(5_027), WallTime(milliseconds: 1_795_230_600_027)),
      .cue(at: time(5_028), id(20), text: "da capo", author: id(11)),
      .cue(at: time(5_029), id(21), text: "", author: nil),
      .song(at: time(5_030), title: "Naïma"),
      .song(at: time(5_031), title: nil),
      .renamed(track: 2, at: time(5_032), name: try name("Bo Diddley")),
      .degraded(at: time(5_033), reason: "the disk is full", lostBytes: 1 << 40),
      .trackClosed(track: 2, at: time(5_034)),
      .end(at: time(5_035), .stopped),
    ]
  }

  /// The kinds that came after version 1 was first written.
  static func laterFrames() throws -> [JournalFrame] {
    var described = try track()
    described.meta = "{\"seat\":2,\n\"é\":\"🎸\"}"
    return [
      .standstill(at: time(5_036), length: .milliseconds(6_010), isSuspension: false),
      .standstill(at: time(5_037), length: .seconds(3_600), isSuspension: true),
      .trackRepeated(track: 1, try track(), opened: time(5_010), at: time(5_038)),
      .headerRepeated(try header(), at: time(5_039)),
      .directTrip(track: 2, at: time(5_036), of: 1, .milliseconds(11)),
      .ending(at: time(5_036), end: time(5_030)),
      .checkTrip(track: 2, arrival: time(5_036), .microseconds(20_417)),
      .talk(track: 2, at: time(5_036), isOn: true),
      .talk(track: 2, at: time(5_037), isOn: false),
      .backing(
        at: time(5_038),
        JournalBacking(id: id(30), title: "Café", length: 480_000, from: 48_000, starts: time(5_538))),
      .backing(at: time(5_039), nil),
      .quality(
        track: 1, at: time(5_039),
        QualityReading(
          duration: 3.012, roundTrip: 41.237, jitter: 0, expected: 150, missed: 9, lost: 1, concealed: 960, dbfs: -21.3,
          heard: HeardQuality(roundTrip: 80.5, jitter: 2, received: 148, lost: 2, concealed: 0, dbfs: -127))),
      .quality(track: 2, at: time(5_039), QualityReading(expected: 0, heard: HeardQuality())),
      .trackOpened(track: 3, described, at: time(5_039)),
      .trackRepeated(track: 3, described, opened: time(5_039), at: time(5_039)),
    ]
  }

  /// A journal's bytes.
  static func journal(_ frames: [JournalFrame]) throws -> [UInt8] {
    var writer = JournalWriter(header: try header())
    for frame in frames { writer.append(frame) }
    return writer.take()
  }

  /// `count` packets of track 1, 20 ms apart, with contents and lengths that differ.
  static func packets(_ count: Int, seed: UInt64 = 7) -> [JournalFrame] {
    var generator = SeededRandom(seed)
    return (0..<count).map { index in
      let length = Int.random(in: 40...400, using: &generator)
      let packet = (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) }
      return .rtp(track: 1, arrival: time(5_100 + Int64(index) * 20), packet: packet)
    }
  }
}

extension JournalReader {
  /// Everything that can be read now.
  mutating func all() throws(JournalDamage) -> [JournalFrame] {
    var frames: [JournalFrame] = []
    while let frame = try next() { frames.append(frame) }
    return frames
  }
}
