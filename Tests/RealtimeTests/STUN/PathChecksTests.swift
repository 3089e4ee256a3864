import Machines
import TestSupport
import Testing

@testable import Realtime

@Suite struct PathChecksTests {
  private typealias Kind = STUNMessage.AttributeKind

  private let ours = NegotiatedSession.ICECredentials(usernameFragment: "ours", password: "our-password")
  private let theirs = NegotiatedSession.ICECredentials(usernameFragment: "theirs", password: "their-password")
  private var random = SeededRandom(1)

  private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: milliseconds * 1_000_000) }

  private mutating func ask(
    _ checks: inout PathChecks, at milliseconds: Int64, isControlling: Bool = false
  ) throws -> STUNMessage {
    let request = checks.request(
      at: time(milliseconds), from: ours, to: theirs, isControlling: isControlling, using: &random)
    return try STUNMessage(parsing: try #require(request))
  }

  private func answer(
    _ request: STUNMessage, _ kind: STUNMessage.Kind = .bindingSuccess, password: String? = nil
  ) -> [UInt8] {
    STUNMessage(kind, transaction: request.transaction).signed(with: Array((password ?? theirs.password).utf8))
      .fingerprinted().bytes
  }

  @Test mutating func aRequestIsWhatAnICEAgentExpects() throws {
    for isControlling in [false, true] {
      var checks = PathChecks()
      checks.start(at: time(0))
      let request = try ask(&checks, at: 0, isControlling: isControlling)
      #expect(request.kind == .bindingRequest)
      #expect(request[Kind.username] == Array("theirs:ours".utf8))
      #expect(request[Kind.priority]?.count == 4)
      // The tie-breaker of either role loses.
      #expect(request[Kind.iceControlling] == (isControlling ? [UInt8](repeating: 0, count: 8) : nil))
      #expect(request[Kind.iceControlled] == (isControlling ? nil : [UInt8](repeating: 255, count: 8)))
      #expect(STUNMessage.isSigned(request.bytes, with: Array(theirs.password.utf8)))
      #expect(request.attributes.last?.kind == Kind.fingerprint)
    }
  }

  @Test mutating func twentyFollowQuicklyAndThenOneASecond() throws {
    var checks = PathChecks()
    #expect(checks.deadline == nil)
    checks.start(at: time(500))
    var times: [Int64] = []
    for now in stride(from: Int64(0), to: 6_000, by: 50) {
      let bytes = checks.request(at: time(now), from: ours, to: theirs, isControlling: false, using: &random)
      if bytes != nil { times.append(now) }
    }
    #expect(times == (0..<20).map { 500 + $0 * 100 } + [3_400, 4_400, 5_400])
    checks.stop()
    #expect(checks.deadline == nil)
    checks.start(at: time(9_000))
    checks.start(at: time(9_500))
    #expect(checks.deadline == time(9_000))
    checks.postpone(at: time(9_100))
    #expect(checks.deadline == time(10_100))
  }

  @Test mutating func anAnswerTellsTheRoundTripOnce() throws {
    var checks = PathChecks()
    checks.start(at: time(0))
    let first = answer(try ask(&checks, at: 0))
    let second = answer(try ask(&checks, at: 100))
    // In any order.
    for (bytes, asked) in [(second, Int64(100)), (first, 0)] {
      #expect(checks.isAnswer(beginning: Array(bytes.prefix(PathChecks.beginning))))
      #expect(checks.answer(bytes, arrival: time(130)) == .milliseconds(130 - asked))
      #expect(checks.answer(bytes, arrival: time(140)) == nil)
      #expect(!checks.isAnswer(beginning: Array(bytes.prefix(PathChecks.beginning))))
    }
    #expect(!checks.isAwaiting)
  }

  @Test mutating func whatTheOtherEndDidNotSignTellsNothing() throws {
    var checks = PathChecks()
    checks.start(at: time(0))
    let request = try ask(&checks, at: 0)
    let right = answer(request)
    var changed = right
    changed[changed.count - 12] ^= 1
    let wrong = [
      answer(request, password: ours.password), answer(request, .init(rawValue: 0x0111)), changed,
      STUNMessage(.bindingSuccess, transaction: request.transaction).bytes, Array(right.dropLast(4)), request.bytes,
      answer(STUNMessage(.bindingRequest, transaction: [1, 2, 3])), [],
    ]
    for bytes in wrong { #expect(checks.answer(bytes, arrival: time(10)) == nil) }
    #expect(!checks.isAnswer(beginning: Array(right.prefix(PathChecks.beginning - 1))))
    // They cost the right one nothing.
    #expect(checks.answer(right, arrival: time(20)) == .milliseconds(20))
  }

  @Test mutating func onlyTheLastSixteenAreAwaited() throws {
    var checks = PathChecks()
    checks.start(at: time(0))
    var answers: [[UInt8]] = []
    for index in 0..<20 { answers.append(answer(try ask(&checks, at: Int64(index) * 100))) }
    let trips = answers.map { checks.answer($0, arrival: time(2_000)) }
    #expect(trips.prefix(4).allSatisfy { $0 == nil } && trips.dropFirst(4).allSatisfy { $0 != nil })
  }

  @Test mutating func noRoundTripIsNegativeOrEndless() throws {
    for arrival: Int64 in [-1, 10_000] {
      var checks = PathChecks()
      checks.start(at: time(0))
      let bytes = answer(try ask(&checks, at: 0))
      #expect(checks.answer(bytes, arrival: time(arrival)) == nil)
    }
  }
}

/// The examples of RFC 5769, whose padding is not zero.
@Suite struct STUNIntegrityTests {
  private static let key = Array("VOkJxbRl1RmTxUk/WvJxBt".utf8)
  private static let examples = [
    """
    000100582112a442b7e7a701bc34d686fa87dfae802200105354554e207465737420636c69656e74002400046e0001ff80290008932ff9b151263b
    36000600096576746a3a68367659202020000800149aeaa70cbfd8cb56781ef2b5b2d3f249c1b571a280280004e57a3bcf
    """,
    """
    0101003c2112a442b7e7a701bc34d686fa87dfae8022000b7465737420766563746f7220002000080001a147e112a643000800142b91f599fd9e90
    c38c7489f92af9ba53f06be7d780280004c07d4c96
    """,
  ]

  private static func bytes(_ text: String) -> [UInt8] {
    let digits = text.compactMap(\.hexDigitValue)
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] * 16 + digits[$0 + 1]) }
  }

  @Test(arguments: examples) func othersSignaturesAndFingerprintsAreRead(_ text: String) {
    let bytes = Self.bytes(text)
    #expect(STUNMessage.isSigned(bytes, with: Self.key))
    #expect(!STUNMessage.isSigned(bytes, with: Self.key.dropLast()))
    for place in [0, 9, 21, 40, bytes.count - 12] {
      var changed = bytes
      changed[place] ^= 1
      #expect(!STUNMessage.isSigned(changed, with: Self.key))
    }
    let sum = STUNMessage.fingerprint(of: Array(bytes.dropLast(8)))
    #expect(bytes.suffix(4).elementsEqual((0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * $0)) }))
  }
}
