/// The compression of a link's messages, as negotiated (permessage-deflate, RFC 7692).
///
/// Both sides begin every message with an empty window (`server_no_context_takeover`, `client_no_context_takeover`), so
/// that a link holds no memory for compression between its messages.
package struct MessageCompression: Hashable, Sendable {
  /// Base-2 logarithm of the window for the service's messages, 9...15.
  package private(set) var windowBits = MessageCompression.widest
  private var namesWindow = false

  private static let widest = 15
  private static let name = "permessage-deflate"
  /// Most offers that are read of one handshake, and parameters of an offer.
  private static let (mostOffers, mostParameters) = (16, 8)

  /// The first acceptable offer of the header fields `Sec-WebSocket-Extensions`; nil if there is none.
  package static func accept(_ fields: [String]) -> MessageCompression? {
    fields.flatMap { $0.split(separator: ",") }.prefix(mostOffers).lazy.compactMap(MessageCompression.init(offer:))
      .first
  }

  /// The field of the response (RFC 7692 section 7.1): the service may demand both takeovers to be left out.
  package var response: String {
    "\(MessageCompression.name); server_no_context_takeover; client_no_context_takeover"
      + (namesWindow ? "; server_max_window_bits=\(windowBits)" : "")
  }

  /// Nil for other extensions, and for parameters that are unknown, double or out of range: such an offer is declined
  /// (section 7.1).
  private init?(offer: Substring) {
    let parts = offer.split(separator: ";", omittingEmptySubsequences: false).map(MessageCompression.trimmed)
    guard parts.first?.lowercased() == MessageCompression.name, parts.count <= MessageCompression.mostParameters else {
      return nil
    }
    var seen: Set<String> = []
    for part in parts.dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map(MessageCompression.trimmed)
      let name = pair[0].lowercased()
      guard seen.insert(name).inserted else { return nil }
      switch name {
      case "server_no_context_takeover", "client_no_context_takeover":
        guard pair.count == 1 else { return nil }
      case "client_max_window_bits":
        // The service inflates any window, so it need not limit the client's.
        guard pair.count == 1 || MessageCompression.bits(pair[1]) != nil else { return nil }
      case "server_max_window_bits":
        // zlib makes no window of 256 bytes (deflateInit2).
        guard pair.count == 2, let bits = MessageCompression.bits(pair[1]), bits > 8 else { return nil }
        (windowBits, namesWindow) = (bits, true)
      default: return nil
      }
    }
  }

  /// A number from 8 to 15 without leading zeros, as a token or in quotation marks (section 5.2).
  private static func bits(_ text: Substring) -> Int? {
    let bare = text.count >= 2 && text.first == "\"" && text.last == "\"" ? text.dropFirst().dropLast() : text
    return (8...widest).first { bare == "\($0)" }
  }

  private static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
