import Machines
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct PerspectiveExportTests {
  /// Half of a packet of 20 ms and the encoder's look-ahead, in samples.
  private static let sending = 480 + 312
  /// One step of 24 bits.
  private static let step: Float = 1 / 8_388_608

  /// Each plays two seconds alone, so that in the mix everybody is found.
  private func soloists() -> [VirtualPlayer] {
    ["ada", "bob", "cleo"].enumerated().map { index, name in
      var player = VirtualPlayer(name)
      player.signal.seed = UInt64(index + 1) * 100
      player.start = 0.5 + 2.4 * Double(index)
      player.end = player.start + 2
      return player
    }
  }

  /// All three play the same tune, each as the leader (Bob) is heard: Ada a note of 250 ms late, Cleo two.
  private func followers() -> [VirtualPlayer] {
    let noteStep: UInt64 = 7_919
    return [("ada", noteStep), ("bob", 0), ("cleo", 2 * noteStep)].map { name, later in
      var player = VirtualPlayer(name)
      player.signal = VirtualSignal(level: 0.2, seed: 10_000 &- later, isStereo: false)
      player.end = ExportRehearsal.length - 0.5
      return player
    }
  }

  private static let soloDelays = [(1, 2, 35.0), (1, 3, 42), (3, 2, 12)]

  private func soloTake() throws -> ExportRehearsal {
    try ExportRehearsal(soloists(), ways: [10, 20, 30], playouts: Self.soloDelays.map { ($0.0, $0.1, $0.2) })
  }

  /// How far what `player` played lies from where it was played, in samples, somewhere near `shift`.
  private func distance(of player: VirtualPlayer, in plane: [Float], near shift: Int, alone: Double) -> Double? {
    let start = Int((alone + 0.4) * 48_000)
    let range = (start + shift)..<(start + shift + 48_000)
    guard range.lowerBound >= 0, range.upperBound <= plane.count else { return nil }
    let played = player.played(from: start, count: 48_000)
    return CrossCorrelation.align(Array(plane[range]), to: played, maximumLag: 480)?.lag
  }

  @Test func asPlayedItIsTheTakesOwnMixSampleForSample() throws {
    let take = try soloTake()
    let own = try take.all(of: "mix.flac")
    for format in [ExportFormat.flac24, .wav24, .bwf24] {
      let (mix, _) = try take.left(.asPlayed, format: format)
      #expect(try take.all(of: mix.file.name) == own)
      #expect(mix.length.samples == Int64(ExportRehearsal.length * 48_000))
      #expect(mix.start == .zero)
      // The take's figure is that of the samples before their rounding.
      #expect(abs((mix.peak ?? 0) - (take.manifest.mixPeak ?? 1)) < 0.001)
    }
  }

  @Test func mixedOfTheTrackFilesItIsTheTakesMixButForTheirRounding() throws {
    var players = followers()
    // Loud enough together for the limiter to act: it has to act alike.
    for index in players.indices { players[index].signal.level = 0.75 }
    let take = try ExportRehearsal(players, ways: [10, 20, 30], playouts: [])
    // Without the finished mix the tracks are mixed.
    var manifest = take.manifest
    manifest.files.removeAll { $0.role == .mix }
    _ = try MixDown(of: take.folder, manifest: manifest).write("again.flac", in: take.folder)
    let (again, own) = (try take.all(of: "again.flac"), try take.all(of: "mix.flac"))
    #expect(again.samples.count == own.samples.count)
    // Each of three tracks was rounded by half a step and each mix by another; the limiter, which sees peaks that differ
    // by as much, may add the same again.
    let worst = zip(again.samples, own.samples).map { abs($0 - $1) }.max() ?? 1
    #expect(worst <= 4 * Self.step)
    let tracks = try take.export.tracks.map { try take.left(of: try #require($0.file)) }
    let sums = tracks[0].indices.map { index in tracks.reduce(0) { $0 + $1[index] } * Mixer.defaultGain.factor }
    #expect(sums.contains { abs($0) > 1 })
    #expect(own.samples.allSatisfy { abs($0) < 0.9 })
  }

  @Test func aTakeWithoutAMixIsMixedAsPlayedToo() throws {
    let take = try ExportRehearsal(
      soloists(), ways: [10, 20, 30], playouts: [], options: RenderOptions(makesMix: false, makesPeaks: false))
    let (mix, plane) = try take.left(.asPlayed)
    #expect(mix.length.samples == Int64(ExportRehearsal.length * 48_000))
    for player in take.players {
      let lag = try #require(distance(of: player, in: plane, near: 0, alone: player.start))
      #expect(abs(lag) <= 2, "\(player.name) lies \(lag) samples off")
    }
  }

  @Test func asAdaHeardItEveryoneLiesWhereSheHeardThem() throws {
    let take = try soloTake()
    let (_, played) = try take.left(.asPlayed)
    let (mix, plane) = try take.left(.heard(by: 1))
    let shifts = [0, 65 * 48 + Self.sending, 82 * 48 + Self.sending]
    #expect(mix.shifts.map(\.samples) == shifts.map(Int64.init))
    #expect(mix.start == .zero)
    #expect(mix.length.samples == Int64(ExportRehearsal.length * 48_000) + Int64(82 * 48 + Self.sending))
    for (player, shift) in zip(take.players, shifts) {
      let before = try #require(distance(of: player, in: played, near: 0, alone: player.start))
      let after = try #require(distance(of: player, in: plane, near: shift, alone: player.start))
      #expect(abs(after - before) < 0.1, "\(player.name) was moved by \(Double(shift) + after - before)")
      #expect(abs(after) < 2)
    }
  }

  @Test func followingBobThoseWhoPlayedEarlierAreNotCut() throws {
    let take = try soloTake()
    let (mix, plane) = try take.left(.following(2))
    let shifts = [-65 * 48 - Self.sending, 0, -62 * 48 - Self.sending]
    #expect(mix.shifts.map(\.samples) == shifts.map(Int64.init))
    #expect(mix.start.samples == -Int64(65 * 48 + Self.sending))
    #expect(mix.length.samples == Int64(ExportRehearsal.length * 48_000) + Int64(65 * 48 + Self.sending))
    for (player, shift) in zip(take.players, shifts) {
      let lag = try #require(distance(of: player, in: plane, near: 65 * 48 + Self.sending + shift, alone: player.start))
      #expect(abs(lag) < 2, "\(player.name) lies \(lag) samples off")
    }
  }

  @Test func whatWasPlayedTogetherWithTheLeaderComesTogether() throws {
    // Ada hears Bob 16.5 + 10 + 20 + 203.5 = 250 ms late, Cleo 16.5 + 30 + 20 + 433.5 = 500 ms.
    let take = try ExportRehearsal(followers(), ways: [10, 20, 30], playouts: [(1, 2, 203.5), (3, 2, 433.5)])
    let (mix, felt) = try take.left(.following(2))
    #expect(mix.start.samples == -24_000)
    let (_, played) = try take.left(.asPlayed)
    let start = 2 * 48_000
    let tune = take.players[1].played(from: start, count: 96_000)
    func fit(_ plane: [Float], from first: Int) throws -> CrossCorrelation.Match {
      try #require(CrossCorrelation.align(Array(plane[first..<first + 96_000]), to: tune, maximumLag: 960))
    }
    let together = try fit(felt, from: start + 24_000)
    let apart = try fit(played, from: start)
    #expect(abs(together.lag) < 2)
    #expect(together.coefficient > 0.98)
    #expect(apart.coefficient < 0.8)
  }

  @Test func withoutAReportNothingIsWritten() throws {
    let take = try ExportRehearsal(soloists(), ways: [10, 20, 30], playouts: [(1, 2, 35)])
    #expect(
      throws: PerspectiveProblem.notReported(.init(playouts: [.init(listener: "ada", heard: "cleo")]))
    ) { try take.left(.heard(by: 1)) }
    #expect(try take.folder.names().allSatisfy { !$0.hasPrefix("export") })
  }

  @Test func aTrackFileThatIsGoneIsSaidAndLeavesNoHalfMix() throws {
    let take = try soloTake()
    try take.folder.remove(try #require(take.manifest.tracks[1].file))
    let problem = #expect(throws: FileProblem.self) { try take.left(.heard(by: 1)) }
    #expect(problem?.isMissing == true)
    #expect(try take.folder.names().allSatisfy { !$0.hasPrefix("export") })
  }

  @Test func theFileSaysWhatItIs() throws {
    let take = try soloTake()
    let (mix, _) = try take.left(.heard(by: 1))
    let tags = try SoundFileReader(mix.file.name, in: take.folder).tags
    #expect(tags.title == "take 1, a test")
    #expect(tags.album == "Garage")
  }
}
