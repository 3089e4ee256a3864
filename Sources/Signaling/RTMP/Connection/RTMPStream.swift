/// A message stream created by a client.
struct RTMPStream: Hashable, Sendable {
  enum Activity: Hashable, Sendable {
    case idle
    /// Media is accepted once the shell has permitted it.
    case publishing(RTMPStreamName, isAllowed: Bool)
    case playing(RTMPStreamName, isAllowed: Bool)
  }

  let id: UInt32
  var activity = Activity.idle
  /// The player's settings: no audio while paused or muted.
  var isPaused = false
  var wantsAudio = true

  var isPublishing: Bool { if case .publishing(_, isAllowed: true) = activity { true } else { false } }

  var isPlaying: Bool { if case .playing(_, isAllowed: true) = activity { true } else { false } }

  /// True if it was created for this name, or asked to publish under it.
  func publishes(_ name: String) -> Bool {
    if case .publishing(let given, _) = activity { given.text == name || given.name == name } else { false }
  }
}

/// The name under which a client publishes or plays.
package struct RTMPStreamName: Hashable, Sendable {
  private static let maximumLength = 255
  /// The same with the query. A join token alone may have 4096.
  private static let maximumText = 8_192
  /// What a name has to be, for people.
  static let rule = "A stream's name has 1 to \(maximumLength) bytes, and \(maximumText) at most with its query."

  /// The raw text, with the query.
  package let text: String
  /// Without the query.
  package let name: String
  /// Stream keys are passed here: "guitar?key=…".
  package let query: RTMPQuery?

  /// Nil if the name is empty, longer than 255 bytes (8192 with its query), or contains a control character.
  package init?(_ text: String) {
    let name = String(text.prefix { $0 != "?" })
    guard !name.isEmpty, name.utf8.count <= RTMPStreamName.maximumLength,
      text.utf8.count <= RTMPStreamName.maximumText,
      !text.unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7F })
    else { return nil }
    self.text = text
    self.name = name
    query = RTMPQuery(of: text)
  }
}

/// The publisher's intended use of its stream; this server treats all alike.
package enum RTMPPublishKind: String, Hashable, Sendable {
  case live, record, append
}
