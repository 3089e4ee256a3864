/// Offer and answer (RFC 3264, RFC 9429) for the one thing Jamjar does: one Opus stream in one direction, or one each way.
///
/// Pure: descriptions in, descriptions and a `NegotiatedSession` out. Seen from the server; the client side of the
/// demo and the bot uses the same functions with the roles swapped.
package enum Negotiation {
  /// Which way the audio flows.
  package enum Role: Sendable, Hashable {
    /// The peer sends, we receive: a publication, seen from the server.
    case receiveFromPeer
    /// We send, the peer receives: a subscription, seen from the server.
    case sendToPeer
    /// Both send: a publication that comes back to whoever sends it.
    case exchangeWithPeer

    /// What our own section says.
    var ownDirection: NegotiatedSession.Direction {
      switch self {
      case .receiveFromPeer: .receiveOnly
      case .sendToPeer: .sendOnly
      case .exchangeWithPeer: .sendAndReceive
      }
    }

    /// The peer sends audio on this connection.
    var peerSends: Bool { self != .sendToPeer }

    /// True where the peer's direction lets the audio flow our way.
    func fits(_ direction: NegotiatedSession.Direction) -> Bool {
      self == .exchangeWithPeer ? direction == .sendAndReceive : direction.allows(peerSends: peerSends)
    }
  }

  /// Transports that carry DTLS-SRTP; RFC 9429 §5.1.2 asks for the short names too.
  static let transports: Set<String> = [
    "UDP/TLS/RTP/SAVPF", "UDP/TLS/RTP/SAVP", "TCP/DTLS/RTP/SAVPF", "TCP/DTLS/RTP/SAVP", "TCP/TLS/RTP/SAVPF",
    "TCP/TLS/RTP/SAVP", "RTP/SAVPF", "RTP/SAVP",
  ]
  /// What our offers say.
  static let ownTransport = "UDP/TLS/RTP/SAVPF"
  /// The port of a section whose address ICE will tell (RFC 8840 §4.1.1).
  static let portByICE: UInt16 = 9
}
