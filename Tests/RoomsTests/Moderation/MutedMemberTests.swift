import Catalog
import Foundation
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Realtime
@testable import Rooms

/// A moderator's mute: silence for everybody and in the track, until a moderator lifts it.
@Suite(.serialized, .timeLimit(.minutes(3))) struct MutedMemberTests: AskingARoom {
  private func peak(_ samples: some Sequence<Float>) -> Float { samples.reduce(0) { max($0, abs($1)) } }

  /// Waits until a listener hears something, or nothing any more.
  private func wait(for listener: Listener, toHear isHeard: Bool) async throws {
    while (peak(try await listener.listen(to: 25)) > 0.01) != isHeard {}
  }

  /// The longest silence of a track, in samples.
  private func longestSilence(_ samples: [Float]) -> Int {
    var (longest, current) = (0, 0)
    for sample in samples {
      current = abs(sample) < 1e-4 ? current + 1 : 0
      longest = max(longest, current)
    }
    return longest
  }

  @Test func nobodyHearsAMutedMusicianAndTheTrackIsSilentWithoutAGap() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let guide = try await service.broker.enter(try RoomName(checking: "studio"), try request("guide", .moderator))
    // Without a pause, so that silence is the mute's.
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 128_000, complexity: 3))
    let packets = try (0..<50).map { packet in
      try encoder.encode(
        (0..<960).flatMap { frame in
          let value = Float(0.25 * sin(2 * .pi * 400 * Double(packet * 960 + frame) / 48_000))
          return [value, value]
        })
    }
    let tone = Performance(packets: packets, packetLength: 960, repeats: true)
    let playing = Task { await ada.peer.play(tone, from: MonotonicClock.now) }
    for await event in guide.events { if case .published = event { break } }
    let ear = try await Listener(service, guide, to: .participant(ada.membership.participant), as: "ear")
    let mix = try await Listener(service, guide, to: .mix, as: "mix")
    try await wait(for: ear, toHear: true)
    try await wait(for: mix, toHear: true)

    #expect(try await guide.perform(.mute(ada.membership.participant, true)) == .done)
    try await wait(for: ear, toHear: false)
    try await wait(for: mix, toHear: false)
    // And it stays so.
    #expect(peak(try await ear.listen(to: 50)) < 1e-3)

    #expect(try await guide.perform(.mute(ada.membership.participant, false)) == .done)
    try await wait(for: ear, toHear: true)
    try await wait(for: mix, toHear: true)
    guard case .take(let id, _) = try await guide.perform(.stopTake) else {
      throw ClientPeer.Failure(description: "no take")
    }
    #expect(await service.finishedTake(ada.membership.events) == id)
    await ada.peer.close()
    await playing.value

    let row = try #require(try await service.index.take(id))
    let track = try #require(try await service.index.tracks(of: id).first)
    #expect(track.gaps.isEmpty)
    let reader = try SoundFileReader(
      try #require(track.file), in: TakeFolder(existing: row.folder, in: service.folder))
    let samples = try reader.read(frames: Int(clamping: reader.frameCount))
    let left = stride(from: 0, to: samples.count, by: reader.channels).map { samples[$0] }
    // At least the second that the listener heard of it.
    #expect(longestSilence(left) >= 48_000)
    #expect(peak(left.suffix(48_000)) > 0.1, "heard again")
    await service.end()
  }

  @Test func everybodyIsToldAndTheMutedMemberByWhom() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, try request("ada", .musician, .musician))
    let guide = try await service.broker.enter(room, try request("guide", .moderator))
    var heard = ada.events.makeAsyncIterator()
    var seen = guide.events.makeAsyncIterator()
    _ = try await guide.perform(.mute(ada.participant, true))
    // Twice is once.
    _ = try await guide.perform(.mute(ada.participant, true))
    try await service.broker.mute(ada.participant, false, in: room, by: .operator, at: .rest)
    var words: [RoomEvent] = []
    while words.count < 2, let event = await heard.next() { if case .muted = event { words.append(event) } }
    #expect(words == [.muted(true, by: guide.participant), .muted(false, by: nil)])
    var states: [Bool] = []
    while states.count < 2, let event = await seen.next() {
      if case .changed(let member) = event, member.participant.id == ada.participant { states.append(member.isMuted) }
    }
    #expect(states == [true, false])
    await service.end()
  }

  @Test func onlySomebodyWithEnoughRightsMutesAndLiftsIt() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, try request("ada", .musician, .musician))
    let boss = try await service.broker.enter(room, try request("boss", .owner, .musician))
    let guide = try await service.broker.enter(room, try request("guide", .moderator))
    #expect(await code { try await guide.perform(.mute(boss.participant, true)) } == .forbidden)
    #expect(await code { try await ada.perform(.mute(guide.participant, true)) } == .forbidden)
    #expect(await code { try await guide.perform(.mute(ada.participant, true)) } == nil)
    #expect(await code { try await ada.perform(.mute(ada.participant, false)) } == .forbidden)
    let nobody = ParticipantID(at: MonotonicClock.wall)
    #expect(await code { try await guide.perform(.mute(nobody, true)) } == .unknownParticipant)
    let elsewhere = Principal(.moderator, in: try RoomName(checking: "attic"))
    await #expect(throws: RoomRefusal.self) {
      try await service.broker.mute(ada.participant, false, in: room, by: elsewhere, at: .rest)
    }
    #expect(await service.broker.snapshot(of: room)?.members.map(\.isMuted) == [true, false, false])
    await service.end()
  }

  @Test func aMuteOutlivesTheLinkTheSeatAndTheStay() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    // Keeps the session.
    _ = try await service.broker.enter(room, try request("bob", .musician, .musician))
    let guide = try await service.broker.enter(room, try request("guide", .moderator))
    let first = try await service.broker.enter(room, try request("ada", .musician, .musician))
    _ = try await guide.perform(.mute(first.participant, true))
    func isMuted(_ member: Membership) async -> Bool? {
      await service.broker.snapshot(of: room)?.members.first { $0.participant.id == member.participant }?.isMuted
    }
    // Another link to the same seat.
    let second = try await service.broker.enter(
      room, try request("ada", .musician, .musician, secret: first.resumeSecret))
    #expect(second.participant == first.participant)
    #expect(await isMuted(second) == true)
    // Out, and in again.
    await second.leave()
    let third = try await service.broker.enter(
      room, try request("ada", .musician, .musician, secret: second.resumeSecret))
    #expect(await isMuted(third) == true)
    // Somebody else of that name is not.
    await third.leave()
    let stranger = try await service.broker.enter(room, try request("ada", .musician, .musician))
    #expect(await isMuted(stranger) == false)
    await service.end()
  }

  @Test func theOnlyMusicianDoesNotLiftAMuteByLeavingWhileTheModeratorListens() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let guide = try await service.broker.enter(room, try request("guide", .moderator))
    let first = try await service.broker.enter(room, try request("ada", .musician, .musician))
    _ = try await guide.perform(.mute(first.participant, true))
    func isMuted(_ member: Membership) async -> Bool? {
      await service.broker.snapshot(of: room)?.members.first { $0.participant.id == member.participant }?.isMuted
    }
    // The session ends with its last musician.
    await first.leave()
    #expect(await service.broker.snapshot(of: room)?.session == nil)
    let second = try await service.broker.enter(
      room, try request("ada", .musician, .musician, secret: first.resumeSecret))
    #expect(await isMuted(second) == true)
    #expect(second.participant != first.participant, "another session, another track")
    // Lifted is lifted, whatever was before.
    _ = try await guide.perform(.mute(second.participant, false))
    await second.leave()
    for secret in [second.resumeSecret, first.resumeSecret] {
      let next = try await service.broker.enter(room, try request("ada", .musician, .musician, secret: secret))
      #expect(await isMuted(next) == false)
      await next.leave()
    }
    // Nobody is left to be kept from hearing them.
    let third = try await service.broker.enter(room, try request("ada", .musician, .musician))
    _ = try await guide.perform(.mute(third.participant, true))
    await third.leave()
    await guide.leave()
    let last = try await service.broker.enter(
      room, try request("ada", .musician, .musician, secret: third.resumeSecret))
    #expect(await isMuted(last) == false)
    await service.end()
  }

  @Test func aSilentPacketKeepsItsNumberTimeAndExtensionsAndLosesSoundAndLevel() throws {
    let levelID: UInt8 = 1
    let capture = AbsoluteCaptureTime(captured: NTPTime(bits: 0x0102_0304_0506_0708))
    let opus: [UInt8] = [0xFC] + Array(repeating: 0x55, count: 80)
    let red = try RedundantAudio(
      redundant: [.init(payloadType: 111, timestampOffset: 960, payload: opus[...])], primaryPayloadType: 111,
      primary: opus[...]
    ).payload()
    let source = Forwarder.Source(
      opusPayloadType: 111, redPayloadType: 63, extensions: .init(audioLevel: levelID, absoluteCaptureTime: 2))
    for (type, payload) in [(UInt8(111), opus), (63, red), (13, [7])] {
      let writer = RTPWriter(payloadType: type, marker: true, sequenceNumber: 7, timestamp: 9_600, ssrc: 5)
      let extensions = [
        RTPHeaderExtension.audioLevel(AudioLevel(hasVoice: true, belowFullScale: 3), id: levelID),
        .absoluteCaptureTime(capture, id: 2),
      ]
      let packet = try RTPPacket(parsing: writer.packet(extensions: extensions, payload: payload))
      let arrived = ReceivedPacket(
        packet: packet, extendedSequence: 7, extendedTimestamp: 9_600, arrival: MonotonicClock.now)
      let silent = try #require(arrived.silenced(as: source))
      #expect(silent.packet.header.sequenceNumber == 7 && silent.packet.header.timestamp == 9_600)
      #expect(silent.packet.header.ssrc == 5 && silent.packet.header.marker)
      #expect(silent.packet.audioLevel(levelID) == AudioLevel(hasVoice: false, belowFullScale: 127))
      #expect(silent.packet.absoluteCaptureTime(2) == packet.absoluteCaptureTime(2))
      // 20 ms of silence in stereo; what is no Opus has no sound to keep the time of.
      #expect(Array(source.opusPayload(of: silent.packet)) == (type == 13 ? [] : [0xFC, 0xFF, 0xFE]))
      #expect(arrived.silenced(as: nil)?.packet.payload.isEmpty == true)
    }
  }
}
