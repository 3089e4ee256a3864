import Machines

extension RTMPServer {
  package var deadline: MonotonicTime? {
    switch phase {
    case .handshake: start + limits.handshakeTime
    case .awaitingConnect: phaseStart + limits.connectTime
    case .deciding: lastByte + limits.silence
    case .connected: min(max(lastByte, lastPing) + limits.pingTime, lastByte + limits.silence)
    case .closed: nil
    }
  }

  package mutating func advance(to now: MonotonicTime) {
    guard let deadline, now >= deadline else { return }
    switch phase {
    case .handshake: end("the handshake took longer than \(Int(limits.handshakeTime.seconds)) seconds")
    case .awaitingConnect: end("no connect came within \(Int(limits.connectTime.seconds)) seconds")
    case .deciding, .connected:
      guard now < lastByte + limits.silence else {
        return end("the client was silent for \(Int(limits.silence.seconds)) seconds")
      }
      lastPing = now
      send(.user(.pingRequest(clock(at: now))))
    case .closed: break
    }
  }

  /// Our clock for handshake and pings: milliseconds since the opening, modulo 2^32.
  func clock(at now: MonotonicTime) -> UInt32 {
    UInt32(truncatingIfNeeded: (now - start).nanoseconds / 1_000_000)
  }

  mutating func check(bytes: Int, messages: Int) {
    guard bytes > limits.backlogBytes || messages > limits.backlogMessages else { return }
    end("the client reads too slowly: \(bytes) bytes in \(messages) messages wait for it")
  }
}
