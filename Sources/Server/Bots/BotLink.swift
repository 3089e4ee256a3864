import Client

/// A link of texts to another server, whatever carries them.
protocol BotLink: Sendable {
  /// The server, for a look at its certificate.
  var endpoint: ServiceEndpoint { get }

  /// Sends `texts` and passes on what the server says, until either side ends it; the end of `texts` does.
  ///
  /// - Parameters:
  ///   - opened: called once, before the first text.
  ///   - onText: called in order; false gives up the link, because the reader cannot keep up.
  /// - Returns: how the link ended.
  /// - Throws: `LinkClosed`, `GuestFault` or another error if the server cannot be reached.
  func run(
    _ texts: AsyncStream<String>, opened: @escaping @Sendable () -> Void,
    onText: @escaping @Sendable (String) -> Bool
  ) async throws -> LinkClosed
}

extension TextLink: BotLink {}
