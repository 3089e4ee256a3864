extension RTMPServer {
  mutating func receive(sharedObject message: RTMPMessage) {
    var object: RTMPObjectMessage
    do throws(RTMPObjectFailure) {
      object = try RTMPObjectMessage(message, limits: limits)
    } catch {
      guard !error.isHostile else { return end(error.reason) }
      refuse(message)
      return drop(error.reason)
    }
    let isAMF3 = message.type == RTMPMessage.sharedObjectAMF3
    let uses = object.events.contains(.use)
    let isUsed = sharedObjects.contains(object.name)
    guard object.hasGoodName, !uses || isUsed || sharedObjects.count < limits.sharedObjects else {
      if uses {
        let refusal = RTMPObjectMessage(object.name, [RTMPObjectStatus.objectCreationFailed.event])
        send(refusal.message(isAMF3: isAMF3), on: RTMPChannel.command)
      }
      return drop("the shared object \"\(object.name.prefix(64))\" is one too many or has no good name")
    }
    if uses {
      sharedObjects.insert(object.name)
      if isAMF3 { sharedObjectsInAMF3.insert(object.name) } else { sharedObjectsInAMF3.remove(object.name) }
    }
    if object.events.contains(.release) { forget(object.name) }
    object.events.removeAll { !$0.isOfClient }
    emit(.sharedObject(object))
  }

  /// Refuses a message that cannot be read, and has the client's copy of the object replaced: the client has made the
  /// change there already.
  private mutating func refuse(_ message: RTMPMessage) {
    var head = message.values
    guard let name = head.text16(), sharedObjects.contains(name), let version = head.u32(), let flags = head.u32()
    else { return }
    send(RTMPObjectMessage(name, [RTMPObjectStatus.noWriteAccess.event]))
    var use = RTMPObjectMessage(name, version: version, [.use])
    use.flags = flags
    emit(.sharedObject(use))
  }

  mutating func send(_ object: RTMPObjectMessage) {
    let isAMF3 = sharedObjectsInAMF3.contains(object.name)
    var object = object
    object.flags = object.isPersistent ? RTMPObjectMessage.persistentFlag : 0
    object.events = object.events.map { event in
      switch event {
      case .change(let key, let value) where value.isNothing: .remove(key)
      case .success(let key, let value?) where value.isNothing: .remove(key)
      default: event
      }
    }
    // A refused use does not count.
    let refusals: [RTMPObjectStatus] = [.objectCreationFailed, .badPersistence, .noReadAccess]
    if object.events.contains(where: { event in refusals.contains { $0.event == event } }) { forget(object.name) }
    send(object.message(isAMF3: isAMF3), on: RTMPChannel.command)
  }

  private mutating func forget(_ name: String) {
    sharedObjects.remove(name)
    sharedObjectsInAMF3.remove(name)
  }
}
