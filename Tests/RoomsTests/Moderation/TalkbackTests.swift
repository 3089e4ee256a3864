import Catalog
import Foundation
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Realtime
@testable import Rooms

/// Talk between the musicians: heard by them, and in no file.
@Suite(.serialized, .timeLimit(.minutes(3))) struct TalkbackTests {
  private func peak(_ samples: some Sequence<Float>) -> Float { samples.reduce(0) { max($0, abs($1)) } }

  /// A tone without a pause, so that silence is nobody's but the service's.
  private func tone() throws -> Performance {
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 128_000, complexity: 3))
    var packets: [[UInt8]] = []
    for packet in 0..<50 {
      var samples: [Float] = []
      for frame in 0..<960 {
        let phase = 2 * Double.pi * 400 * Double(packet * 960 + frame) / 48_000
        let value = Float(0.25 * sin(phase))
        samples += [value, value]
      }
      packets.append(try encoder.encode(samples))
    }
    return Performance(packets: packets, packetLength: 960, repeats: true)
  }

  /// The left channel of the only track of a take.
  private func track(of take: TakeID, in service: LiveService) async throws -> [Float] {
    let row = try #require(try await service.index.take(take))
    let track = try #require(try await service.index.tracks(of: take).first)
    #expect(track.gaps.isEmpty)
    // What the certificate lists as talk is where the track is silent, and not a sample of the music around it.
    let talks = try #require(track.alignment?.talks)
    #expect(talks.count == 1, "\(talks)")
    let reader = try SoundFileReader(
      try #require(track.file), in: TakeFolder(existing: row.folder, in: service.folder))
    let samples = try reader.read(frames: Int(clamping: reader.frameCount))
    let left = stride(from: 0, to: samples.count, by: reader.channels).map { samples[$0] }
    for talk in talks {
      // A packet at either end may be half music: what is silent begins and ends with packets.
      let (start, end) = (Int(talk.start.samples) + 960, Int(talk.end.samples) - 960)
      let inside = left[max(0, start)..<max(start, min(left.count, end))]
      #expect(peak(inside) < 1e-4)
      #expect(inside.count > 21_000, "half a second was heard after the split")
    }
    return left
  }

  @Test func isHeardByTheOthersAndSilentInTheTrackAndInTheNextTakesPast() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let guest = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "bob"), role: .listener))
    let performance = try tone()
    let playing = Task { await ada.peer.play(performance, from: MonotonicClock.now) }
    for await event in guest.events { if case .published = event { break } }
    let ear = try await Listener(service, guest, to: .participant(ada.membership.participant), as: "ear")
    let mix = try await Listener(service, guest, to: .mix, as: "mix")
    while peak(try await ear.listen(to: 25)) < 0.01 {}
    while peak(try await mix.listen(to: 25)) < 0.01 {}

    #expect(try await ada.membership.perform(.sound(.talkback)) == .done)
    let talking = await service.broker.snapshot(of: try RoomName(checking: "studio"))?.members.first?.sound
    #expect(talking == .talkback)
    // More than a second of talk, all of it heard. By the clock: what a busy machine passes on late, it passes on at once.
    let talk = MonotonicClock.now
    while MonotonicClock.now - talk < .milliseconds(1_200) { #expect(peak(try await ear.listen(to: 25)) > 0.1) }
    #expect(peak(try await mix.listen(to: 25)) > 0.1)
    // A take that begins while they talk finds silence before its beginning too.
    _ = try await ada.membership.perform(.splitTake(song: nil))
    let split = MonotonicClock.now
    while MonotonicClock.now - split < .milliseconds(500) { #expect(peak(try await ear.listen(to: 25)) > 0.1) }
    #expect(try await ada.membership.perform(.sound(.on)) == .done)
    #expect(peak(try await ear.listen(to: 50)) > 0.1)
    guard case .take(let second, _) = try await ada.membership.perform(.stopTake) else {
      throw ClientPeer.Failure(description: "no take")
    }
    var finished: Set<TakeID> = []
    for await event in ada.membership.events {
      if case .takeFinished(let take, _) = event { finished.insert(take) }
      if finished.count == 2 { break }
    }
    await ada.peer.close()
    await playing.value
    let first = try #require(finished.first { $0 != second })
    let (before, after) = (try await track(of: first, in: service), try await track(of: second, in: service))
    #expect(peak(before.prefix(24_000)) > 0.1, "music before the talk")
    // At least the second that was heard of it.
    #expect(peak(before.suffix(48_000)) < 1e-6)
    #expect(peak(after.prefix(12_000)) < 1e-6)
    #expect(peak(after.suffix(24_000)) > 0.1, "music after the talk")
    await service.end()
  }

  @Test func everybodySeesWhoIsMutedAndANewClientSpeaksForItself() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let bob = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "bob"), role: .listener))
    var seen = bob.events.makeAsyncIterator()
    _ = try await ada.perform(.sound(.muted))
    // Twice is once.
    _ = try await ada.perform(.sound(.muted))
    _ = try await ada.perform(.sound(.on))
    var states: [SoundState] = []
    while states.count < 2, let event = await seen.next() {
      if case .changed(let member) = event, member.participant.id == ada.participant { states.append(member.sound) }
    }
    #expect(states == [.muted, .on])
    _ = try await ada.perform(.sound(.talkback))
    let again = try await service.broker.enter(
      room, JoinRequest(name: try DisplayName(checking: "ada"), resumeSecret: ada.resumeSecret))
    #expect(again.participant == ada.participant)
    let sound = await service.broker.snapshot(of: room)?.members.first { $0.participant.id == ada.participant }?.sound
    #expect(sound == .on)
    await service.end()
  }

  @Test func aTalkEndsWithoutAWordFromItsClient() throws {
    let member = Member(
      participant: Participant(id: ParticipantID(at: MonotonicClock.wall), name: try DisplayName(checking: "ada")),
      role: .musician, part: nil, consents: true, resumeSecret: "s", identity: nil)
    let start = MonotonicClock.now
    let lease = Member.talkLease
    let almost = MonotonicTime.Span.milliseconds(1)
    #expect(member.says(.talkback, at: start))
    #expect(member.sound(at: start + lease - almost) == .talkback)
    #expect(member.sound(at: start + lease) == .on)
    // Said again in time it goes on, and that is nothing new.
    #expect(!member.says(.talkback, at: start + lease - almost))
    #expect(member.sound(at: start + lease + almost) == .talkback)
    let end = start + lease - almost + lease
    #expect(!member.endLapsedTalk(at: end - almost))
    #expect(member.endLapsedTalk(at: end))
    #expect(!member.endLapsedTalk(at: end))
    // The end is news to the others, though it was the end already.
    #expect(member.says(.talkback, at: end))
    #expect(member.says(.on, at: end + lease + almost))
  }

  /// The client's link stands, but it says nothing any more: what is recorded again is shown as recorded.
  @Test func theOthersLearnThatATalkHasEndedByItself() async throws {
    let service = try await LiveService()
    let room = try RoomName(checking: "studio")
    let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ada")))
    let bob = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "bob"), role: .listener))
    _ = try await ada.perform(.sound(.talkback))
    var states: [SoundState] = []
    for await event in bob.events {
      if case .changed(let member) = event, member.participant.id == ada.participant { states.append(member.sound) }
      if states.count == 2 { break }
    }
    #expect(states == [.talkback, .on])
    await service.end()
  }

  @Test func packetsOfATalkAreKnownByTheirNumbers() {
    var talk = TalkStretches()
    func covers(_ numbers: [Int64], isTalking: Bool) -> [Bool] {
      numbers.map { talk.covers($0, isTalking: isTalking) }
    }
    let music = covers([0, 1, 2, 9], isTalking: false)
    // The first that comes in a talk may be one that was lost before it.
    let first = covers([8, 10, 11, 7, 13, 14], isTalking: true)
    let between = covers([17], isTalking: false)
    // Sent once more after the end, lost at the end itself, and music of before and after it.
    let late = covers([12, 15, 16, 9, 18], isTalking: false)
    let second = covers([30], isTalking: true)
    let afterwards = covers([25, 30, 12], isTalking: false)
    #expect(music == [false, false, false, false])
    #expect(first == [false, true, true, false, true, true])
    #expect(between == [false])
    #expect(late == [true, true, true, false, false])
    #expect(second == [true])
    #expect(afterwards == [false, true, true])
  }
}
