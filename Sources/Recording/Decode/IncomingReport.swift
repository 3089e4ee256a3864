/// What a track's render wants to know of an RTCP sender report (RFC 3550 section 6.4.1).
struct IncomingReport: Hashable, Sendable {
  /// SSRC of the sender.
  var source: UInt32
  /// The sender's NTP clock, in seconds since 1900.
  var senderTime: Double
  /// The RTP time at that instant.
  var timestamp: UInt32

  /// The sender reports of a compound packet; what cannot be read is left out.
  static func senderReports(in bytes: [UInt8]) -> [IncomingReport] {
    var reports: [IncomingReport] = []
    var start = 0
    while start + 4 <= bytes.count, bytes[start] >> 6 == 2 {
      let length = 4 * (1 + Int(bytes[start + 2]) << 8 + Int(bytes[start + 3]))
      guard start + length <= bytes.count else { break }
      if bytes[start + 1] == 200, length >= 28 {
        let words = stride(from: start + 4, to: start + 20, by: 4).map { index in
          bytes[index..<(index + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        }
        reports.append(
          IncomingReport(
            source: words[0], senderTime: seconds(ntp: UInt64(words[1]) << 32 | UInt64(words[2])),
            timestamp: words[3]))
      }
      start += length
    }
    return reports
  }

  /// An NTP time as seconds since 1900; a double keeps 0.5 µs of it.
  static func seconds(ntp: UInt64) -> Double { Double(ntp) / 4_294_967_296 }
}
