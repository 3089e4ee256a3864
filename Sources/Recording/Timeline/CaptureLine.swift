/// What ties a stream's media time to the instants of capture: a rolling estimate, or what a whole take shows.
package protocol CaptureLine {
  /// The instant (seconds from the take's zero) at which the sample at `media` seconds was captured.
  func captureTime(atMedia media: Double) -> Double
  /// The media time that was captured at `time`.
  func media(at time: Double) -> Double
  /// How much longer a second of media at `time` takes on our clock, in seconds.
  func slope(at time: Double) -> Double
}

extension SenderClock: CaptureLine {
  package func slope(at time: Double) -> Double { slope }
}
