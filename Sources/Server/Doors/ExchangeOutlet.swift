import Signaling
import Synchronization

/// The outlet of a session for one request by POST: carries the response and nothing else.
final class ExchangeOutlet: SessionOutlet {
  let number: LinkNumber
  let isLasting = false
  private let texts: AsyncStream<String>
  private let continuation: AsyncStream<String>.Continuation

  init(number: LinkNumber) {
    self.number = number
    (texts, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
  }

  func send(_ text: String) {
    continuation.yield(text)
    continuation.finish()
  }

  func close(_ closing: LinkClosing) { continuation.finish() }

  func move(to session: any SignalingSession) {}

  /// The response; nil if the session ended without one.
  var answer: String? {
    get async {
      for await text in texts { return text }
      return nil
    }
  }
}
