/// The requests of Kurento Room that run one after another.
package enum KurentoMethod: String, Hashable, Sendable, CaseIterable {
  case joinRoom, publishVideo, unpublishVideo, receiveVideoFrom, unsubscribeFromVideo, onIceCandidate, sendMessage
  case customRequest, leaveRoom
}
