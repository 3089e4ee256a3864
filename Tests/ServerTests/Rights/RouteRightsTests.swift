import HTTPTypes
import Machines
import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

/// Asks the real router for every route and method, as everybody, over HTTP.
///
/// A route without an entry in the table below fails, and so does one whose check was removed.
@Suite(.timeLimit(.minutes(5))) struct RouteRightsTests {
  /// The least authority of every route.
  private static let least: [String: Authority] = {
    var table: [String: Authority] = [
      "GET /healthz": .stranger, "GET /readyz": .stranger, "GET /": .stranger, "GET /rooms/:room": .stranger,
      "GET /takes": .stranger, "GET /doctor": .stranger, "GET /v1/doctor": .operator,
      "GET /takes/:take": .stranger, "GET /studio/:folder/:file": .stranger,
      "GET /studio/:folder/:file/:versioned": .stranger,
      "GET /openapi.yaml": .stranger, "GET /openapi.json": .stranger, "GET /docs": .stranger,
      "GET /docs.js": .stranger, "GET /docs.css": .stranger, "GET /v1/rooms/:room/signal": .stranger,
      "GET /offline-worker.js": .stranger, "GET /v1/takes/:take/shares": .musician,
      "POST /v1/takes/:take/shares": .musician, "DELETE /v1/takes/:take/shares/:share": .musician,
      "GET /v1/access": .stranger, "PUT /v1/access": .stranger, "DELETE /v1/access": .stranger,
      "GET /v1/rooms/:room/invitations": .moderator, "POST /v1/rooms/:room/invitations": .moderator,
      "GET /v1/rooms/:room/invitations/:invitation": .moderator,
      "DELETE /v1/rooms/:room/invitations/:invitation": .moderator,
      "POST /whip/:room": .musician, "PATCH /whip/:room/:session": .musician, "DELETE /whip/:room/:session": .musician,
      "POST /whep/:room/:participant": .listener, "PATCH /whep/:room/:participant/:session": .listener,
      "DELETE /whep/:room/:participant/:session": .listener,
      "GET /v1/rooms": .listener, "GET /v1/rooms/:room": .listener, "DELETE /v1/rooms/:room": .moderator,
      "PATCH /v1/rooms/:room": .owner,
      "DELETE /v1/rooms/:room/members/:member": .moderator, "PUT /v1/rooms/:room/members/:member/mute": .moderator,
      "DELETE /v1/rooms/:room/members/:member/mute": .moderator,
      "GET /v1/rooms/:room/members/:member/statistics": .moderator, "GET /v1/connections": .operator,
      "POST /v1/rooms/:room/takes": .musician, "POST /v1/rooms/:room/push": .operator,
      "POST /v1/rooms/:room/rtp": .operator, "DELETE /v1/rooms/:room/rtp/:input": .operator,
      "GET /v1/rooms/:room/backings": .listener, "POST /v1/rooms/:room/backings": .musician,
      "GET /v1/rooms/:room/backings/:backing": .listener, "DELETE /v1/rooms/:room/backings/:backing": .musician,
      "GET /v1/rooms/:room/backings/:backing/sound": .listener, "GET /v1/rooms/:room/backing": .listener,
      "PUT /v1/rooms/:room/backing": .musician, "DELETE /v1/rooms/:room/backing": .musician,
      "GET /v1/rooms/:room/objects": .listener, "GET /v1/rooms/:room/objects/:object": .listener,
      "PUT /v1/rooms/:room/objects/:object": .operator, "PATCH /v1/rooms/:room/objects/:object": .operator,
      "DELETE /v1/rooms/:room/objects/:object": .operator, "POST /v1/rooms/:room/objects/:object/send": .operator,
      "GET /v1/takes": .listener, "POST /v1/takes/bulk": .owner, "GET /v1/takes/:take": .listener,
      "PATCH /v1/takes/:take": .musician, "DELETE /v1/takes/:take": .owner, "POST /v1/takes/:take/restore": .owner,
      "POST /v1/takes/:take/fetch": .listener,
      "GET /v1/takes/:take/tracks": .listener, "POST /v1/takes/:take/stop": .musician,
      "POST /v1/takes/:take/split": .musician, "GET /v1/takes/:take/cues": .listener,
      "POST /v1/takes/:take/cues": .musician, "PATCH /v1/takes/:take/cues/:cue": .musician,
      "DELETE /v1/takes/:take/cues/:cue": .musician, "GET /v1/takes/:take/mix": .listener,
      "GET /v1/takes/:take/peaks": .listener, "GET /v1/takes/:take/quality": .listener,
      "GET /v1/takes/:take/manifest": .listener,
      "GET /v1/takes/:take/archive": .listener, "GET /v1/takes/:take/tracks/:track/audio": .listener,
      "GET /v1/takes/:take/tracks/:track/listening/:segment": .listener,
      "GET /v1/takes/:take/mix/listening/:segment": .listener, "GET /v1/backups/:backup/original": .listener,
      "GET /v1/takes/:take/tracks/:track/peaks": .listener, "POST /v1/takes/:take/exports": .musician,
      "GET /v1/exports": .listener, "POST /v1/exports": .musician, "GET /v1/exports/:export": .listener,
      "DELETE /v1/exports/:export": .musician,
      "GET /v1/exports/:export/file": .listener, "GET /v1/takes/:take/backups": .listener,
      "POST /v1/takes/:take/backups": .musician, "GET /v1/backups/:backup": .listener,
      "PATCH /v1/backups/:backup": .musician, "DELETE /v1/backups/:backup": .musician,
      "GET /v1/imports": .owner, "POST /v1/imports": .owner, "GET /v1/imports/:import": .owner,
      "DELETE /v1/imports/:import": .owner, "GET /v1/imports/:import/files/:file": .owner,
      "PATCH /v1/imports/:import/files/:file": .owner,
      "GET /v1/events": .listener, "GET /v1/songs": .listener, "POST /v1/songs": .operator,
      "GET /v1/songs/:song": .listener, "PUT /v1/songs/:song": .operator, "PATCH /v1/songs/:song": .operator,
      "DELETE /v1/songs/:song": .operator, "GET /v1/sessions": .operator, "GET /v1/sessions/:session": .operator,
      "GET /v1/sessions/:session/archive": .listener,
      "GET /v1/participants": .operator, "GET /v1/participants/:participant": .operator,
      "PATCH /v1/participants/:participant": .operator, "POST /v1/participants/:participant/merge": .operator,
      "POST /v1/participants/:participant/separate": .operator, "GET /metrics": .operator,
      "GET /v1/tokens/revocations": .operator, "POST /v1/tokens/revocations": .operator,
      "GET /v1/bots": .operator, "POST /v1/bots": .operator, "GET /v1/bots/:bot": .operator,
      "DELETE /v1/bots/:bot": .operator,
    ]
    // Their secret is checked, which proves nothing about a room (SharesTests).
    for path in [
      "", "/embed", "/take", "/mix", "/light", "/peaks", "/quality", "/tracks/:track/audio", "/tracks/:track/peaks",
    ] {
      table["GET /s/:secret\(path)"] = .stranger
    }
    for path in ["/password", "/comments"] { table["POST /s/:secret\(path)"] = .stranger }
    for path in ["/room", "/kurento-tree", "/kurento-tree/websocket"] {
      table["GET \(path)"] = .stranger
      // Their joins are checked (KurentoRoomTests, KurentoTreeTests).
      table["POST \(path)"] = .stranger
    }
    table["GET /kurento-tree/info"] = .stranger
    table["GET /kurento-tree/:server/:session/websocket"] = .stranger
    // The same commands, checked in the same way (SockJSTests).
    for transport in ["xhr", "xhr_streaming", "xhr_send"] {
      table["POST /kurento-tree/:server/:session/\(transport)"] = .stranger
    }
    for method in ["GET", "POST", "PUT"] {
      for path in ["/getUpdateSpeakerInterval", "/getThresholdSpeaker", "/getClientConfig"] {
        table["\(method) \(path)"] = .stranger
      }
      table["\(method) /getAllRooms"] = .listener
      table["\(method) /close"] = .moderator
    }
    // A client of OpenTok shows its token in a header, and is refused in the body (OpenTokClientTests).
    table["GET /session/:session"] = .stranger
    // XirSys' accounts stand in the calls (XirSysRESTTests); version 2 says in the body what it refuses.
    table["DELETE /room"] = .stranger
    for (path, methods) in XirSysCall.paths + [("room", ["GET", "POST", "DELETE"])] {
      for method in methods {
        table["\(method) /api/\(path)"] = .stranger
        if path != "room" { table["\(method) /\(path)"] = .stranger }
      }
    }
    for route in ["PUT /_token", "GET /_host", "PUT /_turn", "GET /_ns", "PUT /_ns", "DELETE /_ns", "GET /_subs"] {
      table["\(route)/**"] = .stranger
    }
    for path in ["_data", "_acc", "_auth", "_stats", "_ds"] {
      for method in ["GET", "PUT", "POST", "DELETE"] { table["\(method) /\(path)/**"] = .stranger }
    }
    // Remote Monster's services stand in the calls (RemonRESTTests): in the body, or in Basic authentication.
    for route in ["POST /rest/init", "PUT /topics", "POST /v1/search"] { table[route] = .stranger }
    for path in ["broadcast-channel-list", "channel-force-termination"] { table["POST /lambda/\(path)"] = .stranger }
    for path in ["room/:service", "call/:service", "rooms/:service/:conference"] {
      table["GET /rest/\(path)"] = .listener
    }
    table["POST /api/v1/mixer"] = .stranger
    for method in ["PUT", "DELETE"] { table["\(method) /api/v1/mixer/:instance"] = .stranger }
    for method in ["PUT", "POST", "GET"] { table["\(method) /api/v1/mixer/:instance/alive"] = .stranger }
    // The project's proof stands in a header (OpenTokRESTTests).
    let project = "/v2/project/:key"
    let session = "\(project)/session/:session"
    for route in [
      "POST /session/create", "GET \(session)/stream", "PUT \(session)/stream", "GET \(session)/stream/:stream",
      "POST \(session)/stream/:stream/mute", "POST \(session)/mute", "POST \(session)/signal",
      "GET \(session)/connection", "DELETE \(session)/connection/:connection",
      "POST \(session)/connection/:connection/signal", "POST \(session)/play-dtmf",
      "POST \(session)/connection/:connection/play-dtmf", "POST \(project)/dial", "POST \(project)/connect",
      "POST \(project)/captions", "POST \(project)/captions/:captions/stop", "POST \(project)/render",
      "GET \(project)/render", "GET \(project)/render/:render", "DELETE \(project)/render/:render",
      "POST \(project)/broadcast", "GET \(project)/broadcast", "GET \(project)/broadcast/:broadcast",
      "POST \(project)/broadcast/:broadcast/stop", "PUT \(project)/broadcast/:broadcast/layout",
      "PATCH \(project)/broadcast/:broadcast/streams",
      "GET \(project)/connect", "GET \(project)/connect/:connector", "GET \(project)/callback",
      "POST \(project)/callback", "DELETE \(project)/callback/:callback",
    ] {
      table[route] = .stranger
    }
    // The project's proof stands in a header, that of a file in its address (OpenTokArchiveTests).
    let archive = "/v2/project/:key/archive/:archive"
    for route in [
      "GET /v2/project/:key/archive", "POST /v2/project/:key/archive", "GET \(archive)", "DELETE \(archive)",
      "POST \(archive)",
      "POST \(archive)/stop", "PUT \(archive)/layout", "PATCH \(archive)/streams", "GET \(archive)/tracks",
      "GET /v2/archives/:archive/:file",
      // Its name is a secret (OpenTokBroadcastDeliveryTests).
      "GET /v2/broadcasts/:broadcast/:file",
    ] {
      table[route] = .stranger
    }
    return table
  }()

  /// Somebody who asks.
  private struct Asker {
    var name: String
    var authority: Authority
    /// False for tokens of another room.
    var isOfTheRoom = true
    var headers: [(String, String)]
  }

  private enum Outcome: Equatable {
    case allowed, unauthorized, forbidden
    /// As for an identifier that nothing has.
    case hidden
  }

  private func askers(_ room: String, _ service: TestService) async throws -> [Asker] {
    var askers = [Asker(name: "nobody", authority: .stranger, headers: [])]
    for authority in Authority.inTokens {
      askers.append(
        Asker(name: "\(authority)", authority: authority, headers: [try await service.token(room, authority)]))
    }
    askers.append(
      Asker(
        name: "another room's owner", authority: .owner, isOfTheRoom: false,
        headers: [try await service.token("elsewhere", .owner)]))
    let key = ("Authorization", "Bearer \(TestService.key)")
    return askers + [Asker(name: "API key", authority: .operator, headers: [key])]
  }

  private func expected(_ path: String, _ least: Authority, _ asker: Asker) -> Outcome {
    // Neither a join token nor an API key is an account of XirSys, or a service of Remote Monster.
    if path.hasPrefix("/_") || path.hasPrefix("/api/v1/mixer") { return .unauthorized }
    // Nor is it a proof of a project of OpenTok.
    if path.hasPrefix("/v2/project/") || path == "/session/create" { return .forbidden }
    guard least > .stranger else { return .allowed }
    guard asker.authority > .stranger else { return .unauthorized }
    if !asker.isOfTheRoom {
      if [":take", ":export", ":backup", ":import"].contains(where: path.contains) { return .hidden }
      if path.contains(":room") || path == "/close" { return .forbidden }
    }
    return asker.authority < least ? .forbidden : .allowed
  }

  /// What stands behind the last slash of a location.
  private static func name(at location: String?) -> String? {
    location?.split(separator: "/").last.map { String($0) }
  }

  private func outcome(_ answer: TestService.Answer) throws -> Outcome {
    switch answer.status {
    case 401: .unauthorized
    case 403: .forbidden
    // A page for people, of a link that is none.
    case 404 where answer["content-type"]?.hasPrefix("text/html") == true: .allowed
    case 404:
      try ["take", "export", "backup", "import"].map { "there is no \($0) \"" }.contains {
        try answer.json["detail"]?.string?.hasPrefix($0) == true
      } ? .hidden : .allowed
    default: .allowed
    }
  }

  @Test func everyRouteIsOpenToThoseOfItsTableAndToNobodyElse() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let key = ("Authorization", "Bearer \(TestService.key)")
      let rehearsed = try await RehearsedTake(in: service.data, service.catalog)
      let (take, room) = (rehearsed.take.id, rehearsed.take.room.description)
      let track = try #require(rehearsed.manifest.tracks.first)
      let wish: JSONValue = ["kind": "mix", "format": "wav24"]
      let export = try await service.post("/v1/takes/\(take)/exports", wish, [key])
      var exportID = try #require(try export.json["id"]?.string)
      let begin: JSONValue = [
        "participant": .string(track.participant.id.description), "sampleRate": 48_000, "channels": 1,
        "format": "s24le",
      ]
      let nothing = "01JD4Z6QK8H2V5N7C3XW9RTB0M"
      let everybody = try await askers(room, service)
      var asked: Set<String> = []
      for resource in service.resources {
        for handler in resource.handlers {
          let route = "\(handler.method.rawValue) \(resource.path)"
          asked.insert(route)
          guard let least = RouteRightsTests.least[route] else {
            Issue.record("\(route) has no entry in the table of this test")
            continue
          }
          let methods = handler.method == .get ? ["GET", "HEAD"] : [handler.method.rawValue]
          for (asker, method) in everybody.flatMap({ asker in methods.map { (asker, $0) } }) {
            // What was removed is put back for the next who asks.
            var backup = nothing
            if resource.path.contains(":backup") {
              let begun = try await service.post("/v1/takes/\(take)/backups", begin, [key])
              backup = try #require(RouteRightsTests.name(at: begun["location"]))
            }
            var importing = nothing
            if resource.path.contains(":import") {
              let body: JSONValue = ["room": .string(room), "files": [["name": "a.wav"]]]
              let begun = try await service.post("/v1/imports", body, [key])
              importing = try #require(RouteRightsTests.name(at: begun["location"]))
            }
            if resource.path.contains(":export") {
              // A cancelled one has to end first.
              try await eventually("the export is there again") {
                let again = try await service.post("/v1/takes/\(take)/exports", wish, [key])
                guard again.status < 300 else { return false }
                exportID = try again.json["id"]?.string ?? exportID
                return true
              }
            }
            let values = [
              "room": room, "take": take.description, "track": track.id.description, "export": exportID,
              "backup": backup, "import": importing, "folder": "base", "file": "main.js", "object": "sheet",
              "segment": "0",
            ]
            let path = resource.path.split(separator: "/", omittingEmptySubsequences: false)
              .map { $0.hasPrefix(":") ? values[String($0.dropFirst())] ?? nothing : String($0) }
              .joined(separator: "/")
            let query = resource.path == "/close" ? "?room=\(room)" : ""
            // Nobody wants an image: what would go on for ever is refused after its check. The tag fits nothing.
            let headers = asker.headers + [("Accept", "image/png"), ("If-Match", "\"999\"")]
            let answer = try await service.send(HTTPMethod(rawValue: method), path + query, headers)
            let expected = expected(resource.path, least, asker)
            if method == "HEAD" {
              // It has no body to tell hidden from missing.
              let status = [Outcome.unauthorized: 401, .forbidden: 403, .hidden: 404][expected]
              let isRefused = [401, 403].contains(answer.status)
              #expect(
                status.map { $0 == answer.status } ?? !isRefused, "\(asker.name): HEAD \(path) is \(answer.status)")
            } else {
              #expect(try outcome(answer) == expected, "\(asker.name): \(route) is \(answer.status) \(answer.text)")
            }
            if importing != nothing { _ = try await service.send(.DELETE, "/v1/imports/\(importing)", [key]) }
            if resource.path.contains(":backup") { _ = try await service.send(.DELETE, "/v1/backups/\(backup)", [key]) }
          }
        }
      }
      let gone = Set(RouteRightsTests.least.keys).subtracting(asked)
      #expect(gone.isEmpty, "routes that are gone")
    }
  }

  @Test func anotherRoomsOwnerFindsNothingInAnyList() async throws {
    try await TestService.with({
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    }) { service async throws in
      let key = ("Authorization", "Bearer \(TestService.key)")
      let shelved = try await ShelvedTake(in: service.data, service.catalog)
      let stranger = try await service.token("elsewhere", .owner)
      let owner = try await service.token(shelved.take.room.description, .owner)
      for path in ["/v1/takes", "/v1/rooms"] {
        #expect(try await service.send(.GET, path, [owner]).items.count == 1, "\(path)")
        #expect(try await service.send(.GET, path, [stranger]).items.isEmpty, "\(path)")
      }
      let id = shelved.take.id.description
      let bulk: JSONValue = ["action": "delete", "takes": [.string(id)]]
      let hidden = try await service.post("/v1/takes/bulk", bulk, [stranger]).items
      #expect(hidden.map { $0["status"]?.integer } == [404])
      #expect(try await service.send(.GET, "/v1/takes/\(id)", [key]).json["deletedAt"] == .null)
      let own = try await service.post("/v1/takes/bulk", bulk, [owner]).items
      #expect(own.map { $0["status"]?.integer } == [200])
      #expect(try await service.post("/v1/takes/\(id)/restore", [:], [owner]).status == 200)
    }
  }

  /// The methods for RTMP clients, which the library of our peers calls by name.
  @Test func everyMethodOfRTMPNeedsWhatItShould() {
    var expected: [String: Authority] = [
      "room.roster": .listener, "room.statistics": .listener, "room.message": .listener,
      "room.subscribe": .listener, "room.unsubscribe": .listener, "takes.list": .listener,
      "song.get": .listener, "song.set": .musician, "take.start": .musician, "take.stop": .musician,
      "take.split": .musician, "take.cue": .musician,
    ]
    let actions = RTMPMethods.standard.actions
    for name in actions.keys where name.hasPrefix("echo") { expected[name] = .listener }
    #expect(actions.mapValues { Authorisation.rule(for: $0).least } == expected)
    for (name, action) in actions { #expect(Authorisation.rule(for: action).doors.contains(.rtmp), "\(name)") }
  }
}
