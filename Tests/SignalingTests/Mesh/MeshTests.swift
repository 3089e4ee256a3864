import Machines
import Music
import Testing

@testable import Signaling

/// Who makes whom an offer, what is passed on, and when a pair is given up, in virtual time.
@Suite struct MeshTests {
  private let ada = Sample.ada.id
  private let bob = Sample.bob.id
  private let cat: ParticipantID = Sample.id("CAT")
  private let offer = PairMessage(.offer(sdp: Sample.sdp))
  private let answer = PairMessage(.answer(sdp: Sample.sdp))
  private let candidate = PairMessage(.candidate(Sample.candidate))

  private func at(_ seconds: Double) -> MonotonicTime { .init(nanoseconds: Int64(seconds * 1e9)) }

  /// Ada and Bob, in this order.
  private func two() -> Mesh {
    var mesh = Mesh()
    _ = mesh.enter(ada, at: at(0))
    _ = mesh.enter(bob, at: at(0))
    return mesh
  }

  private func code(_ body: () throws(RoomRefusal) -> Void) -> RoomRefusal.Code? {
    do throws(RoomRefusal) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  /// Both say that their path stands; the pair then.
  private func connect(_ mesh: inout Mesh, at now: MonotonicTime) throws -> MeshPair? {
    _ = try mesh.note(PairReport(.connected), from: ada, about: bob, at: now)
    return try mesh.note(PairReport(.connected), from: bob, about: ada, at: now)
  }

  @Test func thoseWhoAreThereOfferToTheNewcomer() {
    var mesh = Mesh()
    #expect(mesh.enter(ada, at: at(0)).isEmpty)
    let first = MeshPair(number: 1, offers: ada, answers: bob)
    #expect(mesh.enter(bob, at: at(1)) == [first])
    let toCat = [MeshPair(number: 2, offers: ada, answers: cat), MeshPair(number: 3, offers: bob, answers: cat)]
    #expect(mesh.enter(cat, at: at(2)) == toCat)
    #expect(mesh.pairs == [first] + toCat)
  }

  @Test func whoEntersAgainIsTheNewcomerOfNewPairs() {
    var mesh = two()
    #expect(mesh.enter(ada, at: at(1)) == [MeshPair(number: 2, offers: bob, answers: ada)])
    #expect(mesh.pairs.count == 1)
    // What was on its way belongs to the former pair.
    let late = PairMessage(.answer(sdp: Sample.sdp), pair: 1)
    #expect(code { () throws(RoomRefusal) in _ = try mesh.relay(late, from: bob, to: ada, at: at(1)) } == .wrongState)
  }

  @Test func messagesCarryTheNumberOfTheirPair() throws {
    var mesh = two()
    let passed = try mesh.relay(offer, from: ada, to: bob, at: at(1))
    #expect(passed == PairMessage(offer.content, pair: 1))
    #expect(try mesh.relay(answer, from: bob, to: ada, at: at(1)).pair == 1)
    let named = PairMessage(.bye, connection: "c-1")
    #expect(try mesh.relay(named, from: bob, to: ada, at: at(1)).connection == "c-1")
  }

  @Test func offersNeverCross() throws {
    var mesh = two()
    #expect(code { () throws(RoomRefusal) in _ = try mesh.relay(offer, from: bob, to: ada, at: at(0)) } == .wrongState)
    _ = try mesh.relay(offer, from: ada, to: bob, at: at(0))
    #expect(code { () throws(RoomRefusal) in _ = try mesh.relay(answer, from: ada, to: bob, at: at(0)) } == .wrongState)
    _ = try mesh.relay(answer, from: bob, to: ada, at: at(0))
    // Every offer has one answer.
    #expect(code { () throws(RoomRefusal) in _ = try mesh.relay(answer, from: bob, to: ada, at: at(0)) } == .wrongState)
    _ = try mesh.relay(offer, from: ada, to: bob, at: at(0))
    _ = try mesh.relay(answer, from: bob, to: ada, at: at(0))
  }

  @Test func nobodyReachesAPairThatIsNotTheirs() {
    var mesh = two()
    for (sender, receiver) in [(cat, ada), (ada, cat), (ada, ada)] {
      let refusal = code { () throws(RoomRefusal) in _ = try mesh.relay(offer, from: sender, to: receiver, at: at(0)) }
      #expect(refusal == .wrongState)
      let report = code { () throws(RoomRefusal) in
        _ = try mesh.note(PairReport(.failed), from: sender, about: receiver, at: at(0))
      }
      #expect(report == .wrongState)
    }
  }

  @Test func candidatesComeAfterTheOfferAndAreCounted() throws {
    var mesh = two()
    #expect(
      code { () throws(RoomRefusal) in _ = try mesh.relay(candidate, from: bob, to: ada, at: at(0)) } == .wrongState)
    for _ in 0..<2 {
      _ = try mesh.relay(offer, from: ada, to: bob, at: at(0))
      for _ in 0..<Mesh.maximumCandidates { _ = try mesh.relay(candidate, from: bob, to: ada, at: at(0)) }
      let more = code { () throws(RoomRefusal) in _ = try mesh.relay(candidate, from: bob, to: ada, at: at(0)) }
      #expect(more == .tooMany)
      // The other end has its own.
      _ = try mesh.relay(candidate, from: ada, to: bob, at: at(0))
    }
  }

  @Test func aFloodIsRefusedWithTheTimeToTryAgainAndDoesNotStopTheOther() throws {
    var mesh = two()
    let large = PairMessage(.offer(sdp: String(repeating: "x", count: 65_536)))
    var passed = 0
    var refusal: RoomRefusal?
    while refusal == nil, passed < 100 {
      do throws(RoomRefusal) {
        _ = try mesh.relay(large, from: ada, to: bob, at: at(0))
        passed += 1
      } catch {
        refusal = error
      }
    }
    #expect(passed == 7)
    #expect(refusal?.code == .rateLimited)
    let wait = try #require(refusal?.retryAfter)
    #expect(wait > 0)
    // Entering again is no way round it.
    _ = mesh.enter(ada, at: at(0))
    #expect(
      code { () throws(RoomRefusal) in _ = try mesh.relay(large, from: bob, to: ada, at: at(0)) } == nil, "Bob's own")
    let still = code { () throws(RoomRefusal) in
      for _ in 0..<64 { _ = try mesh.relay(PairMessage(.bye), from: ada, to: bob, at: at(0)) }
    }
    #expect(still == .rateLimited)
  }

  @Test func bothEndsHaveToStandBeforeAnybodyListensDirectly() throws {
    var mesh = two()
    #expect(try mesh.note(PairReport(.connected), from: ada, about: bob, at: at(1)) == nil)
    #expect(mesh.pairs.map(\.route) == [.routed])
    let pair = try mesh.note(PairReport(.connected, pair: 1), from: bob, about: ada, at: at(1))
    #expect(pair?.state == .connected)
    #expect(pair?.route == .direct)
    #expect(mesh.deadline == nil)
    // Once is enough.
    #expect(try mesh.note(PairReport(.connected), from: bob, about: ada, at: at(1)) == nil)
  }

  @Test func aLostPathIsRestartedAtOnceAndHeardThroughTheServiceMeanwhile() throws {
    var mesh = two()
    _ = try connect(&mesh, at: at(1))
    let lost = try mesh.note(PairReport(.disconnected), from: bob, about: ada, at: at(9))
    #expect(lost == MeshPair(number: 1, offers: ada, answers: bob, state: .lost, attempt: 1))
    #expect(lost?.route == .routed)
    // The other end notices the same.
    #expect(try mesh.note(PairReport(.disconnected), from: ada, about: bob, at: at(9.1)) == nil)
    #expect(try mesh.note(PairReport(.failed), from: ada, about: bob, at: at(9.2)) == nil)
    let back = try connect(&mesh, at: at(10))
    #expect(back?.state == .connected)
  }

  @Test func aPairThatNeverConnectsIsGivenUpAndOthersGoOn() throws {
    var mesh = two()
    _ = mesh.enter(cat, at: at(0))
    _ = try connect(&mesh, at: at(1))
    for attempt in 1...Mesh.maximumRestarts {
      let due = try #require(mesh.deadline)
      #expect(mesh.advance(to: due - .milliseconds(1)).isEmpty)
      let changed = mesh.advance(to: due)
      #expect(changed.map(\.attempt) == [attempt, attempt])
      #expect(changed.allSatisfy { $0.state == .connecting && $0.has(cat) })
    }
    let due = try #require(mesh.deadline)
    #expect(mesh.advance(to: due).map(\.state) == [.failed, .failed])
    #expect(mesh.deadline == nil)
    #expect(mesh.pairs.map(\.state) == [.connected, .failed, .failed])
    // Its messages are refused until somebody enters again.
    #expect(code { () throws(RoomRefusal) in _ = try mesh.relay(offer, from: ada, to: cat, at: due) } == .wrongState)
    let again = mesh.enter(cat, at: due)
    #expect(again.map(\.state) == [.connecting, .connecting])
  }

  @Test func everyLossHasItsOwnAttempts() throws {
    var mesh = two()
    for round in 0..<5 {
      let start = Double(100 * round)
      _ = try connect(&mesh, at: at(start))
      let lost = try mesh.note(PairReport(.failed), from: ada, about: bob, at: at(start + 10))
      #expect(lost?.state == .lost)
      for _ in 1..<Mesh.maximumRestarts { _ = mesh.advance(to: try #require(mesh.deadline)) }
      #expect(mesh.pairs.first?.state == .lost)
    }
    #expect(mesh.pairs.first?.attempt == 5 * Mesh.maximumRestarts)
  }

  @Test func whoComesBackWithANewLinkGetsWhatDidNotStandTriedAgain() throws {
    var mesh = two()
    _ = mesh.enter(cat, at: at(0))
    _ = try connect(&mesh, at: at(1))
    let changed = mesh.comeBack(ada, at: at(2))
    // The path to Bob stands; the offer to Cat may have been lost.
    #expect(changed == [MeshPair(number: 2, offers: ada, answers: cat, attempt: 1)])
    while let due = mesh.deadline { _ = mesh.advance(to: due) }
    let later = mesh.comeBack(ada, at: at(200))
    #expect(later == [MeshPair(number: 4, offers: ada, answers: cat)])
    #expect(mesh.pairs.first { $0.has(bob) && $0.has(cat) }?.state == .failed)
  }

  @Test func aMutedMusicianIsHeardThroughTheServiceOnly() throws {
    var mesh = two()
    _ = mesh.enter(cat, at: at(0))
    _ = try connect(&mesh, at: at(1))
    // All their pairs, also those that do not stand yet.
    #expect(mesh.mute(bob, true).map(\.hasMuted) == [true, true])
    #expect(mesh.mute(bob, true).isEmpty)
    let pair = try #require(mesh.pairs.first)
    #expect(pair.state == .connected)
    #expect(pair.route == .routed)
    // Entering again does not lift it if they are still muted; the others' pairs are as they were.
    #expect(mesh.enter(bob, isMuted: true, at: at(2)).map(\.hasMuted) == [true, true])
    #expect(mesh.pairs.first { $0.has(ada) && $0.has(cat) }?.hasMuted == false)
    _ = try connect(&mesh, at: at(3))
    #expect(mesh.mute(bob, false).map(\.route).contains(.direct))
    #expect(mesh.mute(cat, true).count == 2)
    mesh.leave(cat)
    #expect(mesh.pairs.map(\.hasMuted) == [false])
  }

  @Test func enteringAndReportingWithoutEndIsRefused() throws {
    var mesh = Mesh()
    // The first time costs nothing: there is nobody yet to begin anew.
    try mesh.admitEntry(of: ada, at: at(0))
    _ = mesh.enter(ada, at: at(0))
    _ = mesh.enter(bob, at: at(0))
    var entries = 0
    while entries < 1_000, code({ () throws(RoomRefusal) in try mesh.admitEntry(of: ada, at: at(0)) }) == nil {
      _ = mesh.enter(ada, at: at(0))
      entries += 1
    }
    #expect(entries == Mesh.allowance.count / Mesh.entryCost)
    let report = code { () throws(RoomRefusal) in
      _ = try mesh.note(PairReport(.failed), from: ada, about: bob, at: at(0))
    }
    #expect(report == .rateLimited)
    // The other has an allowance of their own.
    _ = try mesh.note(PairReport(.connected), from: bob, about: ada, at: at(0))
    var reports = 1
    while reports < 1_000,
      code({ () throws(RoomRefusal) in
        _ = try mesh.note(PairReport(.disconnected), from: bob, about: ada, at: at(0))
      }) == nil
    { reports += 1 }
    #expect(reports == Mesh.allowance.count)
  }

  @Test func leavingEndsTheirPairsOnly() {
    var mesh = two()
    _ = mesh.enter(cat, at: at(0))
    mesh.leave(bob)
    #expect(mesh.pairs == [MeshPair(number: 2, offers: ada, answers: cat)])
    #expect(!mesh.has(bob))
    mesh.clear()
    #expect(mesh.pairs.isEmpty)
    // Numbers count on.
    _ = mesh.enter(ada, at: at(1))
    #expect(mesh.enter(bob, at: at(1)).map(\.number) == [4])
  }
}
