import Foundation
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Synchronization
import TestSupport
import Testing

@testable import Server

/// Bots that listen to one stream of another server.
@Suite(.timeLimit(.minutes(5))) struct BotStreamTests {
  private static func allow(_ configuration: inout ServerConfiguration) {
    configuration.webhooks.allowsPrivate = true
    configuration.rtmp = .init(0)
  }

  private func make(_ service: TestService, _ url: String) async throws -> String {
    let made = try await service.post("/v1/bots", ["url": .string(url), "room": "here"])
    #expect(made.status == 201, "\(made.text)")
    return try made.json["id"]?.string ?? ""
  }

  private func bot(_ id: String, _ service: TestService) async throws -> JSONObject {
    try await service.send(.GET, "/v1/bots/\(id)").json
  }

  /// Waits until the bot says why it is not there.
  private func detail(_ id: String, _ service: TestService, _ words: String) async throws {
    try await eventually("the bot says \"\(words)\"") {
      try await bot(id, service)["detail"]?.string?.contains(words) == true
    }
  }

  private func musician(_ service: TestService) async throws -> Participant? {
    let room = try RoomName(checking: "here")
    return await service.broker.snapshot(of: room)?.members.first(where: \.isPublishing)?.participant
  }

  /// Waits for the stream's musician, and for packets with more in them than silence.
  private func hears(_ service: TestService, _ name: String) async throws {
    try await eventually("\(name) plays here") { try await musician(service)?.name.description == name }
    let participant = try #require(try await musician(service)?.id)
    try await service.expectMusic(of: participant, in: try RoomName(checking: "here"))
  }

  @Test func aStreamThatIsPlayedByRTMPIsRecordedAsItIs() async throws {
    try await TestService.with(BotStreamTests.allow) { service in
      let room = try RoomName(checking: "there")
      let ada = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "Ada")))
      let feed = try await ada.openFeed(origin: "test", isStereo: false)
      let encoder = try OpusEncoder(.init(channels: 1, bitrate: 64_000, complexity: 1))
      let tone = (0..<960).map { Float(sin(Double($0) * 0.05)) * 0.2 }
      let packet = try encoder.encode(tone)
      let playing = Task {
        var timestamp: Int64 = 0
        while !Task.isCancelled {
          try await feed.send([.init(opus: packet, timestamp: timestamp, arrival: MonotonicClock.now)])
          timestamp += 960
          // The pace of music.
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      let port = try #require(service.rtmpPort)
      let id = try await make(service, "rtmp://127.0.0.1:\(port)/there/Ada")
      try await hears(service, "Ada")
      try await eventually("the bot says so") { try await bot(id, service)["state"]?.string == "recording" }
      playing.cancel()
      await ada.leave()
      try await eventually("the bot waits for her") {
        let state = try await bot(id, service)["state"]?.string
        return state == "rejoining" || state == "waiting"
      }
      #expect(try await service.send(.DELETE, "/v1/bots/\(id)").status == 204)
    }
  }

  /// A recording that is finished is heard once.
  @Test func aFinishedStreamOfHLSIsHeardToItsEnd() async throws {
    let folder = try DataFolder()
    try StreamFiles.make(
      4,
      ["-c:a", "aac", "-f", "hls", "-hls_time", "1", "-hls_playlist_type", "vod", "-hls_segment_filename"]
        + ["\(folder.path)/part%d.ts"], in: folder.path, "list.m3u8")
    let answer: @Sendable (String) -> StreamServer.Answer = { path in
      if path == "/band/song/index.m3u8?key=sesame" {
        let master = "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=128000,CODECS=\"mp4a.40.2\"\n../parts/list.m3u8\n"
        return .whole("200 OK", Array(master.utf8))
      }
      guard path.hasPrefix("/band/parts/"), let bytes = try? StreamFiles.bytes(folder.path + path.dropFirst(11)) else {
        return .whole("404 Not Found", [])
      }
      return .whole("200 OK", bytes)
    }
    try await StreamServer.with(answer) { server in
      try await TestService.with(BotStreamTests.allow) { service in
        let id = try await make(service, "http://127.0.0.1:\(server.port)/band/song/index.m3u8?key=sesame")
        let shown = try await bot(id, service)
        #expect(shown["kind"]?.string == "hls")
        #expect(shown["url"]?.string?.contains("sesame") == false)
        try await hears(service, "song")
        try await eventually("the bot has heard all") {
          try await service.send(.GET, "/v1/bots/\(id)").status == 404
        }
        let parts = server.requests.withLock { $0.filter { $0.contains("part") && $0.contains(".ts ") } }
        #expect(parts.count == Set(parts).count)
        #expect(parts.count >= 3)
      }
    }
  }

  @Test func aStreamOfIcecastIsRecordedWithTheUsersPassword() async throws {
    let folder = try DataFolder()
    try StreamFiles.make(30, ["-c:a", "libmp3lame", "-b:a", "128k"], in: folder.path, "tone.mp3")
    let sound = try StreamFiles.bytes(folder.path + "/tone.mp3")
    try await StreamServer.with({ path in
      path == "/radio.mp3" ? .endless(sound) : .whole("302 Found", fields: ["Location: /radio.mp3"], [])
    }) { server in
      try await TestService.with(BotStreamTests.allow) { service in
        let id = try await make(service, "icecast://127.0.0.1:\(server.port)/club.mp3?user=ada&secret=open-sesame")
        try await hears(service, "club")
        let head = server.requests.withLock { $0.last ?? "" }
        #expect(head.contains("GET /radio.mp3 "))
        #expect(head.contains("Basic \(Base64.standard.encode(Array("ada:open-sesame".utf8)))"))
        #expect(try await service.send(.DELETE, "/v1/bots/\(id)").status == 204)
        try await eventually("the seat is free") { try await musician(service) == nil }
      }
    }
  }

  /// ffmpeg is the server, and comes when the bot has asked already.
  @Test func aStreamOfSRTIsRecordedOnceItIsThere() async throws {
    try await TestService.with(BotStreamTests.allow) { service in
      // Nobody else is given it in the meantime: UDP ports of the system begin above.
      let port = Int.random(in: 20_000..<30_000)
      let id = try await make(service, "srt://127.0.0.1:\(port)?streamid=stage&secret=open-sesame")
      let shown = try await bot(id, service)
      #expect(shown["url"]?.string == "srt://127.0.0.1:\(port)")
      let program = try SpawnedProgram(
        "/usr/bin/ffmpeg",
        [
          "-nostdin", "-loglevel", "quiet", "-re", "-f", "lavfi", "-i", "sine=frequency=700", "-c:a", "aac", "-f",
          "mpegts", "-passphrase", "open-sesame", "srt://127.0.0.1:\(port)?mode=listener",
        ])
      defer { program.end() }
      try await hears(service, "stage")
      #expect(try await service.send(.DELETE, "/v1/bots/\(id)").status == 204)
    }
  }

  @Test func whatIsNoSoundIsSaidAndDisturbsNobody() async throws {
    try await StreamServer.with({ path in
      switch path {
      case "/page": .whole("200 OK", Array("<html>Hello</html>".utf8))
      case "/locked.m3u8": .whole("200 OK", Array("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\"k\"\n".utf8))
      case "/file.m3u8":
        .whole("200 OK", Array("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n".utf8))
      case "/away": .whole("302 Found", fields: ["Location: file:///etc/passwd"], [])
      case "/round": .whole("302 Found", fields: ["Location: /round"], [])
      case "/mine": .whole("403 Forbidden", [])
      default: .whole("404 Not Found", [])
      }
    }) { server in
      try await TestService.with(BotStreamTests.allow) { service in
        let here = "127.0.0.1:\(server.port)"
        let refused = [
          ("icecast://\(here)/page", "no sound there"), ("http://\(here)/locked.m3u8", "encrypted"),
          ("http://\(here)/file.m3u8", "may not be asked"), ("icecast://\(here)/away", "may be asked"),
          ("icecast://\(here)/round", "more than 5 times"), ("icecast://\(here)/mine", "403"),
          ("icecast://\(here)/nothing", "nothing is sent"), ("rtmp://127.0.0.1:1/live/desk", "cannot be reached"),
        ]
        for (url, words) in refused {
          let id = try await make(service, url)
          try await detail(id, service, words)
        }
        let musician = try await musician(service)
        #expect(musician == nil)
      }
    }
  }

  @Test func aStreamIsNoWayIntoTheNetworkHere() async throws {
    let resolver = WebhookResolver { _ in ["127.0.0.1"] }
    try await TestService.with({ $0.rtmp = .init(0) }, resolver: resolver) { service in
      let urls = [
        "rtmp://radio.example/live/desk", "https://radio.example/live.m3u8", "icecast://10.0.0.1:8000/radio",
        "srt://[::1]:9000", "rtsp://192.168.0.1/camera",
      ]
      for url in urls { try await detail(try await make(service, url), service, "no address of the internet") }
    }
    // A server of RTSP could send ffmpeg there.
    try await TestService.with({ _ in }, resolver: WebhookResolver { _ in ["8.8.8.8"] }) { service in
      try await detail(try await make(service, "rtsp://camera.example/one"), service, "redirection")
    }
  }

  /// What comes through its pipe must not make ffmpeg open anything.
  @Test func ffmpegOpensNothingByItself() {
    let transcoders = Transcoders(limit: 1, perConnection: 1)
    let pipe = FFmpeg(input: .pipe, transcoders: transcoders.share()) { _ in false }
    #expect(pipe.arguments.contains("pipe:0"))
    let place = pipe.arguments.firstIndex(of: "-protocol_whitelist")
    #expect(place.map { pipe.arguments[$0 + 1] } == "pipe")
    let formats = pipe.arguments.firstIndex(of: "-format_whitelist").map { pipe.arguments[$0 + 1] } ?? ""
    for name in ["hls", "concat", "dash", "sdp", "image2"] { #expect(!formats.contains(name)) }
  }

  @Test func addressesOfStreamsSayWhereToGo() throws {
    let table: [(String, GuestKind, String, String)] = [
      ("rtmp://media.example/live/desk?key=k", .rtmp, "http://media.example:1935/live/desk?key=k", "desk"),
      ("rtmps://media.example/a/b/desk", .rtmp, "https://media.example:443/a/b/desk", "desk"),
      ("rtsp://[2001:db8::1]/cam/1?user=a&secret=b", .rtsp, "http://[2001:db8::1]:554/cam/1", "1"),
      ("srt://media.example:9000?streamid=stage&secret=b", .srt, "http://media.example:9000/", "stage"),
      ("icecast://radio.example/club.ogg", .icecast, "http://radio.example:8000/club.ogg", "club"),
      ("icecast+https://radio.example/club", .icecast, "https://radio.example:443/club", "club"),
      ("https://media.example/gig/index.m3u8?t=1", .hls, "https://media.example:443/gig/index.m3u8?t=1", "gig"),
      ("hls+http://media.example/gig", .hls, "http://media.example:80/gig", "gig"),
    ]
    for (text, kind, url, room) in table {
      let address = try BotAddress(text)
      #expect(address.kind == kind)
      #expect(address.url.text == url)
      #expect(address.room == room)
      #expect(!address.shown.contains("?"))
    }
    let fault = try BotAddress("rtmp://h/live/desk?key=sesame").redacted(GuestFault(.refused, "no desk?key=sesame"))
    #expect(fault.description == "no desk?…")
    for text in ["rtmp://h/desk", "rtmp+http://h/a/b", "srt://h", "rtsp://a:b@h/c", "icecast+ws://h/a", "rtmp://"] {
      #expect(throws: ValueProblem.self) { try BotAddress(text) }
    }
  }

  @Test func referencesOfPlaylistsAreResolved() throws {
    let base = try #require(WebhookURL("https://h/a/b/list.m3u8?x=1"))
    let table: [(String, String?)] = [
      ("s.ts", "https://h:443/a/b/s.ts"), ("../s.ts?y=2", "https://h:443/a/s.ts?y=2"), ("/s.ts", "https://h:443/s.ts"),
      ("../../../../s.ts", "https://h:443/s.ts"), ("//other/s.ts", "https://other:443/s.ts"),
      ("http://other:81/s.ts", "http://other:81/s.ts"), ("?z=3", "https://h:443/a/b/list.m3u8?z=3"),
      ("./c/./s.ts#t", "https://h:443/a/b/c/s.ts"), ("a:b", nil), ("file:///etc/passwd", nil), ("s t.ts", nil),
      ("d/s:1.ts", "https://h:443/a/b/d/s:1.ts"),
    ]
    for (reference, expected) in table {
      let found = base.resolving(reference)?.text
      #expect(found == expected, "\(reference)")
    }
  }
}
