import Machines

/// One reading of the server's clock.
package struct NativeClockSample: Hashable, Sendable {
  /// Time of our request, by our clock.
  package var sentAt: MonotonicTime
  /// Arrival of the response, by our clock.
  package var answeredAt: MonotonicTime
  /// Time of the response, by the server's clock.
  package var serverTime: MonotonicTime

  /// The time between request and response.
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
