import HTTPTypes
import Hummingbird
import Logging
import Music
import Rooms
import ServiceLifecycle
import Signaling

/// One way into the service for programs that have a conversation: its addresses, how a session begins there, what it
/// serves besides, and what it counts.
///
/// `Doors` has the list. Nothing else of the server knows a dialect.
protocol Door: Sendable {
  /// Its column in the table of rights.
  static var kind: Authorisation.Door { get }
  /// The description of what is spoken here.
  static var document: String { get }
  /// What an operator may set for it; nil if nothing.
  static var configuration: (any DoorConfiguration.Type)? { get }

  /// True if this could be the address of one of its WebSockets. The first such door of the list has it.
  static func hasLink(at address: LinkAddress) -> Bool
  /// Where its clients put a key or token in an HTTP request, besides the header that all have.
  static func credential(in request: Request) -> String?
  /// The room of an HTTP request that does not have it in its path.
  static func room(of request: Request) -> RoomName?

  /// The session of a new link at an address of this door; nil if there are too many.
  func open(_ opening: LinkOpening, from origin: Turnstile.Origin) -> OpenedLink?
  /// Its REST.
  var routes: DoorRoutes { get }
  /// What runs as long as the service, in the order of starting.
  var services: [any Service] { get }
  /// Lines of `/metrics`.
  var metricLines: [String] { get }
  /// Reads what former processes have left.
  func load() async
}

extension Door {
  static var configuration: (any DoorConfiguration.Type)? { nil }
  static func credential(in request: Request) -> String? { nil }
  static func room(of request: Request) -> RoomName? { nil }
  func load() async {}

  static func gauge(_ name: String, _ value: Int) -> [String] { ["# TYPE \(name) gauge", "\(name) \(value)"] }
}

/// A new link's session, and how they speak with each other.
struct OpenedLink {
  var number: LinkNumber
  var session: any SignalingSession
  var framing: any LinkFraming = PlainFraming()
  var limits: ServerLimits
  /// The close codes by which a client gives its seat up (RFC 6455 section 7.4.1: 1000 is a purpose fulfilled, also
  /// without a code; a page says 1001 when it is closed or reloaded); any other close is a loss.
  var leavings: Set<UInt16>
  var enter = SessionLink.attach
}

/// The REST of a door, by what stands before it.
struct DoorRoutes {
  /// For pages of any origin, without cookies.
  var anyOrigin: [Resource] = []
  /// For pages of any origin, with cookies.
  var anyOriginWithCookies: [Resource] = []
  /// For servers, and for our own pages.
  var others: [Resource] = []
}

/// What doors are made of.
struct DoorMeans: Sendable {
  let broker: Broker
  let turnstile: Turnstile
  let application: ApplicationMethods
  let configuration: ServerConfiguration
  let jobs: JobRunner
  let webhooks: Webhooks
  let backings: Backings
  let encoders: AACBroadcasts
  /// To addresses that clients have named.
  let route: OutwardRoute
  let logger: Logger
  /// Where a client that lost its link finds its seat by its name.
  let parked = ParkedSeats()

  var limits: ServerLimits { configuration.limits }
  var isSecure: Bool { configuration.tls != nil }
  /// The way to servers that are called back.
  var callbackRoad: CallbackRoad {
    CallbackRoad(
      configuration.webhooks, recordings: configuration.recordings, sender: webhooks.sender, counts: webhooks.counts,
      logger: logger)
  }

  func registry<Session>() -> SessionRegistry<Session> { SessionRegistry(limit: limits.connections) }
}
