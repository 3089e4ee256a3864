import Machines
import Signaling
import Testing

@Suite struct SockJSSessionTests {
  private let start = MonotonicTime(nanoseconds: 1_000_000_000)
  private let prelude = String(repeating: "h", count: 2_048) + "\n"

  private func later(_ seconds: Int64) -> MonotonicTime { start + .seconds(seconds) }

  @Test func aPollCarriesWhatWaitsAndEnds() throws {
    var session = SockJSSession(at: start)
    let firstNumber = session.attach(.polling, at: start)
    let first = try #require(firstNumber)
    let opening = session.next(for: first, at: start)
    #expect(opening == .finish("o\n"))
    session.detach(first, isIntact: true, at: start)
    let queued = [session.put("a"), session.put("b")]
    #expect(queued == [true, true])
    let secondNumber = session.attach(.polling, at: later(1))
    let second = try #require(secondNumber)
    let frames = session.next(for: second, at: later(1))
    #expect(frames == .finish("a[\"a\",\"b\"]\n"))
    session.detach(second, isIntact: true, at: later(1))
    let thirdNumber = session.attach(.polling, at: later(2))
    let third = try #require(thirdNumber)
    let nothing = session.next(for: third, at: later(26))
    #expect(nothing == .wait && !session.isHeartbeatDue(at: later(26)) && session.isHeartbeatDue(at: later(27)))
    let heartbeat = session.next(for: third, at: later(27))
    #expect(heartbeat == .finish("h\n"))
  }

  @Test func aStreamBeginsWithThePreludeAndGoesOnUntilItIsFull() throws {
    var limits = SockJSSession.Limits()
    limits.response = 2_049 + 100
    var session = SockJSSession(limits: limits, at: start)
    let firstNumber = session.attach(.streaming, at: start)
    let first = try #require(firstNumber)
    let opening = session.next(for: first, at: start)
    #expect(opening == .write(prelude + "o\n"))
    let nothing = session.next(for: first, at: start)
    #expect(nothing == .wait)
    let quiet = session.next(for: first, at: later(25))
    #expect(quiet == .write("h\n"))
    let queued = session.put(String(repeating: "x", count: 100))
    #expect(queued)
    let last = session.next(for: first, at: later(26))
    #expect(last == .finish("a[\"\(String(repeating: "x", count: 100))\"]\n"))
    session.detach(first, isIntact: true, at: later(26))
    // The next response has a prelude, but the session is open already.
    let secondNumber = session.attach(.streaming, at: later(27))
    let second = try #require(secondNumber)
    let beginning = session.next(for: second, at: later(27))
    #expect(beginning == .write(prelude))
  }

  @Test func oneResponseAtATimeIsTheReceiver() throws {
    var session = SockJSSession(at: start)
    let firstNumber = session.attach(.streaming, at: start)
    let first = try #require(firstNumber)
    let other = session.attach(.polling, at: start)
    #expect(other == nil)
    #expect(SockJSSession.refusal(.polling) == "c[2010,\"Another connection still open\"]\n")
    #expect(SockJSSession.refusal(.streaming) == prelude + "c[2010,\"Another connection still open\"]\n")
    // A former receiver changes nothing.
    session.detach(first &+ 1, isIntact: false, at: start)
    #expect(!session.isClosed)
    let stranger = session.next(for: first &+ 1, at: start)
    #expect(stranger == .finish(""))
  }

  @Test func everyResponseSaysThatTheSessionIsClosed() throws {
    var session = SockJSSession(at: start)
    let firstNumber = session.attach(.streaming, at: start)
    let first = try #require(firstNumber)
    _ = session.next(for: first, at: start)
    _ = session.put("last")
    session.close(code: 3000, reason: "Go away!")
    session.close(code: 1001, reason: "another reason")
    // One that the first does not keep away.
    let secondNumber = session.attach(.polling, at: start)
    let second = try #require(secondNumber)
    let former = session.next(for: first, at: start)
    #expect(former == .finish(""))
    let frames = session.next(for: second, at: start)
    #expect(frames == .finish("a[\"last\"]\nc[3000,\"Go away!\"]\n"))
    session.detach(second, isIntact: true, at: start)
    let ignored = session.put("too late")
    #expect(ignored)
    let thirdNumber = session.attach(.polling, at: later(1))
    let third = try #require(thirdNumber)
    let again = session.next(for: third, at: later(1))
    #expect(again == .finish("c[3000,\"Go away!\"]\n"))
  }

  @Test func aBrokenConnectionEndsTheSession() throws {
    var session = SockJSSession(at: start)
    let firstNumber = session.attach(.streaming, at: start)
    let first = try #require(firstNumber)
    _ = session.next(for: first, at: start)
    _ = session.put("lost")
    session.detach(first, isIntact: false, at: start)
    #expect(session.isClosed)
    let secondNumber = session.attach(.polling, at: start)
    let second = try #require(secondNumber)
    let frames = session.next(for: second, at: start)
    #expect(frames == .finish("c[1002,\"Connection interrupted\"]\n"))
  }

  @Test func aSessionThatNobodyAsksForIsOver() throws {
    var session = SockJSSession(at: start)
    #expect(!session.isOver(at: later(4)) && session.isOver(at: later(5)))
    let firstNumber = session.attach(.streaming, at: later(4))
    let first = try #require(firstNumber)
    #expect(!session.isOver(at: later(1_000)))
    session.detach(first, isIntact: true, at: later(1_000))
    #expect(!session.isOver(at: later(1_004)) && session.isOver(at: later(1_005)))
  }

  @Test func whatWaitsIsBounded() throws {
    var limits = SockJSSession.Limits()
    (limits.messages, limits.bytes) = (3, 10)
    var session = SockJSSession(limits: limits, at: start)
    let long = session.put(String(repeating: "x", count: 100))
    let next = session.put("y")
    #expect(long && !next, "one message may have any length, and nothing comes after it")
    var other = SockJSSession(limits: limits, at: start)
    let accepted = (0..<4).map { _ in other.put("") }
    #expect(accepted == [true, true, true, false])
    other.close(code: 1013, reason: "slow", discardingMessages: true)
    let receiverNumber = other.attach(.polling, at: start)
    let receiver = try #require(receiverNumber)
    let frames = other.next(for: receiver, at: start)
    #expect(frames == .finish("o\nc[1013,\"slow\"]\n"))
  }
}
