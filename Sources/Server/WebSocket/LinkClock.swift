import Machines
import NIOCore
import Recording
import Rooms
import Synchronization

/// Triggers pings, and cuts a connection that sends nothing, not even pongs.
///
/// It runs beside the pump, which may be stuck in a write that the other side does not read.
struct LinkClock {
  let mailbox: LinkMailbox
  let pulse: LinkPulse
  let places: ConnectionPlaces
  let limits: ServerLimits

  /// Longest interval between two checks of the time.
  private static var interval: MonotonicTime.Span { .seconds(1) }

  func run(_ channel: any Channel) async {
    let least = min(limits.pingInterval, limits.proofTimeout)
    let interval = min(LinkClock.interval, .milliseconds(max(1, least / 4)))
    let start = MonotonicClock.now
    var lastPing = start
    var isProven = false
    var isWaiting = false
    while true {
      guard (try? await Task.sleep(for: .nanoseconds(interval.nanoseconds))) != nil else { return }
      let now = MonotonicClock.now
      if !isProven {
        isProven = places.isProven(channel)
        if !isProven, now - start >= .milliseconds(limits.proofTimeout) {
          return mailbox.put(.close(.unproven(after: limits.proofTimeout)))
        }
      }
      if isWaiting, pulse.last >= lastPing { isWaiting = false }
      if isWaiting, now - lastPing >= .milliseconds(limits.pongTimeout) { return channel.close(promise: nil) }
      if !isWaiting, now - lastPing >= .milliseconds(limits.pingInterval) {
        lastPing = now
        isWaiting = true
        mailbox.put(.pingDue)
      }
    }
  }
}

/// The time of the last input from the other side.
final class LinkPulse: Sendable {
  private let heard: Mutex<MonotonicTime>

  init(at now: MonotonicTime) {
    heard = Mutex(now)
  }

  func beat(at now: MonotonicTime) { heard.withLock { $0 = now } }

  var last: MonotonicTime { heard.withLock { $0 } }
}
