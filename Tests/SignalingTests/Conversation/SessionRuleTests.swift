import Machines
import Testing

@testable import Signaling

/// The rules that the sessions of all dialects share, in virtual time.
@Suite struct SessionRuleTests {
  private static let first = LinkNumber(1)
  private static let second = LinkNumber(2)
  private static let moment = MonotonicTime.Span.milliseconds(1)
  private static let minute = MonotonicTime.Span.seconds(60)

  // MARK: Loss and patience

  @Test(arguments: Spoken.lasting)
  func aSessionWaitsForItsClientAndEndsWhenNobodyComes(dialect: Spoken) {
    let rig = dialect.seated()
    rig.lose(SessionRuleTests.first, isLeaving: false)
    rig.work()
    #expect(rig.partings == 1 && rig.isParked)
    #expect(rig.deadline == rig.now + dialect.wait)
    rig.advance(by: dialect.wait - SessionRuleTests.moment)
    #expect(rig.ending == nil)
    rig.advance(by: SessionRuleTests.moment)
    #expect(rig.ending == "nobody came back")
    #expect(rig.deadline == nil)
  }

  @Test func aNativeSessionEndsWithItsLink() {
    let rig = Spoken.native.seated()
    rig.lose(SessionRuleTests.first, isLeaving: false)
    #expect(rig.ending == "the link is gone" && rig.deadline == nil)
  }

  @Test(arguments: Spoken.lasting)
  func whoHasSaidGoodbyeIsNotWaitedForLong(dialect: Spoken) {
    let rig = dialect.seated()
    rig.lose(SessionRuleTests.first, isLeaving: true)
    rig.work()
    #expect(rig.deadline == rig.now + dialect.goodbye)
    rig.advance(by: dialect.goodbye)
    #expect(rig.ending == "nobody came back")
  }

  /// Also a client that holds links for nothing has only this long, each time.
  @Test(arguments: [(Spoken.kurento, 5), (.kurentoTree, 5), (.opentok, 5), (.remon, 10)] as [(Spoken, Int64)])
  func aClientThatNeverProvesItselfIsNotWaitedForLong(dialect: Spoken, seconds: Int64) {
    let rig = dialect.newcomer()
    // Nobody has come yet.
    #expect(rig.deadline.map { $0 <= rig.now + .seconds(10) } == true)
    rig.attach(SessionRuleTests.first, isLasting: true)
    rig.lose(SessionRuleTests.first, isLeaving: false)
    rig.work()
    #expect(rig.deadline == rig.now + .seconds(seconds))
    rig.advance(by: .seconds(seconds))
    #expect(rig.ending == "nobody came back")
  }

  /// Requests by POST that prove nothing leave nothing, however many they are.
  @Test(arguments: [Spoken.kurento, .kurentoTree])
  func aRequestThatProvesNothingLeavesNoSession(dialect: Spoken) {
    let rig = dialect.newcomer()
    rig.attach(SessionRuleTests.first, isLasting: false)
    rig.lose(SessionRuleTests.first, isLeaving: false)
    #expect(rig.deadline == rig.now)
    rig.advance(by: .zero)
    #expect(rig.ending == "nobody came back")
  }

  @Test(arguments: Spoken.allCases)
  func aSessionThatNobodyAttendsEnds(dialect: Spoken) {
    let rig = dialect.newcomer()
    for _ in 0..<1_001 {
      rig.advance(by: .milliseconds(10))
      // One dialect joins by the token of its address, without a word.
      rig.work()
    }
    #expect(rig.ending != nil)
  }

  /// The seat that it brings may wait longer than a session without one.
  @Test(arguments: Spoken.lasting.filter { $0 != .kurentoTree && $0 != .remon })
  func aJoinThatIsUnderWayIsWaitedFor(dialect: Spoken) {
    let rig = dialect.newcomer()
    rig.attach(SessionRuleTests.first, isLasting: true)
    rig.introduce(on: SessionRuleTests.first)
    #expect(rig.waiting == ["join"])
    rig.lose(SessionRuleTests.first, isLeaving: false)
    rig.advance(by: SessionRuleTests.minute)
    #expect(rig.ending == nil)
    rig.work()
    #expect(rig.isParked && rig.partings == 2)
    // It counts from the loss.
    rig.advance(by: SessionRuleTests.moment)
    #expect(rig.ending == "nobody came back")
  }

  @Test(arguments: [Spoken.kurento, .kurentoTree])
  func aSessionOfRequestsByPostWaitsForTheNextOneAndParksNothing(dialect: Spoken) {
    let rig = dialect.newcomer()
    rig.attach(SessionRuleTests.first, isLasting: false)
    rig.introduce(on: SessionRuleTests.first)
    rig.work()
    #expect(rig.heard[SessionRuleTests.first]?.count == 1)
    rig.lose(SessionRuleTests.first, isLeaving: false)
    rig.work()
    #expect(rig.partings == 0)
    let pause: MonotonicTime.Span = dialect == .kurento ? .seconds(60) : .seconds(10)
    #expect(rig.deadline == rig.now + pause)
    rig.advance(by: pause - SessionRuleTests.moment)
    rig.attach(SessionRuleTests.second, isLasting: false)
    rig.advance(by: SessionRuleTests.moment)
    #expect(rig.ending == nil)
  }

  // MARK: Return

  @Test(arguments: Spoken.lasting)
  func aClientThatComesBackIsTakenBack(dialect: Spoken) {
    let rig = dialect.seated()
    rig.lose(SessionRuleTests.first, isLeaving: false)
    rig.work()
    let returner = dialect.returner(to: rig)
    returner.attach(SessionRuleTests.second, isLasting: true)
    returner.introduce(on: SessionRuleTests.second)
    returner.work()
    #expect(rig.waiting == ["takeBack"])
    rig.work()
    #expect(!rig.isParked && rig.partings == 1 && rig.ending == nil)
    if dialect != .opentok { #expect(rig.heard[SessionRuleTests.second]?.isEmpty == false) }
    // Its own session had nothing worth keeping, unless it is a tree's, which waits for its own client.
    if dialect != .opentok, dialect != .kurentoTree { #expect(returner.ending == "") }
    rig.lose(SessionRuleTests.second, isLeaving: false)
    rig.work()
    #expect(rig.partings == 2 && rig.deadline == rig.now + dialect.wait)
  }

  /// The loss of the old link is noticed when the new one is there already, or just before: the seat stays.
  @Test(arguments: Spoken.lasting, [true, false])
  func aClientThatIsBackAtOnceKeepsItsSeat(dialect: Spoken, isNoticedBefore: Bool) {
    let rig = dialect.seated()
    if isNoticedBefore { rig.lose(SessionRuleTests.first, isLeaving: false) }
    let returner = dialect.returner(to: rig)
    returner.attach(SessionRuleTests.second, isLasting: true)
    returner.introduce(on: SessionRuleTests.second)
    returner.work()
    if !isNoticedBefore { rig.lose(SessionRuleTests.first, isLeaving: false) }
    #expect(rig.waiting == (isNoticedBefore ? ["park", "takeBack"] : ["takeBack"]))
    rig.work()
    #expect(rig.partings == 0 && rig.ending == nil)
    rig.advance(by: .seconds(5))
    #expect(rig.ending == nil)
  }

  @Test(arguments: Spoken.lasting)
  func aSeatThatIsGoneEndsTheSession(dialect: Spoken) {
    let rig = dialect.seated()
    rig.lose(SessionRuleTests.first, isLeaving: false)
    rig.work()
    rig.isGivenUp = true
    let returner = dialect.returner(to: rig)
    returner.attach(SessionRuleTests.second, isLasting: true)
    returner.introduce(on: SessionRuleTests.second)
    returner.work()
    rig.work()
    #expect(rig.ending == "the session is over")
  }

  /// It is told what one is told whose session nobody knows.
  @Test(arguments: Spoken.lasting.filter { $0 != .opentok })
  func aSessionThatIsOverTakesNobodyBack(dialect: Spoken) {
    let rig = dialect.seated()
    rig.supersede()
    let returner = dialect.returner(to: rig)
    returner.attach(SessionRuleTests.second, isLasting: true)
    returner.introduce(on: SessionRuleTests.second)
    returner.work()
    #expect(returner.ending == nil)
    #expect(rig.heard[SessionRuleTests.second] == nil)
    #expect(returner.heard[SessionRuleTests.second]?.count == 1)
  }

  // MARK: Two links, and two sessions

  @Test(arguments: Spoken.lasting)
  func aSecondLinkReplacesTheFirst(dialect: Spoken) {
    let rig = dialect.seated()
    rig.attach(SessionRuleTests.second, isLasting: true)
    #expect(rig.closed[SessionRuleTests.first] == "the session continues on another connection")
    let before = rig.heard[SessionRuleTests.first]
    if rig.hearMessage() {
      #expect(rig.heard[SessionRuleTests.second]?.count == 1 && rig.heard[SessionRuleTests.first] == before)
    }
    // Its end is no loss.
    rig.lose(SessionRuleTests.first, isLeaving: true)
    #expect(rig.waiting.isEmpty && rig.ending == nil)
    rig.lose(SessionRuleTests.second, isLeaving: false)
    #expect(rig.waiting == ["park"])
  }

  @Test(arguments: Spoken.allCases)
  func aTakeOverEndsTheSession(dialect: Spoken) {
    let rig = dialect.seated()
    rig.supersede()
    #expect(rig.ending == "the musician came back" && !rig.isInRoom)
    // Whatever comes afterwards is nothing.
    rig.advance(by: SessionRuleTests.minute)
    rig.introduce(on: SessionRuleTests.first)
    rig.lose(SessionRuleTests.first, isLeaving: false)
    #expect(rig.waiting.isEmpty && rig.deadline == nil)
    rig.attach(SessionRuleTests.second, isLasting: true)
    #expect(rig.closed[SessionRuleTests.second] == "the session is over")
  }

  // MARK: Letters

  @Test(arguments: Spoken.writing, [true, false])
  func aMessageThatWasNotWrittenStaysWithTheSeat(dialect: Spoken, isWritten: Bool) {
    let rig = dialect.seated()
    #expect(rig.hearMessage())
    if isWritten { rig.writeLetters() }
    rig.lose(SessionRuleTests.first, isLeaving: false)
    rig.work()
    rig.finish()
    #expect(rig.unread == (isWritten ? 0 : 1))
  }

  @Test(arguments: [Spoken.kurento, .remon])
  func messagesWhileNobodyIsThereAreKeptUpToALimit(dialect: Spoken) {
    let rig = dialect.seated()
    rig.lose(SessionRuleTests.first, isLeaving: false)
    for _ in 0..<100 { _ = rig.hearMessage() }
    rig.work()
    #expect(rig.unread == SessionLetters.most)
  }

  // MARK: Time

  /// Nothing is looked at that does not wait for something.
  @Test(arguments: [Spoken.native, .kurento, .kurentoTree, .xirsys])
  func aSessionWithoutAnythingToDoSleeps(dialect: Spoken) {
    let rig = dialect.seated()
    #expect(rig.deadline == nil)
    rig.advance(by: .seconds(86_400))
    #expect(rig.ending == nil)
  }

  /// A shell that sleeps until the deadline would else wake for ever.
  @Test(arguments: Spoken.allCases, [true, false])
  func aDeadlineThatHasPassedIsNoDeadline(dialect: Spoken, isSeated: Bool) {
    let rig = isSeated ? dialect.seated() : dialect.newcomer()
    if !isSeated { rig.attach(SessionRuleTests.first, isLasting: true) }
    for _ in 0..<100 {
      guard let deadline = rig.deadline else { return }
      rig.advance(by: deadline - rig.now)
      #expect(rig.deadline.map { $0 > rig.now } ?? true)
    }
  }

  @Test(arguments: Spoken.allCases.filter { $0 != .kurentoTree })
  func theEndOfTheStayIsToldOnce(dialect: Spoken) {
    let rig = dialect.seated()
    #expect(rig.isInRoom && rig.roomsOver == 0)
    rig.leaveRoom()
    #expect(!rig.isInRoom && rig.roomsOver == 1)
  }
}
