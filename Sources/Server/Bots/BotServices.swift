import Library
import Logging
import Machines
import Music
import Rooms
import Signaling

/// What every bot of the service uses.
struct BotServices: Sendable {
  let broker: Broker
  /// The way to servers outside, with the same checks as for webhooks: a bot is another request to an address that
  /// somebody has named.
  let route: OutwardRoute
  /// Places for codec workers, which streams need.
  let transcoders: Transcoders
  let software: String
  let logger: Logger

  /// A checked address of the server; another one for each attempt, as one of them may not answer.
  func address(of wish: BotWish, attempt: Int) async throws(GuestFault) -> String {
    try await route.address(of: wish.address.url, attempt: attempt)
  }
}

extension OutwardRoute {
  private static let lookupLimit = MonotonicTime.Span.seconds(5)

  /// A checked address of a server where a bot listens.
  /// - Parameter attempt: another one for each, as one of them may not answer.
  func address(of url: WebhookURL, attempt: Int) async throws(GuestFault) -> String {
    do {
      let found = try await Deadline.race(OutwardRoute.lookupLimit) { try await addresses(of: url) }
      guard let found, !found.isEmpty else {
        throw GuestFault(.lost, "the host \(url.host) could not be looked up in time")
      }
      return found[max(attempt &- 1, 0) % found.count]
    } catch let fault as GuestFault {
      throw fault
    } catch let refusal as OutwardRoute.Refusal {
      throw GuestFault(.refused, refusal.reason)
    } catch {
      throw GuestFault(.lost, "the host \(url.host) could not be looked up")
    }
  }
}
