import Machines
import Testing

@testable import Signaling

@Suite struct JSONRPCSessionTests {
  private let link = LinkNumber(1)
  private let start = MonotonicTime(nanoseconds: 0)

  private func session(hasWatchdog: Bool = true) -> JSONRPCSession {
    JSONRPCSession(sessionID: "s", hasWatchdog: hasWatchdog, limits: .signaling)
  }

  private func drain(_ session: inout JSONRPCSession) -> [JSONRPCSession.Output] {
    var outputs: [JSONRPCSession.Output] = []
    while let output = session.next() { outputs.append(output) }
    return outputs
  }

  private func say(
    _ text: String, to session: inout JSONRPCSession, from link: LinkNumber? = nil, at now: MonotonicTime? = nil
  ) -> [JSONRPCSession.Output] {
    session.handle(.text(text, from: link ?? self.link), at: now ?? start)
    return drain(&session)
  }

  private func finish(_ session: inout JSONRPCSession, at now: MonotonicTime? = nil) -> [JSONRPCSession.Output] {
    session.handle(.finished(.success(.done)), at: now ?? start)
    return drain(&session)
  }

  private func request(_ id: Int, _ method: String = "work", _ parameters: String = "{}") -> String {
    "{\"jsonrpc\":\"2.0\",\"id\":\(id),\"method\":\"\(method)\",\"params\":\(parameters)}"
  }

  private func code(_ outputs: [JSONRPCSession.Output]) -> Int64? {
    guard outputs.count == 1, case .answer(let text, _)? = outputs.first else { return nil }
    return (try? JSONValue(parsing: text))?.object?["error"]?.object?["code"]?.integer
  }

  @Test(
    arguments: [
      ("", -32_700), ("{", -32_700), ("{\"id\":1,\"id\":2}", -32_700), (String(repeating: "[", count: 99), -32_700),
      ("{\"id\":1e999,\"method\":\"work\"}", -32_700), ("7", -32_600), ("null", -32_600), ("[]", -32_600),
      ("[{\"id\":1,\"method\":\"work\"}]", -32_600), ("{}", -32_600), ("{\"id\":1,\"method\":", -32_700),
      ("{\"id\":\"x\",\"method\":\"work\"}", -32_600),
      ("{\"id\":1.5,\"method\":\"work\"}", -32_600), ("{\"id\":9223372036854775808,\"method\":\"work\"}", -32_600),
      ("{\"id\":{},\"method\":\"work\"}", -32_600), ("{\"id\":true,\"method\":\"work\"}", -32_600),
    ] as [(String, Int64)])
  func whatIsNoRequestIsAnsweredWithoutAnIdentifier(text: String, expected: Int64) {
    var session = session()
    let outputs = say(text, to: &session)
    #expect(code(outputs) == expected)
    guard case .answer(let answer, _)? = outputs.first else { return _ = Issue.record("\(outputs)") }
    #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":null,"error":{"code":"#))
    #expect(say(request(1), to: &session).count == 1)
  }

  @Test(arguments: [#"{"id":1}"#, #"{"id":1,"method":7}"#, #"{"id":"1","method":null}"#])
  func aRequestWithoutAMethodIsAnsweredUnderItsIdentifier(text: String) {
    var session = session()
    let outputs = say(text, to: &session)
    #expect(code(outputs) == -32_600)
    guard case .answer(let answer, _)? = outputs.first else { return _ = Issue.record("\(outputs)") }
    #expect(answer.hasPrefix(#"{"jsonrpc":"2.0","id":1,"error""#))
  }

  /// A session that takes this many requests and candidates at once, and one of each a second.
  private func metered(requests: Int, candidates: Int) -> JSONRPCSession {
    JSONRPCSession(
      sessionID: "s", hasWatchdog: true, limits: .signaling, candidateMethod: "candidate",
      rates: JSONRPCRates(
        requests: .init(perSecond: 1, burst: requests), candidates: .init(perSecond: 1, burst: candidates)))
  }

  @Test func allPingsWithinTheBurstAreAnsweredAndTheRestAreRefused() {
    var session = metered(requests: 100, candidates: 1)
    let codes = (0..<120).map { code(say(request($0, "ping"), to: &session)) }
    #expect(codes.prefix(100).allSatisfy { $0 == nil })
    #expect(codes.suffix(20).allSatisfy { $0 == -32_000 })
    #expect(code(say(request(200, "ping"), to: &session, at: start + .seconds(1))) == nil)
  }

  @Test func candidatesCountApart() {
    var session = metered(requests: 2, candidates: 180)
    let codes = (0..<180).map { code(say(request($0, "candidate"), to: &session)) }
    #expect(codes.allSatisfy { $0 == nil }, "three connections of 60 each")
    #expect(code(say(request(200, "candidate"), to: &session)) == -32_000)
    #expect(code(say(request(201, "ping"), to: &session)) == nil)
  }

  @Test func aLongTextCountsBeforeItIsParsed() {
    var session = metered(requests: 1, candidates: 10)
    let long = "{\"a\":\"" + String(repeating: "x", count: JSONRPCMeter.candidateBytes) + "\"}"
    #expect(say(request(1, "work", long), to: &session).count == 1)
    let refused = say(request(2, "candidate", long), to: &session)
    #expect(code(refused) == -32_000)
    guard case .answer(let answer, _)? = refused.first else { return _ = Issue.record("\(refused)") }
    #expect(answer.contains("\"id\":2,"))
    #expect(code(say(request(3, "candidate"), to: &session)) == nil)
  }

  @Test func candidatesWaitBesideTheRequestsAndDriveOutNoReply() {
    var session = JSONRPCSession(
      sessionID: "s", hasWatchdog: true, limits: .signaling, candidateMethod: "candidate")
    #expect(say(request(1), to: &session).count == 1)
    for id in 2..<2 + JSONRPCSession.maximumCandidates {
      #expect(code(say(request(id, "candidate"), to: &session)) == nil)
    }
    #expect(code(say(request(900, "candidate"), to: &session)) == -32_000)
    #expect(code(say(request(901), to: &session)) == nil, "the others have places of their own")
    let first = finish(&session).first
    for _ in 0..<JSONRPCSession.maximumCandidates { _ = finish(&session) }
    #expect(say(request(1), to: &session) == first.map { [$0] }, "the first reply is still known")
  }

  @Test(arguments: ["[]", "7", "\"x\"", "true"])
  func parametersMustBeAnObject(parameters: String) {
    var session = session()
    let outputs = say(request(5, "work", parameters), to: &session)
    #expect(code(outputs) == -32_602)
    guard case .answer(let answer, _)? = outputs.first else { return _ = Issue.record("\(outputs)") }
    #expect(answer.contains("\"id\":5"))
  }

  @Test(arguments: [
    #"{"method":"work"}"#, #"{"id":null,"method":"work"}"#, #"{"id":1,"result":{}}"#, #"{"id":1,"error":{}}"#,
    #"{"id":null,"result":null}"#,
  ])
  func notificationsAndResponsesAreIgnored(text: String) {
    var session = session()
    #expect(say(text, to: &session).isEmpty)
  }

  @Test func requestsRunOneAfterAnotherAndControlRunsBeside() {
    var session = session()
    #expect(say(request(1), to: &session).count == 1)
    #expect(say(request(2), to: &session).isEmpty)
    #expect(say(request(3, "ping"), to: &session).count == 1)
    let outputs = finish(&session)
    guard outputs.count == 2, case .answer = outputs[0], case .run(let next) = outputs[1] else {
      return _ = Issue.record("\(outputs)")
    }
    #expect(next.id == JSONRPCID(2))
    #expect(finish(&session).count == 1)
    #expect(finish(&session).isEmpty)
  }

  @Test func theQueueIsBoundedInNumberAndInBytes() {
    var session = session()
    for id in 0...JSONRPCSession.maximumQueue { #expect(code(say(request(id), to: &session)) == nil) }
    #expect(code(say(request(1_000), to: &session)) == -32_000)
    _ = finish(&session)
    #expect(say(request(1_000), to: &session).isEmpty)
    var other = self.session()
    let large = "{\"a\":\"" + String(repeating: "x", count: 120_000) + "\"}"
    let codes = (0..<12).map { code(say(request($0, "work", large), to: &other)) }
    #expect(codes.compactMap { $0 } == [-32_000, -32_000, -32_000])
  }

  @Test func aRepeatWaitsThenIsAnsweredAgainForAMinute() {
    var session = session()
    #expect(say(request(1), to: &session).count == 1)
    #expect(say(request(1), to: &session).isEmpty)
    // Also one that still waits in the queue.
    #expect(say(request(2), to: &session).isEmpty)
    #expect(say(request(2), to: &session).isEmpty)
    let first = finish(&session).first
    #expect(finish(&session).count == 1)
    #expect(say(request(1), to: &session, at: start + .milliseconds(59_999)) == first.map { [$0] })
    guard case .run? = say(request(1), to: &session, at: start + .seconds(60)).first else {
      return _ = Issue.record("an old reply is still kept")
    }
  }

  @Test func aRepeatOnAnotherLinkIsAnsweredThere() {
    var session = session()
    _ = say(request(1), to: &session)
    _ = say(request(1), to: &session, from: LinkNumber(2))
    guard case .answer(_, LinkNumber(2))? = finish(&session).first else { return _ = Issue.record("wrong link") }
  }

  @Test func anotherMethodOrOtherParametersAreNoRepeat() {
    var session = session()
    for text in [request(1), request(1, "other"), request(1, "work", "{\"a\":1}")] {
      guard case .run? = say(text, to: &session).first else { return _ = Issue.record("\(text) was not run") }
      _ = finish(&session)
    }
  }

  @Test func theWatchdogIsArmedByTheFirstPing() {
    var session = session()
    #expect(session.deadline == nil)
    _ = say(request(1, "ping", "{\"interval\":3000}"), to: &session)
    #expect(session.deadline == start + .seconds(9))
    // The interval is the first ping's.
    _ = say(request(2, "ping", "{\"interval\":100}"), to: &session, at: start + .seconds(3))
    #expect(session.deadline == start + .seconds(12))
    session.advance(to: start + .milliseconds(11_999))
    #expect(drain(&session).isEmpty)
    session.advance(to: start + .seconds(12))
    #expect(drain(&session) == [.close(link, code: 1000, reason: "Close for not receive ping from client")])
    #expect(session.deadline == nil)
    // The session itself lives on.
    #expect(say(request(3), to: &session).count == 1)
  }

  @Test(
    arguments: [
      ("{}", 60_000), ("{\"interval\":1}", 300), ("{\"interval\":-5}", 300), ("{\"interval\":1e18}", 1_800_000),
      ("{\"interval\":250.5}", 751),
    ] as [(String, Int64)])
  func theIntervalIsDrawnIntoItsLimits(parameters: String, milliseconds: Int64) {
    var session = session()
    _ = say(request(1, "ping", parameters), to: &session)
    let wait = session.deadline.map { Int64(($0 - start).milliseconds) }
    #expect(wait == milliseconds)
  }

  @Test func everyLinkHasItsOwnWatchdogAndALostLinkHasNone() {
    var session = session()
    _ = say(request(1, "ping", "{\"interval\":1000}"), to: &session)
    _ = say(request(2, "ping", "{\"interval\":5000}"), to: &session, from: LinkNumber(2))
    session.handle(.linkLost(link), at: start)
    #expect(session.deadline == start + .seconds(15))
    var tree = self.session(hasWatchdog: false)
    #expect(say(request(1, "ping", "{\"interval\":1000}"), to: &tree).count == 1)
    #expect(tree.deadline == nil)
    #expect(code(say(request(1, "ping", "{\"interval\":\"x\"}"), to: &tree)) == -32_602)
  }

  @Test func closeSessionAnswersByeAndEverythingElseBeforeTheEnd() {
    var session = session()
    _ = say(request(1), to: &session)
    _ = say(request(2), to: &session)
    let outputs = say(request(3, "closeSession"), to: &session)
    #expect(outputs.count == 4)
    #expect(outputs.first == .answer(#"{"jsonrpc":"2.0","id":3,"result":"bye"}"#, to: link))
    #expect(outputs.last == .end(code: 1000, reason: "closeSession"))
    #expect(say(request(4, "ping"), to: &session).isEmpty)
    #expect(finish(&session).isEmpty)
  }
}
