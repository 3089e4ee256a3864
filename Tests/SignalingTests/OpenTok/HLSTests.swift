import Testing

@testable import Signaling

/// Segments and playlists of HTTP Live Streaming.
@Suite struct HLSTests {
  /// AAC LC, 48 kHz, stereo.
  private static let configuration: [UInt8] = [0x11, 0x90]

  private func segmenter(seconds: Int64 = 1) -> HLSSegmenter {
    HLSSegmenter(configuration: HLSTests.configuration, frameLength: 1_024, seconds: seconds)
  }

  private func frames(_ count: Int, from first: Int = 0) -> [TimedFrame] {
    (first..<(first + count)).map { TimedFrame([UInt8](repeating: UInt8($0 % 251), count: 300), at: Int64($0) * 1_024) }
  }

  @Test func aSegmentIsItsTimeAndADTSFrames() throws {
    var segmenter = segmenter()
    var segments: [HLSSegmenter.Segment] = []
    for frame in frames(100) { segments += segmenter.add(frame) }
    // 46 frames are 981 ms.
    #expect(segments.map(\.number) == [0, 1] && segments.allSatisfy { $0.length == 46 * 1_024 })
    let bytes = try #require(segments.last?.bytes)
    #expect(Array(bytes.prefix(10)) == Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 63])
    let owner: [UInt8] = Array("com.apple.streaming.transportStreamTimestamp".utf8) + [0]
    #expect(Array(bytes[10..<14]) == Array("PRIV".utf8) && Array(bytes[20..<65]) == owner)
    let time: UInt64 = bytes[65..<73].reduce(0) { $0 << 8 | UInt64($1) }
    #expect(time == 46 * 1_024 * 15 / 8)
    // ISO 14496-3: sync word, MPEG-4 without checksum, LC, 48 kHz, stereo, 307 bytes.
    let head: [UInt8] = [0xFF, 0xF1, 0x4C, 0x80, 0x26, 0x7F, 0xFC]
    #expect(Array(bytes[73..<80]) == head && bytes[80] == 46)
    #expect(bytes.count == 73 + 46 * 307 && Array(bytes[380..<387]) == head)
    let rest = segmenter.finish()
    let last = try #require(rest)
    #expect(last.length == 8 * 1_024)
    #expect(segmenter.finish() == nil)
  }

  @Test func theTimeWrapsAt33BitsAsTheFormatWants() throws {
    var segmenter = segmenter()
    _ = segmenter.add(TimedFrame([1], at: (1 << 33) * 8 / 15 + 8))
    let bytes = try #require(segmenter.finish()?.bytes)
    let time: UInt64 = bytes[65..<73].reduce(0) { $0 << 8 | UInt64($1) }
    #expect(time < 32)
  }

  @Test func aBreakEndsASegmentAndIsSaidBeforeTheNext() throws {
    var segmenter = segmenter()
    for frame in frames(10) { _ = segmenter.add(frame) }
    var next = frames(46, from: 500)
    next[0].followsBreak = true
    var segments: [HLSSegmenter.Segment] = []
    for frame in next { segments += segmenter.add(frame) }
    #expect(segments.map(\.length) == [10 * 1_024, 46 * 1_024] && segments.map(\.followsBreak) == [false, true])
    var playlist = HLSLivePlaylist(seconds: 1, capacity: 8)
    for segment in segments { _ = playlist.add(segment) }
    let expected = """
      #EXTM3U
      #EXT-X-VERSION:3
      #EXT-X-TARGETDURATION:1
      #EXT-X-MEDIA-SEQUENCE:0
      #EXTINF:0.213333,
      0.aac
      #EXT-X-DISCONTINUITY
      #EXTINF:0.981333,
      1.aac

      """
    #expect(playlist.text == expected)
  }

  @Test func onlyTheLatestAreListedAndNothingIsListedTwice() throws {
    var segmenter = segmenter()
    var playlist = HLSLivePlaylist(seconds: 1, capacity: 3)
    #expect(playlist.isEmpty)
    var gone: [Int] = []
    for (index, frame) in frames(46 * 6).enumerated() {
      var frame = frame
      frame.followsBreak = index == 46 * 2
      for segment in segmenter.add(frame) {
        if let number = playlist.add(segment) { gone.append(number) }
      }
    }
    #expect(gone == [0, 1, 2])
    #expect(playlist.text.contains("#EXT-X-MEDIA-SEQUENCE:3\n#EXT-X-DISCONTINUITY-SEQUENCE:1\n"))
    #expect(!playlist.text.contains("#EXT-X-DISCONTINUITY\n") && !playlist.text.contains("ENDLIST"))
    playlist.end()
    #expect(playlist.text.hasSuffix("5.aac\n#EXT-X-ENDLIST\n"))
  }
}
