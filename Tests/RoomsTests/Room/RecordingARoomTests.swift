import Catalog
import Machines
import Music
import Realtime
import Recording
import Signaling
import Testing

@testable import Rooms

@Suite(.serialized, .timeLimit(.minutes(2))) struct RecordingARoomTests {
  /// All samples of one channel of a file.
  private func channel(_ channel: Int, of file: String, in folder: TakeFolder) throws -> [Float] {
    let reader = try SoundFileReader(file, in: folder)
    var samples: [Float] = []
    while true {
      let block = try reader.read(frames: 48_000)
      if block.isEmpty { return samples }
      for index in stride(from: channel, to: block.count, by: reader.channels) { samples.append(block[index]) }
    }
  }

  @Test func threeMusiciansBecomeATakeWithThreeAlignedTracksAndAMix() async throws {
    let service = try await LiveService()
    let names = ["ada", "bob", "cyd"]
    var players: [(membership: Membership, peer: ClientPeer)] = []
    for name in names { players.append(try await service.musician(name, in: "studio")) }
    // Another member watches, for the room is empty of musicians when the take is finished.
    let watcher = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "ear"), role: .listener))
    let signals = (1...3).map { TestSignal(seed: UInt64($0), seconds: 3) }
    let start = MonotonicClock.now + .milliseconds(50)
    // The second plays 300 ms later than the others, and that has to be heard.
    let offsets: [Int64] = [0, 300, 0]
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (index, player) in players.enumerated() {
        let performance = try signals[index].performance()
        group.addTask { await player.peer.play(performance, from: start + .milliseconds(offsets[index])) }
      }
      try await group.waitForAll()
    }
    for player in players {
      await player.peer.close()
      await player.membership.leave()
    }
    let id = try #require(await service.finishedTake(watcher.events))
    let take = try #require(try await service.index.take(id))
    #expect(take.state == .ready)
    #expect(take.number == 1)
    let tracks = try await service.index.tracks(of: id)
    #expect(Set(tracks.map { $0.participant.name.description }) == Set(names))
    #expect(Set(tracks.map(\.length)).count == 1)
    let folder = try TakeFolder(existing: take.folder, in: service.folder)
    var lags: [Double] = []
    for (name, signal) in zip(names, signals) {
      let track = try #require(tracks.first { $0.participant.name.description == name })
      #expect(track.gaps.isEmpty)
      #expect(track.channels == 2)
      let recorded = try channel(0, of: try #require(track.file), in: folder)
      #expect(Int64(recorded.count) == take.length?.samples)
      let match = try #require(CrossCorrelation.align(recorded, to: signal.left, maximumLag: 96_000))
      #expect(match.coefficient > 0.95)
      lags.append(match.lag)
    }
    // 5 ms is what the issue asks for; on one machine it is a fraction of that.
    #expect(abs(lags[1] - lags[0] - 0.3 * 48_000) < 240, "lags \(lags)")
    #expect(abs(lags[2] - lags[0]) < 240, "lags \(lags)")
    let mix = try channel(0, of: "mix.flac", in: folder)
    for (signal, lag) in zip(signals, lags) {
      // On a machine that stood still at the first packet, the signal may begin before the take's zero.
      let place = Int(lag.rounded())
      let here = Array(mix.dropFirst(max(0, place)))
      let there = Array(signal.left.dropFirst(max(0, -place)))
      let match = try #require(CrossCorrelation.align(here, to: there, maximumLag: 480))
      #expect(abs(match.lag) < 48, "the mix holds every track at its place")
      #expect(match.coefficient > 0.4, "each of three equally loud signals is a good part of the mix")
    }
    await service.end()
  }

  @Test func whoDoesNotConsentIsHeardButNotRecorded() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let bob = try await service.musician("bob", in: "studio", consents: false)
    let heard = PacketCount()
    let ear = ClientPeer(
      loop: service.clients, sends: false, configuration: service.ice, certificate: service.certificate,
      onPacket: { _, _ in heard.add() })
    let reply = try await ada.membership.perform(
      .subscribe(try service.label("bob"), to: .participant(bob.membership.participant), offer: try await ear.offer()))
    guard case .answer(_, let answer) = reply else { throw ClientPeer.Failure(description: "no answer") }
    try await ear.accept(answer: answer)
    try await ear.waitUntilConnected()
    let performance = try TestSignal(seed: 9, seconds: 1).performance()
    let start = MonotonicClock.now
    async let first: Void = ada.peer.play(performance, from: start)
    async let second: Void = bob.peer.play(performance, from: start)
    _ = await (first, second)
    #expect(heard.count > 40)
    await bob.membership.leave()
    guard case .take(let id, _) = try await ada.membership.perform(.stopTake) else {
      throw ClientPeer.Failure(description: "no take")
    }
    #expect(await service.finishedTake(ada.membership.events) == id)
    let tracks = try await service.index.tracks(of: id)
    #expect(tracks.map { $0.participant.name.description } == ["ada"])
    await service.end()
  }

  @Test func aSplitBeginsTheNextTakeWhereTheFirstEnded() async throws {
    let service = try await LiveService()
    let ada = try await service.musician("ada", in: "studio")
    let signal = TestSignal(seed: 5, seconds: 6)
    let performance = try signal.performance()
    let playing = Task { await ada.peer.play(performance, from: MonotonicClock.now) }
    var first: TakeID?
    var events = ada.membership.events.makeAsyncIterator()
    while let event = await events.next() {
      // Long enough for some packet of each take to leave at once, also on a busy machine: its place rests on that.
      if case .journaled(let take, let position) = event, position.seconds > 3 {
        first = take
        break
      }
    }
    guard case .take(let second, let number) = try await ada.membership.perform(.splitTake(song: "Blue Monk")) else {
      throw ClientPeer.Failure(description: "no take")
    }
    #expect(number == 1, "the first take of that song")
    await playing.value
    _ = try await ada.membership.perform(.stopTake)
    var finished: Set<TakeID> = []
    while finished.count < 2, let event = await events.next() {
      if case .takeFinished(let take, let state) = event {
        #expect(state == .ready)
        finished.insert(take)
      }
    }
    let takes = [try #require(first), second]
    #expect(finished == Set(takes))
    // Both takes in a row are what was played, without a seam.
    var joined: [Float] = []
    for id in takes {
      let take = try #require(try await service.index.take(id))
      let track = try #require(try await service.index.tracks(of: id).first)
      let folder = try TakeFolder(existing: take.folder, in: service.folder)
      joined += try channel(0, of: try #require(track.file), in: folder)
      // While its last packets were awaited, its journal already said where it ends.
      var reader = JournalReader()
      reader.feed(try folder.read(TakeFolder.journalName))
      var said: MonotonicTime?
      while let frame = try reader.next() {
        if case .ending(_, let end) = frame { said = end }
        if case .end(let end, _) = frame { #expect(said == end) }
      }
      #expect(said != nil)
    }
    #expect(try await service.index.take(second)?.song?.title == "Blue Monk")
    let match = try #require(CrossCorrelation.align(joined, to: signal.left, maximumLag: 48_000))
    let lag = Int(match.lag.rounded())
    // Half a second to each side of the seam is what was played there, and the sides agree on the time within 1 ms,
    // which is what a take promises.
    let seam = Int(try #require(try await service.index.take(takes[0])?.length).samples)
    var lags: [Double] = []
    for side in [seam - 24_000..<seam, seam..<seam + 24_000] {
      let played = Array(signal.left[(side.lowerBound - lag)..<(side.upperBound - lag)])
      let here = try #require(CrossCorrelation.align(Array(joined[side]), to: played, maximumLag: 480))
      #expect(here.coefficient > 0.95)
      lags.append(here.lag)
    }
    #expect(abs(lags[0] - lags[1]) < 48, "lags \(lags)")
    await ada.peer.close()
    await service.end()
  }
}
