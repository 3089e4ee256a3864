import Hummingbird
import Library
import Logging
import Rooms

extension Assembly {
  /// Every route, in groups that share what stands before them.
  /// - Returns: the router, and all that it serves.
  static func router(
    _ configuration: ServerConfiguration, broker: Broker, takes: TakesResource, turnstile: Turnstile,
    metrics: RequestMetrics, sessions: MediaSessions, webhooks: Counter<WebhookCounts>, exports: Exports,
    backups: Backups, backings: Backings, imports: Imports, listening: ListeningRoad, doors: Doors,
    application: ApplicationMethods, bots: BotDesk, transcoders: Transcoders, connections: RTMPConnections,
    objects: Objects?, doctor: Doctor, invitations: Invitations, logger: Logger
  ) -> (Router<ExchangeContext>, [Resource]) {
    let (library, quotas) = (takes.library, turnstile.quotas)
    let index = library.index
    let router = Router(context: ExchangeContext.self)
    router.add(middleware: AccessLog(metrics: metrics, logger: logger))
    if configuration.tls != nil { router.add(middleware: StrictTransport()) }
    router.add(middleware: ProblemMiddleware())
    let probes = HealthResource(broker: broker, objects: objects).resources
    let rights = RouteGuard(
      turnstile: turnstile, places: ObjectPlaces(index: index, exports: exports, backups: backups, imports: imports))
    // All their methods stand here: the origin of a request, which is looked at below, does not matter to probes.
    for resource in probes {
      router.add(resource, guardedBy: rights)
      router.addOtherMethods(of: resource, guardedBy: rights)
    }

    router.add(middleware: OriginGuard(policy: configuration.originPolicy))
    let access = AccessResource(
      turnstile: turnstile, isSecure: configuration.tls != nil, limits: configuration.limits)
    let pages = StudioResource().resources + OpenAPIResource().resources + access.resources
    let files = TakeFilesResource(
      index: index, recordings: configuration.recordings, listening: listening, objects: objects)
    let light = ShareLight(exports: exports, usage: broker.usage, recordings: configuration.recordings)
    let visits = ShareVisitResource(
      shares: Shares(library: library, turnstile: turnstile), files: files, light: light,
      isSecure: configuration.tls != nil, limits: configuration.limits
    ).resources
    let media = MediaSessionResource(
      broker: broker, sessions: sessions, quotas: quotas, limits: configuration.limits)
    let mediaDoors = WHIPResource(shared: media).resources + WHEPResource(shared: media).resources
    let routes = doors.routes
    let resources =
      RoomsResource(broker: broker, index: index, backings: backings, limits: configuration.limits).resources
      + BackingsResource(
        backings: backings, quotas: quotas, recordings: configuration.recordings, limits: configuration.limits
      ).resources
      + takes.resources
      + TakesBulkResource(library: library, limits: configuration.limits).resources
      + CuesResource(broker: broker, library: library, limits: configuration.limits).resources
      + SharedObjectsResource(broker: broker, limits: configuration.limits).resources
      + SongsResource(library: library, limits: configuration.limits).resources
      + SessionsResource(index: index).resources
      + ParticipantsResource(library: library, limits: configuration.limits).resources
      + TakeCommandsResource(
        broker: broker, index: index, quotas: quotas, limits: configuration.limits
      ).resources
      + files.resources
      + SharesResource(library: library, light: light, quotas: quotas, limits: configuration.limits).resources
      + RTPInputsResource(broker: broker, limits: configuration.limits).resources
      + ExportsResource(
        exports: exports, quotas: quotas, usage: broker.usage, index: index, recordings: configuration.recordings,
        limits: configuration.limits
      ).resources
      + BackupsResource(
        backups: backups, quotas: quotas, usage: broker.usage, limits: configuration.limits
      ).resources
      + ImportsResource(imports: imports, quotas: quotas, usage: broker.usage, limits: configuration.limits).resources
      + RevocationsResource(broker: broker, limits: configuration.limits).resources
      + InvitationsResource(
        invitations: invitations, broker: broker, gatekeeper: turnstile.gatekeeper,
        address: PublicAddress(
          configured: configuration.publicURL, isSecure: configuration.tls != nil, proxies: configuration.proxies),
        limits: configuration.limits
      ).resources
      + BotsResource(desk: bots, quotas: quotas, limits: configuration.limits).resources
      + EventsResource(
        feed: broker.events, revocations: broker.revocations, quotas: quotas, limits: configuration.limits
      ).resources
      + MetricsResource(
        broker: broker, metrics: metrics, sessions: sessions, webhooks: webhooks, doors: doors,
        application: application,
        places: turnstile.places, transcoders: transcoders, connections: connections, quotas: quotas, bots: bots,
        objects: objects
      ).resources
      + ConnectionsResource(broker: broker, connections: connections).resources
      + DoctorResource(doctor: doctor, address: configuration.publicURL).resources
    let groups = [
      OtherMethods.Group(crossOrigin: CrossOrigin(), resources: mediaDoors + routes.flatMap(\.anyOrigin)),
      OtherMethods.Group(
        crossOrigin: CrossOrigin(allowsCredentials: true), resources: routes.flatMap(\.anyOriginWithCookies)),
      OtherMethods.Group(resources: pages + visits + routes.flatMap(\.others) + resources),
    ]
    for group in groups {
      let routes = router.routes(for: group.crossOrigin)
      for resource in group.resources { routes.add(resource, guardedBy: rights) }
    }
    // It stands behind all routes, so it gets only what none of them takes.
    router.add(middleware: OtherMethods(of: groups, guardedBy: rights))
    return (router, probes + groups.flatMap(\.resources))
  }
}
