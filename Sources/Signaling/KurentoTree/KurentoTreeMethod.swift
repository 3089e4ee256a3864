/// The requests of Kurento Tree that run one after another.
package enum KurentoTreeMethod: String, Hashable, Sendable, CaseIterable {
  case createTree, releaseTree
  /// Android's name for releaseTree.
  case removeTree
  case setTreeSource, removeTreeSource, addTreeSink, removeTreeSink, addIceCandidate
}
