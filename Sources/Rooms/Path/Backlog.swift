import Machines

/// Decides whether to wait until datagrams that have lain in a socket are read, as after a standstill of the recorder.
struct Backlog: Hashable, Sendable {
  /// A datagram that has waited for longer shows that the recorder stood still.
  private static let present = MonotonicTime.Span.milliseconds(20)
  /// Nothing waits longer than this, since a flood may keep a socket from being emptied.
  private static let patience = MonotonicTime.Span.seconds(1)

  /// Since when it is waited for.
  private var since: MonotonicTime?

  /// - Parameters:
  ///   - stamp: of the next datagram to be read (wall time in nanoseconds), 0 if there is none.
  ///   - now: the present, which is read only if there is one: mostly there is none.
  mutating func mustBeRead(from stamp: Int64, at now: @autoclosure () -> ArrivalClock.Reading) -> Bool {
    guard stamp > 0 else {
      since = nil
      return false
    }
    let reading = now()
    guard reading.civil &- stamp > Backlog.present.nanoseconds else {
      since = nil
      return false
    }
    let start = since ?? reading.monotonic
    since = start
    return reading.monotonic - start < Backlog.patience
  }
}
