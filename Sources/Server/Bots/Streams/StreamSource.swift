import Signaling

/// A place elsewhere that has one stream of sound.
protocol StreamSource: Sendable {
  /// Listens until the stream is over or the task is cancelled; returns why.
  /// - Parameter sink: takes the sound in its order, with timestamps in milliseconds; waits while there is too much.
  func run(_ sink: @escaping StreamSink) async -> GuestFault
}

/// Takes a piece of a stream; its errors end the stream.
typealias StreamSink = @Sendable (AudioTag, _ timestamp: UInt32) async throws(GuestFault) -> Void
