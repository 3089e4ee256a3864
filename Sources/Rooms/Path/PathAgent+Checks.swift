import CLinux
import Glibc
import Machines
import Realtime
import Recording

/// Checks of our own on the selected pair, beside those of libnice: they measure its round trip.
extension PathAgent {
  /// Sends a check if one is due.
  func check(at now: MonotonicTime) {
    guard let due = checks.deadline, due <= now, !isClosed else { return }
    guard state == .connected, let remote = remoteCredentials, let local = localCredentials else {
      return checks.postpone(at: now)
    }
    var random = SystemRandomNumberGenerator()
    // The loop's time may be older than what it has just done.
    let request = checks.request(
      at: MonotonicClock.now, from: local, to: remote, isControlling: isControlling, using: &random)
    request?.withUnsafeBytes { _ = send($0) }
  }

  /// True if the next datagram of a socket answers a check of ours; libnice knows nothing of those.
  func isAnswerToUs(_ descriptor: Int32) -> Bool {
    guard checks.isAwaiting else { return false }
    let beginning = [UInt8](unsafeUninitializedCapacity: PathChecks.beginning) { bytes, count in
      count = max(0, recv(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)))
    }
    return checks.isAnswer(beginning: beginning)
  }

  /// True for an answer to a check of ours that libnice has read and hands on, as from a relay.
  func isAnswerToUs(_ datagram: UnsafeRawBufferPointer) -> Bool {
    guard checks.isAwaiting, let first = datagram.first, first <= 3 else { return false }
    return checks.isAnswer(beginning: [UInt8](datagram.prefix(PathChecks.beginning)))
  }

  func checked(by datagram: UnsafeRawBufferPointer, arrival: MonotonicTime) {
    guard let trip = checks.answer([UInt8](datagram), arrival: arrival) else { return }
    onRoundTrip(trip, arrival)
  }
}
