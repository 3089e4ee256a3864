import Machines

/// One look at the server's clock.
package struct NativeClockSample: Hashable, Sendable {
  /// When we asked, on our clock.
  package var sentAt: MonotonicTime
  /// When the answer came, on our clock.
  package var answeredAt: MonotonicTime
  /// When the server answered, on its clock.
  package var serverTime: MonotonicTime

  /// The time between question and answer.
  package var roundTrip: MonotonicTime.Span { answeredAt - sentAt }

  package init(sentAt: MonotonicTime, answeredAt: MonotonicTime, serverTime: MonotonicTime) {
    self.sentAt = sentAt
    self.answeredAt = answeredAt
    self.serverTime = serverTime
  }

  init(_ fields: NativeFields, sentAt: MonotonicTime, answeredAt: MonotonicTime) throws(RoomRefusal) {
    let serverTime = try NativeTime.nanoseconds(try fields.double("serverTime"), of: "serverTime")
    self.init(sentAt: sentAt, answeredAt: answeredAt, serverTime: MonotonicTime(nanoseconds: serverTime))
  }
}
