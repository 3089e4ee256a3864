/// A message stream that a client created.
struct RTMPStream: Hashable, Sendable {
  enum Activity: Hashable, Sendable {
    case idle
    /// Media are taken once the shell allowed it.
    case publishing(RTMPStreamName, isAllowed: Bool)
    case playing(RTMPStreamName, isAllowed: Bool)
  }

  let id: UInt32
  var activity = Activity.idle
  /// A player's wishes: no audio while it pauses or does not want to hear.
  var isPaused = false
  var wantsAudio = true

  var isPublishing: Bool { if case .publishing(_, isAllowed: true) = activity { true } else { false } }

  var isPlaying: Bool { if case .playing(_, isAllowed: true) = activity { true } else { false } }

  /// Whether it was created for, or asked to publish under, this name.
  func publishes(_ name: String) -> Bool {
    if case .publishing(let given, _) = activity { given.text == name || given.name == name } else { false }
  }
}

/// The name under which a client publishes or plays.
package struct RTMPStreamName: Hashable, Sendable {
  private static let maximumLength = 255

  /// As it came, with the query.
  package let text: String
  /// Without the query.
  package let name: String
  /// Stream keys come this way: "guitar?key=…".
  package let query: RTMPQuery?

  /// Nil where there is no name, more than 255 bytes or a control character.
  package init?(_ text: String) {
    let name = String(text.prefix { $0 != "?" })
    guard !name.isEmpty, text.utf8.count <= RTMPStreamName.maximumLength,
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { return nil }
    self.text = text
    self.name = name
    query = RTMPQuery(of: text)
  }
}

/// What a publisher wants done with its stream; this server treats all alike.
package enum RTMPPublishKind: String, Hashable, Sendable {
  case live, record, append
}
