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

/// Several tracks of one stream (Enhanced RTMP v2): parts of one musician.
@Suite(.timeLimit(.minutes(5))) struct RTMPMultitrackTests {
  private static let rate = 48_000
  private static let frame = 960
  /// Before it, every track is silent, in seconds.
  private static let onset = 1.0
  private static let seconds = 6

  /// Opus packets of a tone of its own that begins at the common onset.
  private func packets(_ frequency: Double) throws -> [[UInt8]] {
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 96_000, complexity: 3))
    let count = RTMPMultitrackTests.seconds * RTMPMultitrackTests.rate / RTMPMultitrackTests.frame
    return try (0..<count).map { packet in
      var samples: [Float] = []
      for index in 0..<RTMPMultitrackTests.frame {
        let time = Double(packet * RTMPMultitrackTests.frame + index) / Double(RTMPMultitrackTests.rate)
        let value = time < RTMPMultitrackTests.onset ? 0 : Float(0.3 * sin(2 * .pi * frequency * time))
        samples += [value, value]
      }
      return try encoder.encode(samples)
    }
  }

  /// Publishes under `name`, and answers the stream's number.
  private func publish(_ name: String, _ client: RTMPTestClient) async throws -> UInt32 {
    client.send(.publish(name: name))
    return try await client.next { output -> UInt32? in
      if case .status(let stream, let status) = output, status.code == RTMPStatus.Code.publishStart {
        stream
      } else {
        nil
      }
    }
  }

  private func sound(of track: Track, in take: Take, _ service: TestService) throws -> [Float] {
    let folder = try TakeFolder(existing: take.folder, in: service.data.path)
    let reader = try SoundFileReader(try #require(track.file), in: folder)
    let samples = try reader.read(frames: Int(clamping: reader.frameCount))
    return stride(from: 0, to: samples.count, by: reader.channels).map { samples[$0] }
  }

  /// How much of a tone is in some samples, by Goertzel's sum.
  private func level(_ samples: ArraySlice<Float>, of frequency: Double) -> Double {
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let phase = 2 * Double.pi * frequency * Double(index) / Double(RTMPMultitrackTests.rate)
      real += Double(sample) * cos(phase)
      imaginary += Double(sample) * sin(phase)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(1, samples.count))
  }

  private func finished(_ id: TakeID, _ service: TestService) async throws -> Take {
    let ends: [TakeState] = [.ready, .incomplete, .failed]
    try await eventually("the take is finished") {
      guard let state = try await service.catalog.take(id)?.state else { return false }
      return ends.contains(state)
    }
    return try #require(try await service.catalog.take(id))
  }

  @Test func theTracksOfADeskArePartsOfOneMusicianAndLieTogether() async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
    } _: { service async throws in
      // Track numbers need not be without gaps; the names of the last two are told, and one is no name.
      let tones: [(track: UInt8, frequency: Double)] = [(0, 300), (1, 700), (4, 1_100)]
      let music = try tones.map { try packets($0.frequency) }
      var take: TakeID?
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let stream = try await publish("desk", client)
        guard case .value(let started) = try await client.call("take.start") else {
          Issue.record("no take was started")
          return
        }
        take = started["take"]?.string.flatMap { TakeID($0) }
        let names: AMFValue = ["1": ["name": "no\nname"], "4": ["title": "drums"], "x": ["name": "y"]]
        client.send(.metadata(stream: stream, [AMFMember("audioTrackIdInfoMap", names)]))
        // Faster than real time, one track after the other in every step.
        for packet in music[0].indices {
          for (place, tone) in tones.enumerated() {
            let tag = AudioTag(.opus, .frame(music[place][packet]), track: tone.track)
            client.send(.audio(stream: stream, timestamp: UInt32(packet * 20), tag))
          }
        }
        client.send(.unpublish(stream: stream))
        let room = try RoomName(checking: "studio")
        try await eventually("the musician has left") {
          await service.broker.snapshot(of: room)?.members.contains { $0.role == .musician } != true
        }
      }
      let row = try await finished(try #require(take), service)
      // Tracks that begin together are numbered as their first packets come.
      let tracks = try await service.catalog.tracks(of: row.id).sorted { ($0.part ?? "") < ($1.part ?? "") }
      #expect(tracks.map { $0.participant.name.description } == ["desk", "desk", "desk"])
      #expect(Set(tracks.map(\.participant.id)).count == 1)
      #expect(tracks.map(\.part) == [nil, "2", "drums"])
      #expect(tracks.allSatisfy { $0.gaps.isEmpty }, "\(tracks.map(\.gaps))")
      #expect(Set(tracks.map(\.length)).count == 1)
      var onsets: [Int] = []
      for (place, track) in tracks.enumerated() {
        let samples = try sound(of: track, in: row, service)
        onsets.append(try #require(samples.firstIndex { abs($0) > 0.05 }))
        let middle = samples[(3 * RTMPMultitrackTests.rate)..<(4 * RTMPMultitrackTests.rate)]
        for (other, tone) in tones.enumerated() {
          let level = level(middle, of: tone.frequency)
          #expect(other == place ? level > 0.2 : level < 0.01, "track \(track.number), \(tone.frequency) Hz: \(level)")
        }
      }
      // Opus smears an onset, the same for all.
      let spread = (onsets.max() ?? 0) - (onsets.min() ?? 0)
      #expect(spread <= RTMPMultitrackTests.rate / 500, "\(onsets)")
    }
  }

  @Test func theOthersHearTheFirstTrackOnly() async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
    } _: { service async throws in
      var options = RTMPClientOptions(app: "studio")
      options.codecs = ["Opus"]
      try await RTMPTestClient.with(port: service.rtmpPort, options) { player in
        try await player.connected()
        try await RTMPTestClient.with(port: service.rtmpPort, options) { client in
          try await client.connected()
          let stream = try await publish("desk", client)
          player.send(.play(name: "desk"))
          _ = try await player.next { output -> Bool? in
            if case .status(_, let status) = output, status.code == RTMPStatus.Code.playStart { true } else { nil }
          }
          let (first, second) = (try packets(300), try packets(700))
          for index in 0..<20 {
            for (track, packet) in [(UInt8(7), first[index]), (2, second[index])] {
              let tag = AudioTag(.opus, .frame(packet), track: track)
              client.send(.audio(stream: stream, timestamp: UInt32(index * 20), tag))
            }
          }
          for index in 0..<20 {
            let heard = try await player.next { output -> [UInt8]? in
              if case .audio(_, _, let tag) = output, case .frame(let bytes) = tag.content { bytes } else { nil }
            }
            #expect(heard == first[index], "packet \(index)")
          }
        }
      }
    }
  }

  @Test func aTrackTooManyIsRefusedWithTheSetting() async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
      $0.limits.tracks = 2
    } _: { service async throws in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let stream = try await publish("desk", client)
        let packet = try packets(300)[0]
        for track in UInt8(0)..<3 {
          client.send(.audio(stream: stream, timestamp: 0, AudioTag(.opus, .frame(packet), track: track)))
        }
        let status = try await client.next { output -> RTMPStatus? in
          if case .status(stream, let status) = output, status.code == RTMPStatus.Code.publishBadName {
            status
          } else {
            nil
          }
        }
        #expect(status.description.contains("more than 2 tracks"), "\(status.description)")
        #expect(status.description.contains("--rtmp-tracks"))
        // The connection goes on.
        #expect(try await client.call("echo", 1) == .value(1))
      }
    }
  }

  @Test func aTrackOfAnUnknownCodecIsRefusedByItsNumber() async throws {
    try await TestService.with {
      $0.rtmp = .init(0)
    } _: { service async throws in
      try await RTMPTestClient.with(port: service.rtmpPort, RTMPClientOptions(app: "studio")) { client in
        try await client.connected()
        let stream = try await publish("desk", client)
        let packet = try packets(300)[0]
        client.send(.audio(stream: stream, timestamp: 0, AudioTag(.opus, .frame(packet))))
        // Opus by its own account, of four streams in a packet.
        let head = Array("OpusHead".utf8) + [1, 6, 0x38, 1, 0x80, 0xBB, 0, 0, 0, 0, 1, 4, 2, 0, 4, 1, 2, 3, 5]
        client.send(.audio(stream: stream, timestamp: 0, AudioTag(.opus, .header(head), track: 3)))
        let status = try await client.next { output -> RTMPStatus? in
          if case .status(stream, let status) = output, status.code == RTMPStatus.Code.publishBadName {
            status
          } else {
            nil
          }
        }
        #expect(status.description.hasPrefix("track 3: "), "\(status.description)")
      }
    }
  }

  @Test func namesOfTracksAreReadFromTheMetadata() {
    let map: AMFValue = [
      "0": ["name": "kick"], "1": ["label": "bass"], "2": ["channels": 2], "300": ["name": "far"], "4": "text",
      "5": ["name": " "],
    ]
    #expect(RTMPTrackNames.names(in: [AMFMember("audioTrackIdInfoMap", map)]) == [0: "kick", 1: "bass"])
    #expect(RTMPTrackNames.names(in: [AMFMember("duration", 0)]).isEmpty)
  }
}
