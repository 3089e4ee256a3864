import Music
import NIOHTTP1
import Rooms
import Signaling
import Testing

@testable import Client
@testable import Server

/// Runs every method of Kurento Tree as everybody, on own sources and sinks and on those of others; see
/// `DialectRightsTests`.
@Suite(.timeLimit(.minutes(5))) struct TreeRightsTests {
  private let sending = JSONValue.string(Offers.sending())
  private let receiving = JSONValue.string(Offers.sending("recvonly"))

  /// The least authority for one's own source and sinks, and for those of others: a source of a moderator, a sink of a
  /// listener.
  private func least(_ method: KurentoTreeMethod) -> (own: Authority, others: Authority) {
    switch method {
    case .createTree, .addTreeSink: (.listener, .listener)
    case .removeTreeSink, .addIceCandidate: (.listener, .moderator)
    case .setTreeSource, .removeTreeSource, .releaseTree, .removeTree: (.musician, .moderator)
    }
  }

  private func parameters(_ method: KurentoTreeMethod, _ tree: String, sink: JSONValue) -> JSONObject {
    switch method {
    case .createTree, .removeTreeSource, .releaseTree, .removeTree: ["treeId": .string(tree)]
    case .setTreeSource: ["treeId": .string(tree), "offerSdp": sending]
    case .addTreeSink: ["treeId": .string(tree), "offerSdp": receiving]
    case .removeTreeSink: ["treeId": .string(tree), "sinkId": sink]
    case .addIceCandidate:
      [
        "treeId": .string(tree), "sinkId": sink, "candidate": .string(Offers.candidate), "sdpMid": "0",
        "sdpMLineIndex": 0,
      ]
    }
  }

  /// A tree whose source is a moderator's, and a sink of a listener; both of sessions that are open meanwhile.
  private func withTree(
    _ tree: String, in service: TestService, _ body: (_ sink: JSONValue) async throws -> Void
  ) async throws {
    let (moderator, listener) = (
      try await TestService.token(tree, .moderator), try await TestService.token(tree, .listener)
    )
    try await RPCConnection.with(service, path: "/kurento-tree") { source in
      _ = try await source.result("createTree", Somebody.show(moderator, in: ["treeId": .string(tree)]))
      _ = try await source.result(
        "setTreeSource", Somebody.show(moderator, in: ["treeId": .string(tree), "offerSdp": sending]))
      try await RPCConnection.with(service, path: "/kurento-tree") { viewer in
        let added = try await viewer.result(
          "addTreeSink", Somebody.show(listener, in: ["treeId": .string(tree), "offerSdp": receiving]))
        try await body(try #require(added["sinkId"]))
      }
    }
  }

  @Test func everyMethodOfKurentoTreeAsksWhoseSourceOrSinkItIs() async throws {
    try await TestService.withKeys { service async throws in
      for (number, asker) in Somebody.all.enumerated() {
        for method in KurentoTreeMethod.allCases {
          let tree = "tree-\(number)-\(method)"
          let token = try await asker.token(for: tree)
          try await withTree(tree, in: service) { others in
            let before = await service.broker.snapshot(of: try RoomName(checking: tree))?.members.map(\.participant)
            try await RPCConnection.with(service, path: "/kurento-tree") { ann in
              let answer = try await ann.call(
                method.rawValue, Somebody.show(token, in: parameters(method, tree, sink: others)))
              let isAllowed = asker.may(least(method).others)
              #expect(
                (answer["result"] != nil) == isAllowed,
                "\(asker.name): \(method) \(JSONValue.object(answer).text)")
              guard !isAllowed else { return }
              #expect(answer["error"]?.object?["code"]?.integer == 2)
              let after = await service.broker.snapshot(of: try RoomName(checking: tree))?.members.map(\.participant)
              #expect(after == before, "\(asker.name): \(method)")
            }
          }
        }
      }
    }
  }

  @Test func aMusicianWhoReleasesATreeTakesNobodysSink() async throws {
    try await TestService.withKeys { service async throws in
      let room = try RoomName(checking: "gig")
      try await RPCConnection.with(service, path: "/kurento-tree") { ann in
        let token = try await TestService.token("gig")
        for method in [KurentoTreeMethod.createTree, .setTreeSource] {
          _ = try await ann.result(method.rawValue, Somebody.show(token, in: parameters(method, "gig", sink: "none")))
        }
        try await RPCConnection.with(service, path: "/kurento-tree") { bob in
          let listener = try await TestService.token("gig", .listener)
          _ = try await bob.result(
            "addTreeSink", Somebody.show(listener, in: parameters(.addTreeSink, "gig", sink: "none")))
          #expect(await service.broker.snapshot(of: room)?.members.count == 2)
          let release = parameters(.releaseTree, "gig", sink: "none")
          #expect(try await ann.call("releaseTree", Somebody.show(token, in: release))["result"] != nil)
          #expect(await service.broker.snapshot(of: room)?.members.map(\.role) == [.listener])
          let moderator = try await TestService.token("gig", .moderator)
          #expect(try await ann.call("releaseTree", Somebody.show(moderator, in: release))["result"] != nil)
          #expect(await service.broker.snapshot(of: room)?.members.isEmpty != false)
        }
      }
    }
  }

  @Test func everyMethodOfKurentoTreeWorksOnOnesOwnWithTheRight() async throws {
    try await TestService.withKeys { service async throws in
      for (number, asker) in Somebody.all.enumerated() {
        for method in KurentoTreeMethod.allCases {
          let tree = "own-\(number)-\(method)"
          let token = try await asker.token(for: tree)
          let room = try RoomName(checking: tree)
          // Somebody plays there, so that a listener can have a sink.
          _ = try await service.broker.enter(room, JoinRequest(name: try DisplayName(checking: "eve")))
          try await RPCConnection.with(service, path: "/kurento-tree") { ann in
            func ask(_ method: KurentoTreeMethod, sink: JSONValue = "none") async throws -> JSONObject {
              try await ann.call(method.rawValue, Somebody.show(token, in: parameters(method, tree, sink: sink)))
            }
            var sink: JSONValue = "none"
            switch method {
            case .createTree, .addTreeSink: break
            case .removeTreeSink, .addIceCandidate:
              _ = try await ask(.createTree)
              sink = try await ask(.addTreeSink)["result"]?.object?["sinkId"] ?? "none"
            case .setTreeSource: _ = try await ask(.createTree)
            case .removeTreeSource, .releaseTree, .removeTree:
              _ = try await ask(.createTree)
              _ = try await ask(.setTreeSource)
            }
            let answer = try await ask(method, sink: sink)
            #expect(
              (answer["result"] != nil) == asker.may(least(method).own),
              "\(asker.name): \(method) \(JSONValue.object(answer).text)")
          }
        }
      }
    }
  }
}
