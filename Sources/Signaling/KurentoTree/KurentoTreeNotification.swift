import Music

/// A notification from the server to a client of Kurento Tree.
package enum KurentoTreeNotification: Hashable, Sendable {
  /// Our candidate for a sink, or for the source if there is no sink.
  case iceCandidate(tree: RoomName, sink: String?, CandidateMessage)

  private static let method = "iceCandidate"

  var text: String {
    switch self {
    case .iceCandidate(let tree, let sink, let candidate):
      JSONRPCText.notification(
        KurentoTreeNotification.method, TreeCommand.parameters(tree, sink: sink, candidate.rpcMembers))
    }
  }

  /// Reads a notification; every key must be there and have its type.
  init(_ method: String, _ parameters: JSONObject) throws(JSONRPCError) {
    let fields = JSONRPCFields(parameters, of: "the parameters of \(method)")
    guard method == KurentoTreeNotification.method else {
      throw JSONRPCError(code: JSONRPCError.unknownMethod, "there is no notification \"\(method)\"")
    }
    guard let tree = RoomName(try fields.string("treeId")) else {
      throw fields.error("treeId", mustBe: "a room name")
    }
    self = .iceCandidate(
      tree: tree, sink: try fields.optionalString("sinkId"),
      CandidateMessage(
        candidate: try fields.string("candidate"), mid: try fields.string("sdpMid"),
        mLineIndex: Int(exactly: try fields.integer("sdpMLineIndex"))))
  }
}
