import Machines

extension RTMPServer {
  /// Processes messages until there are no more or the shell must decide first.
  mutating func pump(at now: MonotonicTime) {
    while phase == .awaitingConnect || phase == .connected {
      do throws(RTMPViolation) {
        guard let message = try reader.next() else { return }
        if let control = try RTMPControl(message) {
          receive(control, at: now)
        } else if phase == .awaitingConnect {
          connect(message, at: now)
        } else {
          receive(message, at: now)
        }
      } catch {
        return end(error.description)
      }
    }
    guard case .deciding = phase, reader.waiting > limits.message else { return }
    end("the client sent \(reader.waiting) bytes before its connect was answered")
  }

  private mutating func receive(_ control: RTMPControl, at now: MonotonicTime) {
    switch control {
    case .windowSize(let size): acknowledging.setWindow(size)
    case .peerBandwidth(let size, _):
      guard size != peerBandwidth, phase == .connected else { return }
      peerBandwidth = size
      send(.windowSize(size))
    case .user(.pingRequest(let clock)):
      guard phase == .connected, pingRate.admit(at: now) else { return }
      send(.user(.pingResponse(clock)))
    // Any byte is a sign of life; the contents of a ping's answer do not matter. The reader has handled chunk sizes.
    case .user, .acknowledgement, .chunkSize, .abort: break
    }
  }

  private mutating func receive(_ message: RTMPMessage, at now: MonotonicTime) {
    switch message.type {
    case RTMPMessage.command, RTMPMessage.commandAMF3: receive(command: message, at: now)
    case RTMPMessage.sharedObject, RTMPMessage.sharedObjectAMF3: receive(sharedObject: message)
    case RTMPMessage.audio: receive(audio: message)
    case RTMPMessage.data, RTMPMessage.dataAMF3: receive(data: message)
    case RTMPMessage.aggregate: receive(aggregate: message)
    // Video and unknown types.
    default: break
    }
  }

  private mutating func receive(command message: RTMPMessage, at now: MonotonicTime) {
    guard commandRate.admit(at: now) else {
      return end("more than \(limits.commandsPerSecond) commands a second came")
    }
    do throws(RTMPCommandFailure) {
      let command = try RTMPCommand(message)
      let ticket = RTMPCallTicket(transaction: command.transaction, isAMF3: command.isAMF3)
      guard !perform(command, ticket, on: message.stream) else { return }
      emit(.call(RTMPCallRequest(ticket: ticket, name: command.name, arguments: command.arguments)))
    } catch {
      answer(
        RTMPCallTicket(transaction: error.transaction, isAMF3: error.isAMF3),
        RTMPCallError(.generalException, "The message cannot be read: \(error.reason)").callStatus)
      drop(error.reason)
    }
  }

  private mutating func receive(audio message: RTMPMessage) {
    guard let stream = streams.first(where: { $0.id == message.stream }), stream.isPublishing else { return }
    do throws(RTMPViolation) {
      for tag in try AudioTag.tags(in: message.body) {
        emit(.audio(stream: stream.id, timestamp: message.timestamp, tag))
      }
    } catch {
      drop(error.description)
    }
  }

  private mutating func receive(data message: RTMPMessage) {
    guard let stream = streams.first(where: { $0.id == message.stream }), stream.isPublishing else { return }
    do throws(RTMPViolation) {
      guard let metadata = try StreamData(message).metadata else { return }
      emit(.metadata(stream: stream.id, metadata))
    } catch {
      drop(error.description)
    }
  }

  /// Accepts only media: commands, control messages and nested aggregates are invalid here.
  private mutating func receive(aggregate message: RTMPMessage) {
    do throws(RTMPViolation) {
      for inner in try AggregateMessage.messages(in: message) {
        switch inner.type {
        case RTMPMessage.audio: receive(audio: inner)
        case RTMPMessage.data, RTMPMessage.dataAMF3: receive(data: inner)
        default: break
        }
      }
    } catch {
      drop(error.description)
    }
  }
}
