extension RoomEvent {
  /// The call by which an RTMP client hears of this: the native event's name, and its members as one object.
  ///
  /// Nil for what has a form of its own (shared objects) and for what concerns only connections of WebRTC or comes too
  /// often to be of use.
  package var rtmpPush: (name: String, arguments: [AMFValue])? {
    switch self {
    case .sharedObject, .candidate, .peer, .journaled: return nil
    case .push(let name, let arguments): return (name, arguments.map { AMFValue($0) })
    case .joined, .left, .changed, .published, .unpublished, .takeStarted, .takeStopped, .takeFinished, .cue, .message,
      .warning, .closed:
      var members = json
      guard let name = members["event"]?.string else { return nil }
      members["event"] = nil
      return (name, [AMFValue(members)])
    }
  }
}
