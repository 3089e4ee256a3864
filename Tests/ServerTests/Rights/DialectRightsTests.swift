import Music
import NIOHTTP1
import Recording
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

/// Runs every method of the live dialects as everybody, over real links, on own objects and on those of others; REST has
/// `RouteRightsTests`.
///
/// The methods are those that each dialect enumerates. The switches below have no default: a new method does not compile
/// until they say who may.
@Suite(.timeLimit(.minutes(5))) struct DialectRightsTests {
  private let sending = JSONValue.string(Offers.sending())
  private let receiving = JSONValue.string(Offers.sending("recvonly"))

  // MARK: Kurento Room

  private func parameters(_ method: KurentoMethod, in room: String) -> JSONObject {
    switch method {
    case .joinRoom: ["user": "ann", "room": .string(room)]
    case .publishVideo: ["sdpOffer": sending, "doLoopback": false]
    case .unpublishVideo, .leaveRoom: [:]
    case .receiveVideoFrom: ["sender": "mix", "sdpOffer": receiving]
    case .unsubscribeFromVideo: ["sender": "mix"]
    case .onIceCandidate:
      ["endpointName": "ann", "candidate": .string(Offers.candidate), "sdpMid": "0", "sdpMLineIndex": 0]
    case .sendMessage: ["message": "hello", "userMessage": "ann", "roomMessage": .string(room)]
    case .customRequest: ["recorder": "status"]
    }
  }

  /// The same about something of a room "attic" where Eve plays, with the code of its refusal; empty if the method names
  /// nothing but the session's own.
  private func foreign(_ method: KurentoMethod, in room: String) -> [(JSONObject, code: Int64)] {
    switch method {
    case .joinRoom: [(["user": "ann", "room": "attic"], 201)]
    case .receiveVideoFrom: [(["sender": "eve_webcam", "sdpOffer": receiving], 102)]
    case .unsubscribeFromVideo: [(["sender": "eve_webcam"], 102)]
    case .sendMessage:
      [
        (["message": "hello", "userMessage": "eve", "roomMessage": .string(room)], 102),
        (["message": "hello", "userMessage": "ann", "roomMessage": "attic"], 202),
      ]
    case .publishVideo, .unpublishVideo, .onIceCandidate, .customRequest, .leaveRoom: []
    }
  }

  private func parameters(_ word: KurentoRecorderWish.Word) -> JSONObject {
    switch word {
    case .startTake, .stopTake, .splitTake, .status: ["recorder": .string(word.rawValue)]
    case .cue: ["recorder": "cue", "text": "here"]
    case .song: ["recorder": "song", "song": "Solar"]
    case .events: ["recorder": "events", "value": "on"]
    }
  }

  @Test func everyMethodOfKurentoRoomIsForMusiciansInTheirOwnRoom() async throws {
    try await TestService.withKeys { service async throws in
      let attic = try RoomName(checking: "attic")
      let eve = try await service.broker.enter(attic, JoinRequest(name: try DisplayName(checking: "eve")))
      for (number, asker) in Somebody.all.enumerated() {
        for method in KurentoMethod.allCases {
          let room = "kurento-\(number)-\(method)"
          let token = try await asker.token(for: room)
          let join = Somebody.show(token, in: parameters(.joinRoom, in: room))
          try await RPCConnection.with(service) { ann in
            if method != .joinRoom {
              let joined = try await ann.call("joinRoom", join)["result"] != nil
              #expect(joined == asker.may(.musician), "\(asker.name)")
            }
            if asker.may(.musician) {
              for (parameters, code) in foreign(method, in: room) where method != .joinRoom {
                #expect(
                  try await ann.error(method.rawValue, parameters) == code, "\(asker.name): \(method)")
              }
            }
            if method == .unpublishVideo, asker.may(.musician) {
              _ = try await ann.result("publishVideo", parameters(.publishVideo, in: room))
            }
            let asked = method == .joinRoom ? join : parameters(method, in: room)
            let answer = try await ann.call(method.rawValue, asked)
            if asker.may(.musician) {
              #expect(answer["result"] != nil, "\(asker.name): \(method) \(JSONValue.object(answer).text)")
            } else {
              let code = answer["error"]?.object?["code"]?.integer
              #expect(code == (method == .joinRoom ? 204 : 102), "\(asker.name): \(method)")
            }
            guard method == .joinRoom else { return }
            for (parameters, code) in foreign(.joinRoom, in: room) {
              // A session that is in a room has to leave it first; another one's token is for its own room.
              #expect(
                try await ann.error("joinRoom", Somebody.show(token, in: parameters))
                  == (asker.may(.musician) ? code : 204),
                "\(asker.name)")
            }
          }
        }
        guard asker.authority < .operator else { continue }
        let token = try await asker.token(for: "kurento-\(number)")
        try await RPCConnection.with(service) { stranger in
          let code = try await stranger.error("joinRoom", Somebody.show(token, in: ["user": "ann", "room": "attic"]))
          #expect(code == 204, "\(asker.name)")
        }
      }
      let room = try #require(await service.broker.snapshot(of: attic))
      #expect(room.members.map(\.participant.id) == [eve.participant])
      #expect(room.take == nil)
    }
  }

  @Test func everyWishToTheRecorderIsForMusicians() async throws {
    try await TestService.withKeys { service async throws in
      for (number, asker) in Somebody.all.enumerated() {
        for word in KurentoRecorderWish.Word.allCases {
          let room = "wish-\(number)-\(word)"
          let join = Somebody.show(try await asker.token(for: room), in: ["user": "ann", "room": .string(room)])
          try await RPCConnection.with(service) { ann in
            _ = try await ann.call("joinRoom", join)
            switch word {
            case .stopTake, .splitTake, .cue: _ = try await ann.call("customRequest", parameters(.startTake))
            case .startTake, .song, .status, .events: break
            }
            let answer = try await ann.call("customRequest", parameters(word))
            #expect(
              (answer["result"] != nil) == asker.may(.musician),
              "\(asker.name): \(word) \(JSONValue.object(answer).text)")
          }
        }
      }
    }
  }

  // MARK: The native protocol

  /// Nil for methods that are no commands to the room.
  private func command(_ method: NativeMethod) throws -> (RoomCommand, least: Authority)? {
    let label = try #require(PeerLabel("p"))
    let sheet = try SharedObjectName(checking: "sheet")
    let nobody = ParticipantID(at: MonotonicClock.wall)
    switch method {
    case .join, .ping: return nil
    case .snapshot: return (.snapshot, .listener)
    case .leave: return (.leave, .listener)
    case .publish: return (.publish(label, offer: "v=0"), .musician)
    case .subscribe: return (.subscribe(label, to: .mix, offer: "v=0"), .listener)
    case .redirect: return (.redirect(label, to: nil), .listener)
    case .answer: return (.answer(label, sdp: "v=0"), .listener)
    case .candidate: return (.candidate(label, .end), .listener)
    case .restart: return (.restart(label, offer: "v=0"), .listener)
    case .close: return (.close(label), .listener)
    case .takeStart: return (.startTake(song: nil), .musician)
    case .takeStop: return (.stopTake, .musician)
    case .takeSplit: return (.splitTake(song: nil), .musician)
    case .cue: return (.cue("here"), .musician)
    case .message: return (.message("hello", to: nil), .listener)
    case .stats: return (.report(ClientReport()), .listener)
    case .objectUse: return (.sharedObjectUse(sheet, isPersistent: nil), .listener)
    case .objectChange: return (.sharedObjectChange(sheet, [.set("a", .null)]), .musician)
    case .objectRelease: return (.sharedObjectRelease(sheet), .listener)
    case .kick: return (.kick(nobody), .moderator)
    case .mute: return (.mute(nobody, true), .moderator)
    case .sound: return (.sound(.on), .musician)
    case .topology: return (.topology(.routed), .owner)
    case .meshEnter: return (.meshEnter, .musician)
    case .meshRelay: return (.meshRelay(PairMessage(.bye), to: nobody), .musician)
    case .meshReport: return (.meshReport(PairReport(.failed), about: nobody), .musician)
    case .call: return (.call("sum", []), .listener)
    }
  }

  private func code(_ body: () async throws -> Void) async -> RoomRefusal.Code? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? RoomRefusal)?.code
    }
  }

  @Test func everyNativeMethodNeedsWhatItShould() async throws {
    try await TestService.withKeys { service async throws in
      let den = try RoomName(checking: "den")
      for asker in Somebody.all {
        for method in NativeMethod.allCases {
          guard let (command, least) = try command(method) else { continue }
          let token = try await asker.token(for: "den")
          try await NativeConnection.with(service.endpoint, room: den) { link in
            let name = try DisplayName(checking: "\(asker.name) \(method)")
            let refusal = await code {
              _ = try await link.join(JoinRequest(name: name, role: .listener), token: token)
            }
            #expect((refusal == nil) == asker.may(.listener), "\(name): \(refusal as Any)")
            let outcome = await code { _ = try await link.perform(command) }
            if !asker.may(.listener) {
              #expect(outcome == .notJoined, "\(name)")
            } else if case .publish = command {
              // A listener's place sends no audio, whatever the rights of its holder.
              #expect(outcome == .forbidden, "\(name)")
            } else {
              #expect((outcome == .forbidden) == (asker.authority < least), "\(name): \(outcome as Any)")
            }
          }
        }
      }
    }
  }

  // MARK: RTMP

  @Test func everyMethodOfRTMPIsRefusedOverALinkWithoutTheRight() async throws {
    // The same table as `RouteRightsTests.everyMethodOfRTMPNeedsWhatItShould`, which knows every method by its name.
    let actions = RTMPMethods.standard.actions
    try await TestService.withKeys { service async throws in
      for asker in Somebody.all {
        let token = try await asker.token(for: "den")
        let options = RTMPClientOptions(app: "den", parameters: token.map { [["token": .string($0)]] } ?? [])
        try await RTMPTestClient.with(port: service.rtmpPort, options) { link in
          guard asker.may(.listener) else {
            _ = try await link.next { if case .rejected(let status) = $0 { status } else { nil } }
            return
          }
          try await link.connected()
          for (method, action) in actions.sorted(by: { $0.key < $1.key }) {
            var isDenied = false
            do {
              _ = try await link.call(method, .string("x"))
            } catch let error as RTMPCallError {
              isDenied = error.kind == .accessDenied
            }
            let least = Authorisation.rule(for: action).least
            #expect(isDenied == (asker.authority < least), "\(asker.name): \(method)")
          }
        }
      }
    }
  }

  /// The first status of a publication or of playing: nil if it started, the code of the refusal otherwise.
  private func refusal(_ link: RTMPTestClient, started: String) async throws -> String? {
    let code: String = try await link.next { output in
      guard case .status(let stream, let status) = output, stream > 0 else { return nil }
      // A reset may come before the start.
      return status.code == RTMPStatus.Code.playReset ? nil : status.code
    }
    return code == started ? nil : code
  }

  @Test func publishingByRTMPIsForMusiciansAndPlayingForListeners() async throws {
    try await TestService.withKeys { service async throws in
      for (number, asker) in Somebody.all.enumerated() where asker.may(.listener) {
        let room = "rtmp-\(number)"
        let token = try await asker.token(for: room)
        var options = RTMPClientOptions(app: room, parameters: token.map { [["token": .string($0)]] } ?? [])
        // The mix as it is: no codec is what is asked about.
        options.codecs = ["Opus"]
        try await RTMPTestClient.with(port: service.rtmpPort, options) { link in
          try await link.connected()
          link.send(.publish(name: "desk"))
          let published = try await refusal(link, started: RTMPStatus.Code.publishStart)
          let expected: String? = asker.may(.musician) ? nil : RTMPStatus.Code.publishBadName
          #expect(published == expected, "\(asker.name)")
          link.send(.play(name: "mix"))
          let played = try await refusal(link, started: RTMPStatus.Code.playStart)
          #expect(played == nil, "\(asker.name)")
        }
        // Another room than the token's, by the name of the stream.
        guard let token, asker.authority < .operator else { continue }
        var attic = RTMPClientOptions(app: "attic")
        // Of encoders, whose token comes with the stream's name, the connection wants none.
        attic.flashVersion = "FMLE/3.0"
        try await RTMPTestClient.with(port: service.rtmpPort, attic) { link in
          try await link.connected()
          link.send(.publish(name: "desk?token=\(token)"))
          let published = try await refusal(link, started: RTMPStatus.Code.publishStart)
          #expect(published == RTMPStatus.Code.publishBadName, "\(asker.name)")
          link.send(.play(name: "mix?token=\(token)"))
          let played = try await refusal(link, started: RTMPStatus.Code.playStart)
          #expect(played == RTMPStatus.Code.playStreamNotFound, "\(asker.name)")
        }
      }
    }
  }
}
