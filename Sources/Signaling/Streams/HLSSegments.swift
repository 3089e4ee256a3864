/// The segments of a stream that a server offers at present.
package struct HLSSegments: Hashable, Sendable {
  package struct Segment: Hashable, Sendable {
    package var address: String
    /// Its number in the stream.
    package var number: Int64
    /// In seconds.
    package var duration: Double
    /// What has to be read before it (fragmented MP4).
    package var map: String?
  }

  package let segments: [Segment]
  /// The longest duration of a segment, in seconds: 0.5 to 60.
  package let target: Double
  /// True if nothing is added any more.
  package let isComplete: Bool

  init(_ lines: [HLSLine]) throws(HLSPlaylist.Fault) {
    var segments: [Segment] = []
    var number: Int64 = 0
    var (target, duration) = (6.0, 0.0)
    var map: String?
    var isComplete = false
    for line in lines {
      switch line {
      case .tag("#EXT-X-MEDIA-SEQUENCE", let value):
        guard let first = Int64(value), first >= 0, first < 1 << 62 else {
          throw HLSPlaylist.Fault(description: "the playlist's #EXT-X-MEDIA-SEQUENCE is no number")
        }
        number = first
      case .tag("#EXT-X-TARGETDURATION", let value): target = HLSSegments.seconds(value) ?? target
      case .tag("#EXTINF", let value): duration = HLSSegments.seconds(value.prefix { $0 != "," }) ?? target
      case .tag("#EXT-X-MAP", let value):
        let attributes = HLSLine.attributes(value)
        guard attributes["BYTERANGE"] == nil else { throw HLSSegments.ranges }
        map = attributes["URI"]
      case .tag("#EXT-X-BYTERANGE", _): throw HLSSegments.ranges
      case .tag("#EXT-X-KEY", let value):
        guard HLSLine.attributes(value)["METHOD"] == "NONE" else {
          throw HLSPlaylist.Fault(description: "the stream is encrypted (#EXT-X-KEY), which is not supported")
        }
      case .tag("#EXT-X-ENDLIST", _): isComplete = true
      case .address(let address):
        segments.append(Segment(address: address, number: number, duration: duration, map: map))
        number &+= 1
      case .tag, .comment: break
      }
    }
    self.segments = segments
    self.target = min(max(target, 0.5), 60)
    self.isComplete = isComplete
  }

  private static var ranges: HLSPlaylist.Fault {
    HLSPlaylist.Fault(description: "the segments are ranges of one file (#EXT-X-BYTERANGE), which is not supported")
  }

  private static func seconds(_ text: some StringProtocol) -> Double? {
    Double(text).flatMap { $0.isFinite && $0 >= 0 && $0 <= 3_600 ? $0 : nil }
  }
}

/// Where a listener is in a stream: which segments of each playlist are new.
package struct HLSCursor: Hashable, Sendable {
  /// How many target durations before the end of a live stream listening begins (RFC 8216 section 6.3.3).
  private static let distance = 3.0
  /// By how many segments a playlist may be older than the one before: caches give old ones out.
  private static let stale: Int64 = 10

  private var next: Int64?

  package init() {}

  /// The segments to be fetched now, in order.
  package mutating func fresh(in list: HLSSegments) -> [HLSSegments.Segment] {
    guard let last = list.segments.last else { return [] }
    // A server that was restarted counts anew.
    if let next, last.number &+ HLSCursor.stale < next { self.next = nil }
    let first = next ?? (list.isComplete ? list.segments.first?.number : start(of: list)) ?? last.number
    next = max(last.number &+ 1, first)
    return list.segments.filter { $0.number >= first }
  }

  private func start(of list: HLSSegments) -> Int64? {
    var left = HLSCursor.distance * list.target  // in range: fractions
    for segment in list.segments.reversed() {
      left -= segment.duration  // in range: fractions
      if left <= 0 { return segment.number }
    }
    return list.segments.first?.number
  }

  /// Seconds until the playlist is asked for again: sooner if it had nothing new.
  package static func pause(after list: HLSSegments, hadNews: Bool) -> Double {
    hadNews ? list.target : list.target / 2
  }
}
