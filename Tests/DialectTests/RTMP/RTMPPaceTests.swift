import Catalog
import Foundation
import Machines
import Music
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Client
@testable import Server

/// The same sound, sent as fast as it goes, slower than real time, and with a pause: nothing of it is lost.
@Suite(.timeLimit(.minutes(5))) struct RTMPPaceTests {
  enum Pace: String, CaseIterable, CustomTestStringConvertible {
    /// Without waiting: a hundred times real time and more.
    case atOnce
    /// Five seconds for four.
    case slow
    /// In real time, but for a second and a half in which nothing is sent.
    case paused

    var testDescription: String { rawValue }

    /// When a frame is sent, in seconds; nil for at once.
    func time(of seconds: Double) -> Double? {
      switch self {
      case .atOnce: nil
      case .slow: seconds * 1.25
      case .paused: seconds < RTMPPaceTests.pause ? seconds : seconds + 1.5
      }
    }
  }

  private static let rate = 48_000
  private static let seconds = 6
  /// Bursts of a tone, two a second, with silence between them.
  private static let burst = 0.1
  private static let bursts = 2 * seconds
  /// In the silence between two bursts.
  private static let pause = 3.3
  /// In both channels, since a mono source would lose 3 dB on its way to two.
  private static let sound: String = {
    let tone = "if(lt(mod(t,0.5),0.1),0.5*sin(2*PI*700*t),0)"
    return "aevalsrc='\(tone)|\(tone)':s=48000"
  }()

  /// A stream: the codec, its configuration, and frames with their times in milliseconds.
  private struct Stream {
    var codec: AudioCodec
    var configuration: [UInt8]
    var frames: [(timestamp: Int64, bytes: [UInt8])]

    init(_ codec: AudioCodec) throws {
      self.codec = codec
      switch codec {
      case .opus:
        configuration = []
        frames = try RTMPPaceTests.opus()
      case .flac: (configuration, frames) = try RTMPPaceTests.flac()
      default:
        let file = try CodedFile(
          RTMPPaceTests.sound, seconds: RTMPPaceTests.seconds, channels: 2, rate: RTMPPaceTests.rate)
        (configuration, frames) = (file.configuration, file.frames)
      }
    }
  }

  private static func opus() throws -> [(timestamp: Int64, bytes: [UInt8])] {
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 96_000, complexity: 3))
    return try (0..<(seconds * 50)).map { packet in
      var samples: [Float] = []
      for index in 0..<960 {
        let time = Double(packet * 960 + index) / Double(rate)
        let isLoud = time.truncatingRemainder(dividingBy: 0.5) < burst
        let value = isLoud ? Float(0.5 * sin(2 * .pi * 700 * time)) : 0
        samples += [value, value]
      }
      return (Int64(packet * 20), try encoder.encode(samples))
    }
  }

  /// FLAC in Ogg, whose packets are the frames (RFC 9639 section 10.1).
  private static func flac() throws -> (configuration: [UInt8], frames: [(timestamp: Int64, bytes: [UInt8])]) {
    let file = FileManager.default.temporaryDirectory.path + "/jamjar-\(UUID().uuidString).oga"
    defer { try? FileManager.default.removeItem(atPath: file) }
    try SpawnedProgram.run(
      "/usr/bin/ffmpeg",
      [
        "-loglevel", "error", "-f", "lavfi", "-i", sound, "-t", "\(seconds)", "-ac", "2", "-sample_fmt", "s16", "-c:a",
        "flac", "-f", "ogg", file,
      ])
    let packets = packets(ofOgg: [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))))
    let head = try #require(packets.first)
    // 0x7F "FLAC", two bytes of version, the number of further headers, "fLaC", a block's head, STREAMINFO.
    let headers = 1 + (Int(head[7]) << 8 | Int(head[8]))
    let information = Array(head[17..<51])
    let length = Int64(information[2]) << 8 | Int64(information[3])
    let frames = packets.dropFirst(headers).enumerated().map { (Int64($0) * length / 48, $1) }
    return (information, frames)
  }

  private static func packets(ofOgg bytes: [UInt8]) -> [[UInt8]] {
    var packets: [[UInt8]] = []
    var packet: [UInt8] = []
    var place = 0
    while place + 27 <= bytes.count {
      let lengths = bytes[(place + 27)..<(place + 27 + Int(bytes[place + 26]))]
      place = lengths.endIndex
      for length in lengths {
        packet += bytes[place..<(place + Int(length))]
        place += Int(length)
        guard length < 255 else { continue }
        packets.append(packet)
        packet = []
      }
    }
    return packets
  }

  private func send(_ music: Stream, to stream: UInt32, of client: RTMPTestClient, _ pace: Pace) async throws {
    if !music.configuration.isEmpty {
      client.send(.audio(stream: stream, timestamp: 0, AudioTag(music.codec, .header(music.configuration))))
    }
    let clock = ContinuousClock()
    let begin = clock.now
    for frame in music.frames {
      // The sender's own clock: its pace is what is tried.
      if let time = pace.time(of: Double(frame.timestamp) / 1_000) {
        try await clock.sleep(until: begin + .milliseconds(Int64(time * 1_000)))
      }
      let tag = AudioTag(music.codec, .frame(frame.bytes))
      client.send(.audio(stream: stream, timestamp: UInt32(frame.timestamp), tag))
    }
  }

  private func publish(_ name: String, _ client: RTMPTestClient) async throws -> UInt32 {
    client.send(.publish(name: name))
    return try await client.next { output -> UInt32? in
      guard case .status(let stream, let status) = output, status.code == RTMPStatus.Code.publishStart else {
        return nil
      }
      return stream
    }
  }

  private func sound(of id: TakeID, _ service: TestService) async throws -> (samples: [Float], track: Track) {
    let ends: [TakeState] = [.ready, .incomplete, .failed]
    try await eventually("the take is finished") {
      guard let state = try await service.catalog.take(id)?.state else { return false }
      return ends.contains(state)
    }
    let take = try #require(try await service.catalog.take(id))
    let track = try #require(try await service.catalog.tracks(of: id).first)
    let folder = try TakeFolder(existing: take.folder, in: service.data.path)
    let reader = try SoundFileReader(try #require(track.file), in: folder)
    let samples = try reader.read(frames: Int(clamping: reader.frameCount))
    return (stride(from: 0, to: samples.count, by: reader.channels).map { samples[$0] }, track)
  }

  /// Where the sound becomes loud after 150 ms of quiet, and how many samples are loud.
  private func loudness(_ samples: [Float]) -> (onsets: [Int], loud: Int) {
    var (onsets, quiet, loud) = ([Int](), 7_200, 0)
    for (place, sample) in samples.enumerated() {
      if abs(sample) > 0.2 {
        if quiet >= 7_200 { onsets.append(place) }
        quiet = 0
        loud += 1
      } else {
        quiet += 1
      }
    }
    return (onsets, loud)
  }

  @Test(arguments: [AudioCodec.opus, .aac, .flac], Pace.allCases)
  func nothingIsLostAtAnyPace(codec: AudioCodec, pace: Pace) async throws {
    let music = try Stream(codec)
    try await TestService.with {
      $0.rtmp = .init(0)
    } _: { service async throws in
      var take: TakeID?
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let stream = try await publish("tape", client)
        guard case .value(let started) = try await client.call("take.start") else {
          Issue.record("no take was started")
          return
        }
        take = started["take"]?.string.flatMap { TakeID($0) }
        try await send(music, to: stream, of: client, pace)
        client.send(.unpublish(stream: stream))
        let room = try RoomName(checking: "studio")
        try await eventually("the musician has left", within: .seconds(30)) {
          await service.broker.snapshot(of: room)?.members.contains { $0.role == .musician } != true
        }
      }
      let (samples, track) = try await sound(of: try #require(take), service)
      let (onsets, loud) = loudness(samples)
      // Whose sound comes ever later has gaps, also within a burst; and a busy machine is late without being asked.
      let isWhole = pace == .atOnce ? onsets.count == RTMPPaceTests.bursts : onsets.count >= RTMPPaceTests.bursts
      #expect(isWhole, "\(codec) \(pace): \(onsets)")
      // Of a sine of amplitude 0.5, this share is above 0.2.
      let share = 1 - 2 * asin(0.4) / Double.pi
      // The first burst began before the take, which was started by hand: a frame is as late as it is long.
      let expected = Double(RTMPPaceTests.bursts - 1) * RTMPPaceTests.burst * Double(RTMPPaceTests.rate) * share
      // Nothing is lost, and nothing there twice: at most the first burst besides.
      #expect((0.95...1.15).contains(Double(loud) / expected), "\(codec) \(pace): \(loud) of \(expected)")
      guard pace == .atOnce else { return }
      #expect(track.gaps.isEmpty)
      for (one, next) in zip(onsets.dropFirst(), onsets.dropFirst(2)) {
        // 2 ms: a codec smears an onset.
        #expect(abs(next - one - RTMPPaceTests.rate / 2) < RTMPPaceTests.rate / 500, "\(codec): \(onsets)")
      }
    }
  }
}
