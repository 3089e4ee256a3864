/// A question to a time server (SNTP, RFC 5905 section 14), and what its answer says about our clock.
package struct ClockQuestion: Hashable, Sendable {
  /// When it is asked, by our clock.
  package var asked: NTPTime

  private static let length = 48

  package init(at asked: NTPTime) {
    self.asked = asked
  }

  /// Version 4, a client; our time, which the answer repeats.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = [0x23] + [UInt8](repeating: 0, count: ClockQuestion.length - 9)
    bytes.appendBigEndian64(asked.bits)
    return bytes
  }

  /// How far our clock is ahead of the server's, in nanoseconds; nil for what is no answer to this question, or comes from
  /// a server that does not know the time itself.
  ///
  /// - Parameter heard: when the answer came, by our clock.
  package func ahead(_ answer: [UInt8], heard: NTPTime) -> Int64? {
    let span = answer.span
    guard span.count >= ClockQuestion.length, span[0] & 7 == 4, span[0] &>> 6 != 3, (1...15).contains(span[1]),
      span.bigEndian64(at: 24) == asked.bits
    else { return nil }
    let (received, sent) = (NTPTime(bits: span.bigEndian64(at: 32)), NTPTime(bits: span.bigEndian64(at: 40)))
    let there = asked.nanoseconds(since: received) / 2
    let back = heard.nanoseconds(since: sent) / 2
    return there &+ back
  }
}
