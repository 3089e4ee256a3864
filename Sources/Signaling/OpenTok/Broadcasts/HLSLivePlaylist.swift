// Arithmetic in this file is in range: it counts the segments of one broadcast, whose length is bounded.

/// The media playlist of a live broadcast (RFC 8216 section 4): the latest segments. Pure.
package struct HLSLivePlaylist: Hashable, Sendable {
  private struct Entry: Hashable, Sendable {
    var number: Int
    var length: Int64
    var followsBreak: Bool
  }

  private let seconds: Int64
  private let capacity: Int
  private var entries: [Entry] = []
  /// Breaks before the first entry (section 4.3.3.3).
  private var formerBreaks = 0
  package private(set) var isOver = false

  /// - Parameters:
  ///   - seconds: about the length of a segment; none is longer, rounded.
  ///   - capacity: segments that are listed.
  package init(seconds: Int64, capacity: Int) {
    (self.seconds, self.capacity) = (max(1, seconds), max(1, capacity))
  }

  package var isEmpty: Bool { entries.isEmpty }

  package static func name(of segment: Int) -> String { "\(segment).aac" }

  /// Adds a segment whose file is there.
  /// - Returns: the number of a segment that is no longer listed.
  package mutating func add(_ segment: HLSSegmenter.Segment) -> Int? {
    entries.append(
      Entry(number: segment.number, length: segment.length, followsBreak: segment.followsBreak && !entries.isEmpty))
    guard entries.count > capacity else { return nil }
    let gone = entries.removeFirst()
    // A break goes with the segment before which it stands.
    if entries.first?.followsBreak == true {
      entries[0].followsBreak = false
      formerBreaks += 1
    }
    return gone.number
  }

  package mutating func end() { isOver = true }

  package var text: String {
    var lines = [
      "#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:\(seconds)",
      "#EXT-X-MEDIA-SEQUENCE:\(entries.first?.number ?? 0)",
    ]
    if formerBreaks > 0 { lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(formerBreaks)") }
    for entry in entries {
      if entry.followsBreak { lines.append("#EXT-X-DISCONTINUITY") }
      let microseconds = entry.length * 1_000_000 / 48_000
      let fraction = String(1_000_000 + microseconds % 1_000_000).dropFirst()
      lines += ["#EXTINF:\(microseconds / 1_000_000).\(fraction),", HLSLivePlaylist.name(of: entry.number)]
    }
    if isOver { lines.append("#EXT-X-ENDLIST") }
    return lines.joined(separator: "\n") + "\n"
  }
}
