import Client
import Foundation
import Recording
import Signaling

/// The event stream of a service, over as many connections as it takes.
struct RemoteEvents {
  /// Pause before a new connection.
  private static let pause = Duration.seconds(2)

  private let source: RemoteSource
  private let query: [(String, String)]

  /// - Throws: `CommandFailure` if the key cannot be sent.
  init(_ address: ServerAddress, key: String?, room: String?, types: String?) throws(CommandFailure) {
    source = try RemoteSource(address, key: key)
    query = [("room", room), ("types", types)].compactMap { pair in pair.1.map { (pair.0, $0) } }
  }

  /// Prints all events after `last`, for ever.
  /// - Throws: `CommandFailure` if the first connection fails; `RESTFailure` if the service refuses the request;
  ///   `EventLines.Closed`.
  func follow(after last: String?, _ lines: EventLines) async throws {
    // An edit's number alone stands for an event of an earlier run: the service then sends the edits since.
    var last = last.map { UInt64($0) == nil ? $0 : "edits-0-\($0)" }
    var hasConnected = false
    while true {
      do {
        var reader = EventStreamReader()
        try await source.client.events(query, after: last) { bytes in
          hasConnected = true
          for block in reader.read(bytes) {
            if let id = block.id { last = id }
            guard let data = block.data,
              let event = try? JSONValue(parsing: Array(data.utf8), limits: RemoteEvents.limits)
            else { continue }
            try lines.write(last ?? "", event.object ?? [:])
          }
        }
      } catch let failure as RESTFailure
        where !hasConnected || (400..<500).contains(failure.status) && failure.status != 429
      {
        throw failure
      } catch let closed as EventLines.Closed {
        throw closed
      } catch let failure as CommandFailure {
        throw failure
      } catch  where !hasConnected {
        throw CommandFailure(ExitCodes.unavailable, await source.unreachable.sentence(error, at: MonotonicClock.wall))
      } catch {
        // Tried again below.
      }
      try await Task.sleep(for: RemoteEvents.pause)
    }
  }

  /// An event of our own service: a take with all its texts, and a song with its tempo map.
  private static let limits = JSONLimits(bytes: 4 << 20, stringBytes: 1 << 20, values: 200_000)
}
