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
