import Machines
import Music
import Testing

@testable import Signaling

/// Broadcasts: what may be wished, and how long they last.
@Suite struct OpenTokBroadcastTests {
  private static let wall = WallTime(milliseconds: 1_790_000_000_000)
  private let zero = MonotonicTime(nanoseconds: 0)

  private func wish(_ text: String) throws -> OpenTokBroadcastWish {
    try OpenTokBroadcastWish(try #require(try JSONValue(parsing: Array(text.utf8)).object))
  }

  private func broadcast(_ wish: OpenTokBroadcastWish) throws -> OpenTokBroadcast {
    OpenTokBroadcast(
      id: "b", session: try OpenTokBodiesTests.session(), wish: wish, at: zero, wall: OpenTokBroadcastTests.wall)
  }

  private func at(_ seconds: Int64) -> MonotonicTime { zero + .seconds(seconds) }

  @Test func whatSDKsSendIsRead() throws {
    let python = try wish(
      """
      {"sessionId": "1_x", "streamMode": "auto", "maxDuration": 5400, "resolution": "1280x720", "layout": null,
       "outputs": {"hls": {"lowLatency": false, "dvr": true},
       "rtmp": [{"id": "foo", "serverUrl": "rtmps://a.example/live", "streamName": "key"},
       {"serverUrl": "rtmp://b.example:1936/x/y", "streamName": "k?t=1"}]}}
      """)
    #expect(python.hls == OpenTokBroadcastWish.HLS(isLowLatency: false, keepsPast: true))
    #expect(python.targets.map(\.id) == ["foo", nil] && python.maxDuration == .seconds(5_400))
    let bare = try wish("{\"sessionId\": \"1_x\"}")
    #expect(bare.hls == OpenTokBroadcastWish.HLS() && bare.targets.isEmpty && bare.maxDuration == .seconds(14_400))
  }

  @Test func whatCannotBeIsRefusedWithASentence() throws {
    let target = #"{"serverUrl": "rtmp://a.example/x", "streamName": "k"}"#
    let named = #"{"id": "a", "serverUrl": "rtmp://a.example/x", "streamName": "k"}"#
    let six: String = Array(repeating: target, count: 6).joined(separator: ",")
    let wrong = [
      #"{"maxDuration": 59}"#, #"{"maxDuration": 36001}"#, #"{"maxDuration": "60"}"#, #"{"resolution": "1x1"}"#,
      #"{"outputs": {}}"#, #"{"outputs": []}"#, #"{"outputs": {"hls": 1}}"#, #"{"hasAudio": false}"#,
      #"{"outputs": {"hls": {"lowLatency": true, "dvr": true}}}"#, #"{"streamMode": "some"}"#,
      #"{"outputs": {"rtmp": [{"serverUrl": "http://a.example/x", "streamName": "k"}]}}"#,
      #"{"outputs": {"rtmp": [{"serverUrl": "rtmp://a.example/x"}]}}"#,
      #"{"outputs": {"rtmp": [{"serverUrl": "rtmp://a.example/x", "streamName": "a\nb"}]}}"#,
      #"{"outputs": {"rtmp": ["# + six + "]}}", #"{"outputs": {"rtmp": ["# + named + "," + named + "]}}",
      #"{"layout": {"type": "custom"}}"#,
    ]
    for text in wrong {
      do {
        _ = try wish(text)
        Issue.record("\(text) was taken")
      } catch let refusal as OpenTokRefusal {
        #expect(refusal.status == 400 && !refusal.message.isEmpty, "\(text)")
      }
    }
  }

  @Test func endsAMinuteAfterTheLastLeaveOrWhenItWasLongEnough() throws {
    var wish = OpenTokBroadcastWish()
    wish.hls = OpenTokBroadcastWish.HLS()
    wish.maxDuration = .seconds(600)
    var broadcast = try broadcast(wish)
    #expect(broadcast.look(isOccupied: true, at: at(10)) == nil)
    #expect(broadcast.look(isOccupied: false, at: at(20)) == nil)
    #expect(broadcast.look(isOccupied: false, at: at(79)) == nil)
    // Somebody is back.
    #expect(broadcast.look(isOccupied: true, at: at(79)) == nil)
    #expect(broadcast.look(isOccupied: false, at: at(90)) == nil)
    var empty = broadcast
    #expect(empty.look(isOccupied: false, at: at(150)) == .sessionEnded)
    #expect(broadcast.look(isOccupied: true, at: at(599)) == nil)
    #expect(broadcast.look(isOccupied: true, at: at(600)) == .tooLong)
    empty.end(.sessionEnded, at: OpenTokBroadcastTests.wall + .seconds(150))
    #expect(empty.look(isOccupied: false, at: at(10_000)) == nil)
    // What ended says nothing more.
    empty.note(.live, at: OpenTokBroadcastTests.wall + .seconds(151))
    #expect(empty.hls == .ended && empty.status == .stopped && empty.reason == .sessionEnded)
  }

  @Test func everyServerHasItsStatusAndTheSDKsReadIt() throws {
    var wish = OpenTokBroadcastWish()
    for name in ["a", "b"] {
      wish.targets.append(.init(id: name, serverURL: "rtmp://\(name).example/x", streamName: "key"))
    }
    var broadcast = try broadcast(wish)
    broadcast.note(.live, of: 0, at: OpenTokBroadcastTests.wall)
    broadcast.note(.error, of: 1, at: OpenTokBroadcastTests.wall)
    broadcast.note(.live, of: 2, at: OpenTokBroadcastTests.wall)
    func statuses() -> [String] {
      let urls = broadcast.json(hls: nil)["broadcastUrls"]?.object
      return urls?["rtmp"]?.array?.compactMap { $0.object?["status"]?.string } ?? []
    }
    #expect(statuses() == ["live", "error"])
    let json = broadcast.json(hls: nil)
    #expect(json["status"] == "started" && json["partnerId"] == 46_000_001 && json["hasVideo"] == false)
    #expect(json["broadcastUrls"]?.object?["hls"] == nil)
    broadcast.end(.user, at: OpenTokBroadcastTests.wall)
    #expect(statuses() == ["offline", "error"])
  }

  @Test func onlyChosenStreamsAreHeardIfTheApplicationChooses() throws {
    let people = (1...3).map { ParticipantID(ULID(high: 1 << 20, low: $0)) }
    let streams = people.map { person in
      OpenTokStream(
        id: OpenTokStreamID(of: person), connection: OpenTokConnectionID(of: person), participant: person,
        createdAt: OpenTokBroadcastTests.wall, name: "")
    }
    #expect(try broadcast(OpenTokBroadcastWish()).heard(of: streams) == nil)
    var wish = OpenTokBroadcastWish()
    wish.streamMode = .manual
    var broadcast = try broadcast(wish)
    #expect(broadcast.heard(of: streams) == [])
    try broadcast.apply(.add(streams[0].id, hasAudio: true, hasVideo: true))
    try broadcast.apply(.add(streams[1].id, hasAudio: false, hasVideo: true))
    #expect(broadcast.heard(of: streams) == [people[0]])
    try broadcast.apply(.add(streams[1].id, hasAudio: true, hasVideo: false))
    try broadcast.apply(.remove(streams[0].id))
    #expect(broadcast.heard(of: streams) == [people[1]])
    // A stream that has ended is nobody's.
    #expect(broadcast.heard(of: [streams[2]]) == [])
  }
}
