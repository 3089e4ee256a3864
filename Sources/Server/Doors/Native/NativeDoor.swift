import Hummingbird
import Machines
import Recording
import ServiceLifecycle
import Signaling

typealias NativeSession = Conversation<NativeServer, RoomSeat<NativeWords>>

/// The native protocol, at `/v1/rooms/{room}/signal`.
struct NativeDoor: Door {
  static let kind = Authorisation.Door.native
  static let document = "docs/protocol.md"
  /// In a reloaded page the client resumes by its secret.
  private static let leavings: Set<UInt16> = [1000]

  private let means: DoorMeans
  private let sessions: SessionRegistry<NativeSession>

  init(_ means: DoorMeans) {
    self.means = means
    sessions = means.registry()
  }

  static func hasLink(at address: LinkAddress) -> Bool { room(at: address) != nil }

  /// The room as given in the path; the join checks the name, because a browser can read its response.
  static func room(at address: LinkAddress) -> String? {
    let parts = address.parts
    guard parts.count == 4, parts[0] == "v1", parts[1] == "rooms", parts[3] == "signal" else { return nil }
    return parts[2].percentDecoded
  }

  func open(_ opening: LinkOpening, from origin: Turnstile.Origin) -> OpenedLink? {
    guard let room = NativeDoor.room(at: opening.address) else { return nil }
    let bearer = LinkBearer(token: opening.cookie, origin: origin)
    let session = sessions.open { id in
      NativeSession(
        id: id, NativeServer(room: room, limits: JSONLimits(bytes: means.limits.message), at: MonotonicClock.now),
        RoomSeat(means, bearer, parking: nil), in: sessions)
    }
    return session.map {
      OpenedLink(number: sessions.nextLink(), session: $0, limits: means.limits, leavings: NativeDoor.leavings)
    }
  }

  var routes: DoorRoutes {
    DoorRoutes(others: [
      Resource("/v1/rooms/:room/signal").on(.get, .look) { _, context in
        _ = try context.room()
        throw Problem.upgradeRequired(at: NativeDoor.self)
      }
    ])
  }

  var services: [any Service] { [sessions] }
  var metricLines: [String] { [] }
}
