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
