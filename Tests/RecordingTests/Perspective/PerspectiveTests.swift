import Machines
import Music
import TestSupport
import Testing

@testable import Recording

@Suite struct PerspectiveTests {
  private static let ada = 1
  private static let bob = 2
  private static let cleo = 3
  private let tracks = [ada, bob, cleo]

  private func at(_ seconds: Double) -> MonotonicTime { VirtualTake.time(seconds) }

  /// Ada's, Bob's and Cleo's round trips are 20, 40 and 60 ms.
  private func readings(_ playouts: [(listener: Int, of: Int, milliseconds: Int64)]) throws -> HearingReadings {
    var readings = HearingReadings()
    for (index, name) in ["ada", "bob", "cleo"].enumerated() {
      let participant = Participant(
        id: Identifier(ULID(high: 1, low: UInt64(index))), name: try DisplayName(checking: name))
      let track = JournalTrack(
        trackID: Identifier(ULID(high: 2, low: UInt64(index))), participant: participant, stream: VirtualPlayer().stream
      )
      readings.note(.trackOpened(track: index + 1, track, at: at(0)))
      readings.note(.roundTrip(track: index + 1, at: at(1), .milliseconds(Int64(20 * (index + 1)))))
    }
    for playout in playouts {
      readings.note(
        .playoutDelay(track: playout.listener, at: at(2), of: playout.of, delay: .milliseconds(playout.milliseconds)))
    }
    return readings
  }

  private func shifts(_ perspective: Perspective, by readings: HearingReadings) throws -> [Int64] {
    try perspective.shifts(of: tracks, by: readings).map(\.samples)
  }

  @Test func asPlayedNothingMovesAndNothingHasToBeKnown() throws {
    #expect(try shifts(.asPlayed, by: HearingReadings()) == [0, 0, 0])
  }

  @Test func whatAMusicianHeardLiesLaterByHalfOfBothRoundTripsAndThePlayout() throws {
    let readings = try readings([(Self.ada, Self.bob, 35), (Self.ada, Self.cleo, 42)])
    // 20/2 + 40/2 + 35 and 20/2 + 60/2 + 42 ms.
    #expect(try shifts(.heard(by: Self.ada), by: readings) == [0, 65 * 48, 82 * 48])
  }

  @Test func whoWasHeardDirectlyIsLaterByHalfOfTheDirectRoundTrip() throws {
    var readings = try readings([(Self.ada, Self.bob, 35), (Self.ada, Self.cleo, 42)])
    readings.note(.directTrip(track: Self.ada, at: at(2), of: Self.bob, .milliseconds(10)))
    // 10/2 + 35; Cleo through the recorder as before.
    #expect(try shifts(.heard(by: Self.ada), by: readings) == [0, 40 * 48, 82 * 48])
  }

  @Test func aDirectPathForASmallPartOfTheTakeIsOfNoAccount() throws {
    let often = (0..<9).map { _ in (Self.ada, Self.bob, Int64(35)) }
    var readings = try readings(often + [(Self.ada, Self.cleo, 42)])
    readings.note(.directTrip(track: Self.ada, at: at(2), of: Self.bob, .milliseconds(10)))
    #expect(try shifts(.heard(by: Self.ada), by: readings) == [0, 65 * 48, 82 * 48])
  }

  @Test func anImpossibleDirectRoundTripIsRefused() throws {
    var readings = try readings([(Self.ada, Self.bob, 35)])
    readings.note(.directTrip(track: Self.ada, at: at(2), of: Self.bob, .milliseconds(-1)))
    readings.note(.directTrip(track: Self.ada, at: at(2), of: Self.bob, .seconds(11)))
    #expect(readings.refused == 2)
    #expect(readings.directTrip(at: Self.ada, of: Self.bob) == nil)
  }

  @Test func whatASampleWaitsInTheEncoderCountsToo() throws {
    var readings = try readings([(Self.ada, Self.bob, 35)])
    var bob = VirtualPlayer("bob")
    bob.packet = 480
    bob.end = 0.2
    for frame in try bob.frames(track: Self.bob, zero: at(0)) {
      if case .rtp = frame { readings.note(frame) }
    }
    // Half of 10 ms and the look-ahead beside 65 ms.
    let shift = try #require(Perspective.heard(by: Self.ada).shifts(of: [Self.ada, Self.bob], by: readings).last)
    #expect(shift.samples == 65 * 48 + 240 + 312)
  }

  @Test func thoseWhoFollowSomebodyAreMovedBackByWhatTheyHeardLate() throws {
    let readings = try readings([(Self.ada, Self.bob, 35), (Self.cleo, Self.bob, 12), (Self.bob, Self.ada, 500)])
    // Ada: 20/2 + 40/2 + 35; Cleo: 60/2 + 40/2 + 12. What Bob heard is of no account.
    #expect(try shifts(.following(Self.bob), by: readings) == [-65 * 48, 0, -62 * 48])
  }

  @Test func shiftsAreWholeSamplesAndComeWithTheirSpread() throws {
    var readings = try readings([])
    for delay in stride(from: Int64(30_000), through: 40_000, by: 100) {
      readings.note(.playoutDelay(track: Self.ada, at: at(2), of: Self.bob, delay: .microseconds(delay + 7)))
    }
    let shift = try #require(Perspective.heard(by: Self.ada).shifts(of: [Self.ada, Self.bob], by: readings).last)
    // 65.007 ms are 3120.336 samples.
    #expect(shift.samples == 3_120)
    let delay = try #require(shift.delay)
    #expect(delay.low == .microseconds(61_007))
    #expect(delay.high == .microseconds(69_007))
    #expect(delay.playout.count == 101)
  }

  @Test func aMissingReportIsAnErrorThatNamesAllThatIsMissing() throws {
    let readings = try readings([(Self.ada, Self.bob, 35)])
    let problem = #expect(throws: PerspectiveProblem.self) { try shifts(.following(Self.bob), by: readings) }
    #expect(problem == .notReported(.init(playouts: [.init(listener: "cleo", heard: "bob")])))
    #expect(problem?.description.contains("cleo's client never reported how late it plays bob") == true)
    #expect(problem?.description.contains("\"stats\"") == true)

    let both = #expect(throws: PerspectiveProblem.self) { try shifts(.heard(by: Self.cleo), by: readings) }
    #expect(
      both
        == .notReported(
          .init(playouts: [.init(listener: "cleo", heard: "ada"), .init(listener: "cleo", heard: "bob")])))
    #expect(both?.description.hasPrefix("cleo's client never reported how late it plays ada and bob; ") == true)
  }

  @Test func aMissingRoundTripIsNamedOnceWithTheNameOfTheTake() throws {
    var readings = HearingReadings()
    for heard in [Self.bob, Self.cleo] {
      readings.note(.playoutDelay(track: Self.ada, at: at(2), of: heard, delay: .milliseconds(3)))
      readings.note(.roundTrip(track: heard, at: at(2), .milliseconds(3)))
    }
    readings.note(.renamed(track: Self.ada, at: at(3), name: try DisplayName(checking: "Ada L.")))
    let problem = #expect(throws: PerspectiveProblem.self) { try shifts(.heard(by: Self.ada), by: readings) }
    #expect(problem == .notReported(.init(roundTrips: ["Ada L."])))
    #expect(problem?.description.contains("RTCP") == true)
  }

  @Test func somebodyWithoutATrackIsNoCentre() {
    #expect(throws: PerspectiveProblem.noSuchTrack(9)) {
      try Perspective.heard(by: 9).shifts(of: tracks, by: HearingReadings())
    }
    #expect(throws: PerspectiveProblem.noSuchTrack(9)) {
      try Perspective.following(9).shifts(of: [], by: HearingReadings())
    }
  }

  @Test func aMusicianAloneNeedsNoReport() throws {
    #expect(try Perspective.heard(by: 7).shifts(of: [7], by: HearingReadings()) == [TrackShift(track: 7)])
  }

  @Test(arguments: [Int64.min, -1, 10_000_000_001, Int64.max])
  func readingsThatCannotBeTrueAreLeftOut(nanoseconds: Int64) throws {
    var readings = try readings([(Self.ada, Self.bob, 35)])
    readings.note(.playoutDelay(track: Self.ada, at: at(2), of: Self.bob, delay: .nanoseconds(nanoseconds)))
    readings.note(.roundTrip(track: Self.bob, at: at(2), .nanoseconds(nanoseconds)))
    readings.note(.playoutDelay(track: Self.bob, at: at(2), of: Self.bob, delay: .milliseconds(5)))
    #expect(readings.refused == 3)
    #expect(readings.playout(at: Self.ada, of: Self.bob)?.count == 1)
    #expect(try Perspective.heard(by: Self.ada).shifts(of: [Self.ada, Self.bob], by: readings).last?.samples == 3_120)
  }
}
