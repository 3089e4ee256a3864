import Machines
import Music
import Rooms
import Signaling
import TestSupport
import Testing

@testable import Server

@Suite(.timeLimit(.minutes(5))) struct KurentoTreeTests {
  private let receiving = JSONValue.string(Offers.sending("recvonly"))

  @Test func oneSourceReachesManySinks() async throws {
    try await TestService.with { service async throws in
      try await RPCConnection.with(service, path: "/kurento-tree/websocket") { source in
        #expect(try await source.error("setTreeSource", ["treeId": "gig", "offerSdp": "v=0"]) == 2)
        #expect(try await source.result("createTree", ["treeId": "gig"])["value"] == nil)
        _ = try await source.result("createTree", ["treeId": "gig"])
        try await RPCConnection.with(service, path: "/kurento-tree") { viewer in
          #expect(
            try await viewer.error("addTreeSink", ["treeId": "gig", "offerSdp": receiving]) == 2, "there is no source")
          let set = try await source.result("setTreeSource", ["treeId": "gig", "offerSdp": .string(Offers.sending())])
          #expect(set["answerSdp"]?.string?.contains("a=recvonly") == true)
          var sinks: Set<JSONValue> = []
          for _ in 0..<3 {
            let sink = try await viewer.result("addTreeSink", ["treeId": "gig", "offerSdp": receiving])
            #expect(sink["answerSdp"]?.string?.contains("a=sendonly") == true)
            sinks.insert(try #require(sink["sinkId"]))
          }
          #expect(sinks.count == 3)
          let sink = try #require(sinks.first)
          let candidate: JSONObject = [
            "treeId": "gig", "sinkId": sink, "candidate": .string(Offers.candidate), "sdpMid": "audio",
            "sdpMLineIndex": "0",
          ]
          _ = try await viewer.result("addIceCandidate", candidate)
          _ = try await viewer.result("removeTreeSink", ["treeId": "gig", "sinkId": sink])
          #expect(try await viewer.error("removeTreeSink", ["treeId": "gig", "sinkId": sink]) == -1)
          _ = try await source.result("removeTreeSource", ["treeId": "gig"])
          _ = try await source.result("removeTree", ["treeId": "gig"])
          #expect(try await viewer.error("addTreeSink", ["treeId": "nowhere", "offerSdp": receiving]) == 2)
          #expect(try await viewer.error("plantTree", ["treeId": "gig"]) == 1)
        }
      }
    }
  }

  @Test func twoHundredSinksHaveOneSource() async throws {
    try await TestService.with {
      // All of them ask over one link here.
      $0.limits.messageBurst = 1_000
    } _: { service async throws in
      try await RPCConnection.with(service, path: "/kurento-tree") { source in
        _ = try await source.result("createTree", ["treeId": "gig"])
        _ = try await source.result("setTreeSource", ["treeId": "gig", "offerSdp": .string(Offers.sending())])
        for _ in 0..<200 { _ = try await source.result("addTreeSink", ["treeId": "gig", "offerSdp": receiving]) }
        let room = await service.broker.snapshot(of: try RoomName(checking: "gig"))
        #expect(room?.members.count { $0.role == .listener } == 200)
      }
    }
  }

  @Test func aRoomIsATreeOfItsLiveMixOrOfOneMusician() async throws {
    try await TestService.with { service async throws in
      let room = try RoomName(checking: "take5")
      _ = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "ann")))
      try await RPCConnection.with(service, path: "/kurento-tree") { viewer in
        let sink = try await viewer.result("addTreeSink", ["treeId": "take5", "offerSdp": receiving])
        #expect(sink["sinkId"] != nil, "the live mix, though nobody made a tree")
        #expect(try await viewer.result("setTreeSource", ["treeId": "take5", "source": "ann"])["answerSdp"] == nil)
        #expect(try await viewer.error("setTreeSource", ["treeId": "take5", "source": "bob"]) == 2)
        _ = try await viewer.result("setTreeSource", ["treeId": "take5", "source": "mix"])
      }
    }
  }

  @Test func nobodyWithoutTheRightTouchesSinksAndSourcesOfOthers() async throws {
    try await TestService.with {
      $0.keys = try Keys(joinSecret: TestService.secret, apiKeys: [TestService.key])
    } _: { service async throws in
      let gig = try RoomName(checking: "gig")
      func request(_ token: String, _ members: JSONObject = [:]) -> JSONObject {
        var params = members
        (params["treeId"], params["token"]) = ("gig", .string(token))
        return params
      }
      let offer: JSONObject = ["offerSdp": .string(Offers.sending())]
      let candidate: JSONObject = [
        "candidate": .string(Offers.candidate), "sdpMid": "audio", "sdpMLineIndex": 0,
      ]
      let listener = try await TestService.token("gig", .listener)
      let musician = try await TestService.token("gig")
      let moderator = try await TestService.token("gig", .moderator)
      try await RPCConnection.with(service, path: "/kurento-tree") { source in
        _ = try await source.result("createTree", request(TestService.key))
        _ = try await source.result("setTreeSource", request(TestService.key, offer))
        try await RPCConnection.with(service, path: "/kurento-tree") { viewer in
          let added = try await viewer.result("addTreeSink", request(listener, ["offerSdp": receiving]))
          let sink: JSONObject = ["sinkId": try #require(added["sinkId"])]
          var own = candidate
          own["sinkId"] = sink["sinkId"]
          let itsCandidate = own
          try await RPCConnection.with(service, path: "/kurento-tree") { other in
            // The same token, but another session.
            for token in [listener, musician] {
              #expect(try await other.error("removeTreeSink", request(token, sink)) == 2)
              #expect(try await other.error("addIceCandidate", request(token, itsCandidate)) == 2)
              #expect(try await other.error("addIceCandidate", request(token, candidate)) == 2)
            }
            // The source is the operator's.
            for method in ["setTreeSource", "removeTreeSource", "releaseTree"] {
              #expect(try await other.error(method, request(musician, offer)) == 2, "\(method)")
            }
            #expect(try await other.error("setTreeSource", request(musician, ["source": "mix"])) == 2)
            #expect(await service.broker.snapshot(of: gig)?.members.count == 2)
            _ = try await viewer.result("addIceCandidate", request(listener, itsCandidate))
            _ = try await source.result("addIceCandidate", request(TestService.key, candidate))
            _ = try await other.result("removeTreeSink", request(moderator, sink))
            #expect(await service.broker.snapshot(of: gig)?.members.count == 1)
          }
        }
      }
    }
  }

  @Test func aSourceIsReplacedByThoseWhoMayHaveItsSeat() async throws {
    try await TestService.with { service async throws in
      let trees = Trees(broker: service.broker)
      let gig = try RoomName(checking: "gig")
      func refusal(_ id: String, _ authority: Authority = .musician, offer: String = Offers.sending()) async -> String?
      {
        let stamp = TokenStamp(id: id, room: gig, issued: 0)
        do throws(TreeRefusal) {
          _ = try await trees.perform(
            .setSource(gig, .offer(offer)), by: TreeOwner(id: id) { _ in },
            as: TreeBearer(Principal(authority, in: gig, token: stamp)))
          return nil
        } catch {
          return error.description
        }
      }
      func revoke(_ id: String) async throws { _ = try await service.broker.revoke(.token(id), until: nil) }
      func members() async -> [ParticipantID] {
        await service.broker.snapshot(of: gig)?.members.map(\.participant.id) ?? []
      }
      _ = try await trees.perform(
        .create(gig), by: TreeOwner(id: "ann") { _ in }, as: TreeBearer(Principal(.musician, in: gig)))
      #expect(await refusal("ann") == nil)
      let seat = await members()
      #expect(seat.count == 1)
      // The token counts before the offer, which would run on the seat of the former source.
      try await revoke("eve")
      let eve = await refusal("eve", offer: "v=0")
      #expect(eve?.contains("revoked") == true, "\(eve ?? "")")
      // After an invalid offer the seat is Ann's as before.
      #expect(await refusal("bob", offer: "v=0") != nil)
      try await revoke("bob")
      #expect(await members() == seat)
      // After a valid one it is not.
      #expect(await refusal("cat") == nil)
      try await revoke("ann")
      #expect(await members() == seat)
      // A musician's token takes nothing from an owner's.
      #expect(await refusal("dan", .owner) == nil)
      let fay = await refusal("fay")
      #expect(fay?.contains("more rights") == true, "\(fay ?? "")")
      #expect(await members() == seat)
      try await revoke("dan")
      #expect(await members().isEmpty)
    }
  }

  @Test func sinksAndSourcesCountAsJoinsAlsoInAnOpenService() async throws {
    try await TestService.with {
      $0.limits.quotas[.join, per: .service] = .rate(2, per: .seconds(60))
    } _: { service async throws in
      let ann = JoinRequest(name: try DisplayName(checking: "ann"))
      _ = try await service.broker.enter(try RoomName(checking: "gig"), ann)
      try await RPCConnection.with(service, path: "/kurento-tree") { client in
        _ = try await client.result("createTree", ["treeId": "gig"])
        // Nobody enters for that.
        for _ in 0..<3 { _ = try await client.result("setTreeSource", ["treeId": "gig", "source": "mix"]) }
        _ = try await client.result("setTreeSource", ["treeId": "gig", "offerSdp": .string(Offers.sending())])
        _ = try await client.result("addTreeSink", ["treeId": "gig", "offerSdp": receiving])
        let refused = try await client.call("addTreeSink", ["treeId": "gig", "offerSdp": receiving])
        let message = refused["error"]?.object?["message"]?.string
        #expect(message?.contains("try again in") == true, "\(message ?? "")")
      }
    }
  }

  @Test func whatASessionHadIsReleasedWithIt() async throws {
    try await TestService.with { service async throws in
      let room = try RoomName(checking: "gig")
      try await RPCConnection.with(service, path: "/kurento-tree") { source in
        _ = try await source.result("createTree", ["treeId": "gig"])
        _ = try await source.result("setTreeSource", ["treeId": "gig", "offerSdp": .string(Offers.sending())])
        #expect(try await source.call("closeSession")["result"] == "bye")
        await source.untilClosed()
      }
      try await eventually("the room is closed") { await service.broker.snapshot(of: room) == nil }
    }
  }
}
