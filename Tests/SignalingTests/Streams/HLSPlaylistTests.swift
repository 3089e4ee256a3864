import Testing

@testable import Signaling

/// Playlists of HTTP Live Streaming as servers write them.
@Suite struct HLSPlaylistTests {
  private func segments(_ text: String) throws -> HLSSegments {
    guard case .segments(let list) = try HLSPlaylist(text) else { throw HLSPlaylist.Fault(description: "no segments") }
    return list
  }

  /// A live playlist of segments of 4 s.
  private func live(_ numbers: ClosedRange<Int>, isOver: Bool = false) throws -> HLSSegments {
    var lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:4"]
    lines.append("#EXT-X-MEDIA-SEQUENCE:\(numbers.lowerBound)")
    for number in numbers { lines += ["#EXTINF:4.000,", "s\(number).ts"] }
    if isOver { lines.append("#EXT-X-ENDLIST") }
    return try segments(lines.joined(separator: "\r\n"))
  }

  private func names(_ cursor: inout HLSCursor, _ list: HLSSegments) -> [String] {
    cursor.fresh(in: list).map(\.address)
  }

  @Test func listeningToALiveStreamBeginsNearItsEndAndMissesNothing() throws {
    var cursor = HLSCursor()
    #expect(names(&cursor, try live(10...20)) == ["s18.ts", "s19.ts", "s20.ts"])
    #expect(names(&cursor, try live(10...20)).isEmpty)
    #expect(names(&cursor, try live(12...22)) == ["s21.ts", "s22.ts"])
    // An old copy out of a cache.
    #expect(names(&cursor, try live(11...21)).isEmpty)
    // What the server has removed meanwhile is missing.
    #expect(names(&cursor, try live(30...31)) == ["s30.ts", "s31.ts"])
    // The server was restarted.
    #expect(names(&cursor, try live(0...2)) == ["s0.ts", "s1.ts", "s2.ts"])
  }

  @Test func aFinishedStreamIsHeardFromItsBeginning() throws {
    var cursor = HLSCursor()
    let list = try live(0...5, isOver: true)
    #expect(list.isComplete)
    #expect(names(&cursor, list).count == 6)
    #expect(names(&cursor, list).isEmpty)
  }

  @Test func theSoundAloneIsPreferred() throws {
    let rendition = """
      #EXTM3U
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="low",NAME="x, y",URI="low.m3u8"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="high",NAME="de",URI="other.m3u8"
      #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="high",NAME="en",DEFAULT=YES,URI="high.m3u8"
      #EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.42c00d,mp4a.40.2",AUDIO="low"
      v1.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.42c00d,mp4a.40.2",AUDIO="high"
      v2.m3u8
      """
    let alone = """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=900000,CODECS="avc1.42c00d,mp4a.40.2"
      v.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=64000,CODECS="mp4a.40.5"
      a1.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS="mp4a.40.2"
      a2.m3u8
      """
    let video = """
      #EXTM3U
      #EXT-X-STREAM-INF:BANDWIDTH=900000
      v2.m3u8
      #EXT-X-STREAM-INF:BANDWIDTH=200000
      v1.m3u8
      """
    for (text, address) in [(rendition, "high.m3u8"), (alone, "a2.m3u8"), (video, "v1.m3u8")] {
      guard case .variants(let variants) = try HLSPlaylist(text) else {
        Issue.record("no variants")
        continue
      }
      #expect(variants.address == address)
    }
  }

  @Test(arguments: [
    ("", "#EXTM3U"), ("<html>", "#EXTM3U"),
    ("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\na.ts", "encrypted"),
    ("#EXTM3U\n#EXT-X-BYTERANGE:100@0\na.ts", "BYTERANGE"),
    ("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:-1\na.ts", "no number"),
    ("#EXTM3U\n#EXT-X-MEDIA-SEQUENCE:99999999999999999999\na.ts", "no number"),
    ("#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1", "no variant"),
  ])
  func whatIsNotSupportedIsRefusedByItsName(_ text: String, _ words: String) {
    do throws(HLSPlaylist.Fault) {
      _ = try HLSPlaylist(text)
      Issue.record("it was read")
    } catch {
      #expect(error.description.contains(words), "\(error)")
    }
  }

  @Test func numbersOutsideAllReasonAreBounded() throws {
    let text = """
      #EXTM3U
      #EXT-X-TARGETDURATION:1e300
      #EXTINF:nan,
      a.ts
      #EXT-X-MEDIA-SEQUENCE:4611686018427387903
      b.ts
      """
    let list = try segments(text)
    #expect(list.target == 6)
    var cursor = HLSCursor()
    #expect(cursor.fresh(in: list).count <= 2)
    #expect(throws: HLSPlaylist.Fault.self) { try HLSPlaylist(String(repeating: "#EXTM3U\n", count: 1 << 18)) }
  }
}
