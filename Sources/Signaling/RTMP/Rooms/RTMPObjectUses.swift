/// How one RTMP client uses the room's shared objects: what it asks in the room's words, and what it is told in its own
/// (rtmp.md section 5).
package struct RTMPObjectUses: Sendable {
  private struct Use {
    /// The client keeps no value of its own write unless it is echoed (flag 0x10).
    var wantsEcho: Bool
    /// The version that it said it knew.
    var knownVersion: UInt32
    /// It used the object before on this connection, and may keep what is gone meanwhile.
    var isAgain: Bool
  }

  private var uses: [String: Use] = [:]

  package init() {}

  /// What a client's message asks of the room, in order; changes that follow each other are one change message.
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

  /// What the client is told of an event.
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

  /// What the client is told where its use was refused.
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
