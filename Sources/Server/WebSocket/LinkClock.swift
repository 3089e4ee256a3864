import Machines
import NIOCore
import Rooms

/// Lets time pass in a link's mailbox and has pings sent; cuts a connection from which nothing comes, not even pongs.
///
/// It stands beside the pump, which may be stuck in a write that the other side does not read.
struct LinkClock<Message: Sendable> {
  let mailbox: LinkMailbox<Message>
  let pulse: LinkPulse
  let limits: ServerLimits

  /// How often time is looked at, at most.
  private static var interval: MonotonicTime.Span { .seconds(1) }

  func run(_ channel: any Channel) async {
    let interval = min(LinkClock.interval, .milliseconds(max(1, limits.pingInterval / 4)))
    var lastPing = MonotonicClock.now
    var isWaiting = false
    while true {
      guard (try? await Task.sleep(for: .nanoseconds(interval.nanoseconds))) != nil else { return }
      let now = MonotonicClock.now
      mailbox.put(.tick)
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
