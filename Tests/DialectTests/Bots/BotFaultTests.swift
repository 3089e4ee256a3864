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

@testable import Client
@testable import Server

/// Foreign servers that fail, lie and come back: real sockets, and real media where a server lets it come so far.
@Suite(.timeLimit(.minutes(5))) struct BotFaultTests {
  /// So patient that a wait for the end of a grace period fails the test.
  private static let patient = RoomPolicy(recording: .call, gracePeriod: 3_600)

  private static func allow(_ configuration: inout ServerConfiguration) { configuration.webhooks.allowsPrivate = true }

  private func make(_ service: TestService, _ url: String, stays: Bool = true) async throws -> String {
    let made = try await service.post(
      "/v1/bots", ["url": .string(url), "room": "here", "stays": .bool(stays)])
    #expect(made.status == 201, "\(made.text)")
    return try made.json["id"]?.string ?? ""
  }

  private func bot(_ id: String, _ service: TestService) async throws -> JSONObject {
    try await service.send(.GET, "/v1/bots/\(id)").json
  }

  private func here(_ service: TestService) async throws -> RoomSnapshot? {
    await service.broker.snapshot(of: try RoomName(checking: "here"))
  }

  private func heard(_ service: TestService) async throws -> [String] {
    try await here(service)?.members.filter(\.isPublishing).map(\.participant.name.description) ?? []
  }

  private func says(_ words: String, _ id: String, _ service: TestService) async throws {
    try await eventually("the bot says \"\(words)\"") {
      try await bot(id, service)["detail"]?.string?.contains(words) == true
    }
  }

  private static let rooms = [
    ("jamjar+http", "there"), ("kurento+ws", "room?room=there"), ("janus+ws", "?room=1234"),
    ("audiobridge+ws", "?room=1234"), ("janus+http", "janus?room=1234"), ("whep+http", "there/whep"),
    ("xirsys+http", "a/b/there?ident=band&secret=hush"),
  ]

  /// The second attempt comes a second later, the third two seconds after that, less a quarter.
  @Test(arguments: rooms)
  func aServerThatClosesAtOnceIsAskedEverMoreSeldom(scheme: String, target: String) async throws {
    try await StreamServer.with({ _ in .nothing }) { server in
      try await TestService.with(BotFaultTests.allow) { service in
        let began = ContinuousClock.now
        let id = try await make(service, "\(scheme)://127.0.0.1:\(server.port)/\(target)")
        try await eventually("the bot has come three times") {
          try await bot(id, service)["attempts"]?.integer ?? 0 >= 3
        }
        #expect(ContinuousClock.now - began > .milliseconds(2_200))
        // Between two attempts; in one it has nothing to say yet.
        try await eventually("the bot says why") { try await bot(id, service)["detail"]?.string?.isEmpty == false }
        // A seat that an offer by WHEP was made for is given up before the next.
        try await eventually("nobody has a seat here") { try await here(service)?.members.isEmpty ?? true }
      }
    }
  }

  /// A redirection could lead anywhere: none is followed.
  @Test(arguments: rooms)
  func aRedirectionIsNotFollowed(scheme: String, target: String) async throws {
    try await StreamServer.with({ path in
      path == "/elsewhere" ? .nothing : .whole("307 Temporary Redirect", fields: ["Location: /elsewhere"], [])
    }) { server in
      try await TestService.with(BotFaultTests.allow) { service in
        let id = try await make(service, "\(scheme)://127.0.0.1:\(server.port)/\(target)")
        try await eventually("the bot says why") {
          let report = try await bot(id, service)
          return report["state"]?.string == "rejoining" && report["detail"]?.string?.isEmpty == false
        }
        #expect(server.requests.withLock { $0.allSatisfy { !$0.contains("elsewhere") } })
      }
    }
  }

  @Test(arguments: ["nonsense", "[]", #"{"jsonrpc":"2.0","event":7,"janus":7}"#])
  func nonsenseEndsTheVisitAndNothingIsHalfRecorded(text: String) async throws {
    for (scheme, target, words) in [
      ("jamjar+http", "there", "does not speak"), ("kurento+ws", "room?room=there", "does not speak"),
      ("janus+ws", "room?room=1234", "server's message"), ("audiobridge+ws", "room?room=1234", "server's message"),
    ] {
      try await TestService.with(BotFaultTests.allow, policy: RoomPolicy(recording: .call)) { service in
        try await ForeignRelay.with(service.endpoint, { _ in [text] }) { relay in
          let id = try await make(service, "\(scheme)://127.0.0.1:\(relay.port)/\(target)")
          try await says(words, id, service)
          let report = try await bot(id, service)
          #expect(report["state"]?.string == "rejoining")
          #expect(report["attempts"]?.integer == 1, "after nonsense it waits for half a minute")
          #expect(relay.connections.load(ordering: .relaxed) == 1)
          #expect(try await here(service) == nil)
          #expect(try await service.send(.GET, "/v1/takes").items.isEmpty)
        }
      }
    }
  }

  @Test func anAnswerByWHEPThatIsNoneIsSaidAndNothingIsHalfRecorded() async throws {
    try await StreamServer.with({ _ in .whole("201 Created", fields: ["Location: /x"], Array("nonsense".utf8)) }) {
      server in
      try await TestService.with(BotFaultTests.allow, policy: RoomPolicy(recording: .call)) { service in
        let id = try await make(service, "whep+http://127.0.0.1:\(server.port)/there/whep")
        try await eventually("the bot says why") {
          let report = try await bot(id, service)
          return report["state"]?.string == "rejoining" && report["detail"]?.string?.isEmpty == false
        }
        try await eventually("nobody has a seat here") { try await here(service)?.members.isEmpty ?? true }
        #expect(try await service.send(.GET, "/v1/takes").items.isEmpty)
      }
    }
  }

  /// A service of its own, which is ended and started again with other files on the same port.
  private func there(
    on port: Int, _ files: DataFolder, _ body: (TestService) async throws -> Void
  ) async throws {
    try await TestService.with(
      {
        $0.port = port
        $0.tls = .init(certificate: files.path + "/certificate.pem", key: files.path + "/key.pem")
      }, policy: RoomPolicy(recording: .manual), trust: files.path + "/certificate.pem", body)
  }

  /// Signed by itself, as that of before; by somebody else.
  private func otherCertificate() throws -> DataFolder {
    let files = try DataFolder()
    let program = try SpawnedProgram(
      "/usr/bin/openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", files.path + "/key.pem",
        "-out", files.path + "/certificate.pem",
      ], error: FileHandle.nullDevice.fileDescriptor)
    try #require(program.wait() == 0)
    return files
  }

  @Test func aServerThatShowsAnotherCertificateIsNotSpokenTo() async throws {
    let files = try DataFolder()
    try files.write(TestCertificate.certificate, "certificate.pem")
    try files.write(TestCertificate.key, "key.pem")
    let other = try otherCertificate()
    try await TestService.with(
      { configuration in
        configuration.webhooks.allowsPrivate = true
        configuration.webhooks.trust = files.path + "/certificate.pem"
      }, policy: BotFaultTests.patient
    ) { service in
      // Nobody else is given it in the meantime: ports of the system begin above.
      let port = Int.random(in: 20_000..<30_000)
      var urls = ["jamjar+https://127.0.0.1:\(port)/there", "whep+https://127.0.0.1:\(port)/whep/there/Ada"]
      urls.append("xirsys+https://127.0.0.1:\(port)/a/b/there?ident=band&secret=hush-hush")
      var bots: [String] = []
      try await there(on: port, files) { server in
        let ada = try await TonePlayer("Ada", in: "there", of: server)
        for (number, url) in urls.enumerated() {
          let made = try await service.post(
            "/v1/bots", ["url": .string(url), "room": .string("room-\(number)"), "name": .string("Bot \(number)")])
          bots.append(try made.json["id"]?.string ?? "")
        }
        for id in bots {
          try await eventually("Ada is recorded") { try await bot(id, service)["state"]?.string == "recording" }
        }
        await ada.leave()
      }
      try await there(on: port, other) { server in
        for id in bots { try await says("signed by itself alone", id, service) }
        let room = await server.broker.snapshot(of: try RoomName(checking: "there"))
        #expect(room == nil, "nobody has come in")
        for id in bots {
          let report = try await bot(id, service)
          #expect(report["state"]?.string == "rejoining")
          #expect(report["detail"]?.string?.hasPrefix("the server 127.0.0.1:\(port) is not trusted: ") == true)
        }
      }
    }
  }

  /// The media says it first: the seat is given up by the word that comes after it, not by the grace period.
  @Test(arguments: [
    ("jamjar+http", "there", #""method":"close","params":{"peer":"ADA"}"#),
    (
      "kurento+ws", "room?room=there",
      #""jsonrpc":"2.0","method":"unsubscribeFromVideo","params":{"sender":"Ada_webcam"}"#
    ),
  ])
  func theEndOfTheMediaMayOvertakeTheGoodbye(scheme: String, target: String, end: String) async throws {
    let filter: ForeignRelay.Filter = { $0.contains("900001") ? [] : [$0] }
    try await TestService.with(BotFaultTests.allow, policy: BotFaultTests.patient) { service in
      try await ForeignRelay.with(service.endpoint, filter) { relay in
        let ada = try await TonePlayer("Ada", in: "there", of: service)
        let id = try await make(service, "\(scheme)://127.0.0.1:\(relay.port)/\(target)")
        try await eventually("Ada is recorded here") {
          let take = try await here(service)?.take
          return try await heard(service) == ["Ada"] && take != nil
        }
        relay.hold()
        let name = ada.membership.participant.description
        relay.ask(#"{"id":900001,\#(end.replacing("ADA", with: name))}"#)
        try await eventually("the bot has noticed the end of the media") {
          try await bot(id, service)["state"]?.string == "waiting"
        }
        #expect(try await here(service)?.members.count == 1, "so far, Ada may come back")
        await ada.leave()
        relay.release()
        try await eventually("Ada's seat is free, and the take is over") {
          let room = try await here(service)
          return room?.members.isEmpty != false && room?.take == nil
        }
      }
    }
  }

  /// Within the grace period: the same take, the same musician, the same session.
  @Test(arguments: [("jamjar+http", "there"), ("kurento+ws", "room?room=there")])
  func aLossOfTheLinkSplitsNothing(scheme: String, target: String) async throws {
    try await TestService.with(BotFaultTests.allow, policy: BotFaultTests.patient) { service in
      try await ForeignRelay.with(service.endpoint) { relay in
        let ada = try await TonePlayer("Ada", in: "there", of: service)
        let id = try await make(service, "\(scheme)://127.0.0.1:\(relay.port)/\(target)")
        try await eventually("Ada is recorded here") { try await here(service)?.take != nil }
        let before = try await here(service)
        relay.cut()
        try await eventually("the bot has noticed") { try await bot(id, service)["attempts"]?.integer ?? 0 >= 2 }
        try await eventually("the bot is back") { try await bot(id, service)["state"]?.string == "recording" }
        let after = try await here(service)
        #expect(after?.take?.id == before?.take?.id)
        #expect(after?.session == before?.session)
        #expect(after?.members.map(\.participant.id) == before?.members.map(\.participant.id))
        await ada.leave()
        try await eventually("the take is over") { try await here(service)?.take == nil }
      }
    }
  }
}
