/// The name of a media connection on its member's signaling link: 1 to 64 printable ASCII characters.
///
/// The client chooses it, so that it can send candidates before the answer to its offer arrives.
package struct PeerLabel: Hashable, Sendable, LosslessStringConvertible {
  package let description: String

  static let maximumLength = 64

  package init?(_ description: String) {
    let bytes = description.utf8
    guard !bytes.isEmpty, bytes.count <= PeerLabel.maximumLength, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    self.description = description
  }
}
