import Music

extension TreeCommand {
  /// The request for this command.
  package var request: (method: KurentoTreeMethod, parameters: JSONObject) {
    switch self {
    case .create(let tree): (.createTree, tree.map { ["treeId": .string($0.description)] } ?? [:])
    case .release(let tree): (.releaseTree, TreeCommand.parameters(tree))
    case .setSource(let tree, .offer(let offer)):
      (.setTreeSource, TreeCommand.parameters(tree, ["offerSdp": .string(offer)]))
    case .setSource(let tree, .musician(let name)):
      (.setTreeSource, TreeCommand.parameters(tree, ["source": .string(name.description)]))
    case .setSource(let tree, .mix):
      (.setTreeSource, TreeCommand.parameters(tree, ["source": .string(AudioSource.mixName)]))
    case .removeSource(let tree): (.removeTreeSource, TreeCommand.parameters(tree))
    case .addSink(let tree, let offer): (.addTreeSink, TreeCommand.parameters(tree, ["offerSdp": .string(offer)]))
    case .removeSink(let tree, let sink): (.removeTreeSink, TreeCommand.parameters(tree, sink: sink))
    case .candidate(let tree, let sink, let candidate):
      (.addIceCandidate, TreeCommand.parameters(tree, sink: sink, candidate.rpcMembers))
    }
  }

  /// "treeId", "sinkId" if there is one, and more.
  static func parameters(_ tree: RoomName, sink: String? = nil, _ more: JSONObject = [:]) -> JSONObject {
    var parameters: JSONObject = ["treeId": .string(tree.description)]
    if let sink { parameters["sinkId"] = .string(sink) }
    for member in more.members { parameters[member.name] = member.value }
    return parameters
  }
}
