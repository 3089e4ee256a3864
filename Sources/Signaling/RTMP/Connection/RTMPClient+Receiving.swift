extension RTMPClient {
  mutating func receive(_ message: RTMPMessage) throws(RTMPViolation) {
    if let control = try RTMPControl(message) { return receive(control) }
    switch message.type {
    case RTMPMessage.command, RTMPMessage.commandAMF3:
      do throws(RTMPCommandFailure) {
        receive(try RTMPCommand(message), on: message.stream)
      } catch {
        throw RTMPViolation(error.reason)
      }
    case RTMPMessage.sharedObject, RTMPMessage.sharedObjectAMF3:
      do throws(RTMPObjectFailure) {
        let object = try RTMPObjectMessage(message, limits: limits, values: .synchronisation)
        versions[object.name] = object.version
        emit(.sharedObject(object))
      } catch {
        throw RTMPViolation(error.reason)
      }
    case RTMPMessage.audio:
      for tag in try AudioTag.tags(in: message.body) {
        emit(.audio(stream: message.stream, timestamp: message.timestamp, tag))
      }
    case RTMPMessage.data, RTMPMessage.dataAMF3:
      guard let metadata = try StreamData(message).metadata else { return }
      emit(.metadata(stream: message.stream, metadata))
    default: break
    }
  }

  private mutating func receive(_ control: RTMPControl) {
    switch control {
    case .windowSize(let size): acknowledging.setWindow(size)
    case .user(.pingRequest(let clock)):
      send(RTMPControl.user(.pingResponse(clock)).message, on: RTMPChannel.control)
    case .user(.streamEnd(let stream)): emit(.streamEnd(stream))
    default: break
    }
  }

  private mutating func receive(_ command: RTMPCommand, on stream: UInt32) {
    switch command.name {
    case RTMPCommand.result, RTMPCommand.error:
      guard let purpose = pending.removeValue(forKey: command.transaction) else { return }
      settle(purpose, isError: command.name == RTMPCommand.error, command.arguments)
    case RTMPCommand.status:
      guard let status = RTMPStatus(command.arguments.first) else { return }
      emit(.status(stream: stream, status))
    default: emit(.called(command.name, command.arguments))
    }
  }

  private mutating func settle(_ purpose: Purpose, isError: Bool, _ arguments: [AMFValue]) {
    switch purpose {
    case .connect where isError:
      emit(.rejected(RTMPStatus(arguments.first) ?? .error(RTMPStatus.Code.connectFailed, "")))
    case .connect: connected(arguments.first ?? .null)
    case .call(let label) where isError: emit(.failed(label: label, RTMPCallError(arguments.first)))
    case .call(let label): emit(.answered(label: label, arguments.first.map { .value($0) } ?? .void))
    case .publish(let name):
      guard let id = stream(arguments) else { return emit(.noStream(RTMPCallError(arguments.first))) }
      published[id] = name
      send(RTMPCommand("publish", [.string(name), .string(RTMPPublishKind.live.rawValue)]), stream: id)
    case .play(let name):
      guard let id = stream(arguments) else { return emit(.noStream(RTMPCallError(arguments.first))) }
      send(RTMPCommand("play", [.string(name), -1000]), stream: id)
    }
  }

  private func stream(_ arguments: [AMFValue]) -> UInt32? {
    arguments.first?.number.flatMap { UInt32(exactly: $0) }
  }
}
