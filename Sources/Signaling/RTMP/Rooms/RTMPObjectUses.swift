/// One RTMP client's use of the room's shared objects: translates its requests to room commands, and room events to
/// RTMP (rtmp.md section 5).
package struct RTMPObjectUses: Sendable {
  private struct Use {
    /// True if the client only stores its own writes when they are echoed (flag 0x10).
    var wantsEcho: Bool
    /// The version that the client claimed to have.
    var knownVersion: UInt32
    /// True if it used the object before on this connection, and so may have slots that were removed meanwhile.
    var isAgain: Bool
  }

  private var uses: [String: Use] = [:]

  package init() {}

  /// Converts a client's message to room commands, in order; consecutive changes become one change message.
  /// - Throws: `RoomRefusal` `.invalidName`.
  package mutating func commands(of message: RTMPObjectMessage) throws(RoomRefusal) -> [RoomCommand] {
    let name = try SharedObjectName(checking: message.name)
    var commands: [RoomCommand] = []
    var changes: [SharedChange] = []
    func flush() {
      if !changes.isEmpty { commands.append(.sharedObjectChange(name, changes)) }
      changes = []
    }
    for event in message.events {
      switch event {
      case .use:
        flush()
        uses[message.name] = Use(
          wantsEcho: message.wantsChangeEcho, knownVersion: message.version, isAgain: uses[message.name] != nil)
        commands.append(.sharedObjectUse(name, isPersistent: message.isPersistent))
      case .release:
        flush()
        commands.append(.sharedObjectRelease(name))
      case .requestChange(let key, let value):
        changes.append(value.isNothing ? .remove(key) : .set(key, value.shared))
      case .requestRemove(let key): changes.append(.remove(key))
      case .clear, .requestClear: changes.append(.clear)
      case .message(let handler, let arguments):
        changes.append(.send(handler: handler, arguments.map(\.shared)))
      case .change, .success, .status, .remove, .useSuccess, .changeEcho: break
      }
    }
    flush()
    return commands
  }

  /// Converts an event to a message for the client.
  package func message(for event: SharedObjectEvent) -> RTMPObjectMessage {
    let use = uses[event.name.description]
    var events: [RTMPObjectEvent] = []
    switch event.content {
    case .slots(let slots):
      events.append(.useSuccess)
      let isStale = use.map { $0.isAgain || ($0.knownVersion != 0 && Int($0.knownVersion) != event.version) } ?? false
      if !event.isPersistent || isStale { events.append(.clear) }
      events += slots.map { .change($0.key, AMFValue($0.value)) }
    case .outcomes(let outcomes):
      for outcome in outcomes {
        switch outcome {
        case .confirmed(let key, let value):
          let value = AMFValue(value)
          events.append(use?.wantsEcho == true ? .changeEcho(key, value) : .success(key, value))
        case .changed(let key, let value): events.append(.change(key, AMFValue(value)))
        case .removed(let key): events.append(.remove(key))
        case .cleared: events.append(.clear)
        case .sent(let handler, let arguments):
          events.append(.message(handler, arguments.map { AMFValue($0) }))
        case .denied: events.append(RTMPObjectStatus.noWriteAccess.event)
        }
      }
    }
    return RTMPObjectMessage(
      event.name.description, version: UInt32(truncatingIfNeeded: event.version), isPersistent: event.isPersistent,
      events)
  }

  /// The message to the client for a refused use.
  package mutating func refusal(_ refusal: RoomRefusal, of name: String) -> RTMPObjectMessage {
    uses[name] = nil
    let status: RTMPObjectStatus =
      switch refusal.code {
      case .objectPersistence: .badPersistence
      case .forbidden, .unauthorized: .noReadAccess
      default: .objectCreationFailed
      }
    return RTMPObjectMessage(name, [status.event])
  }
}
