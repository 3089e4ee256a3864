import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Library
import Logging
import Music
import NIOCore
import NIOSSL
import Rooms
import ServiceLifecycle

/// Assembles the service's public side: routes, signaling links, keys, and the listening server.
///
/// As a `Service` it listens until the graceful shutdown. Give it to the `ServiceGroup` *before* the broker: services
/// stop in reverse order, so the rooms end their takes and close their links while the server still responds.
package struct Assembly: Service {
  private let application: any ApplicationProtocol & Sendable
  private let sessions: MediaSessions
  /// Every path served, for the test that compares it with the OpenAPI document.
  let resources: [Resource]

  /// Puts everything together without listening yet.
  ///
  /// - Parameters:
  ///   - onListening: called with the port once the service listens; needed if the configured port is 0.
  /// - Throws: `ConfigurationProblem` with a sentence that says what to do.
  package init(
    _ configuration: ServerConfiguration, broker: Broker, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) async throws {
    try await self.init(
      configuration, broker: broker, resolver: .system, logger: logger, onListening: onListening)
  }

  /// - Parameter resolver: looks up the hosts of webhooks.
  init(
    _ configuration: ServerConfiguration, broker: Broker, resolver: WebhookResolver, logger: Logger,
    onListening: @escaping @Sendable (Int) async -> Void,
    onRTMP: @escaping @Sendable (Int) -> Void = { _ in }
  ) async throws {
    try configuration.check()
    let metrics = RequestMetrics()
    let sessions = MediaSessions()
    let webhooks = Webhooks(
      configuration: configuration.webhooks, feed: broker.events, recordings: configuration.recordings,
      sender: WebhookSender(
        configuration: configuration.webhooks, resolver: resolver, agent: broker.configuration.software),
      counts: WebhookCounts(), logger: logger)
    let jobs = JobRunner(program: broker.configuration.workerProgram, root: configuration.recordings)
    let software = broker.configuration.software
    let exports = Exports(
      configuration.exports, jobs: jobs, software: software, feed: broker.events, ledger: broker.ledger,
      logger: logger)
    let backups = Backups(
      configuration.backups, index: broker.index, jobs: jobs, software: software, feed: broker.events,
      refinements: broker.refinements, ledger: broker.ledger, logger: logger)
    await backups.load()
    let places = Assembly.places(configuration, logger: logger)
    let transcoders = Transcoders(
      limit: configuration.limits.transcoders, perConnection: configuration.limits.transcodersPerConnection)
    let gatekeeper = Gatekeeper(keys: configuration.keys) { [revocations = broker.revocations] in
      revocations.revokes($0)
    }
    let turnstile = Turnstile(
      gatekeeper: gatekeeper, quotas: Quotas(configuration.limits.quotas), places: places)
    let doors = Doors(broker: broker, turnstile: turnstile, limits: configuration.limits, logger: logger)
    let (router, resources) = Assembly.router(
      configuration, broker: broker, library: broker.library, turnstile: turnstile, metrics: metrics,
      sessions: sessions, webhooks: webhooks.counts, exports: exports, backups: backups, doors: doors,
      transcoders: transcoders, logger: logger)
    self.resources = resources
    let census = ConnectionCensus(limit: configuration.limits.connectionsPerAddress)
    let plain = HTTPServerBuilder { responder in
      HTTPOrWebSocketChannel(
        responder: responder, limits: configuration.limits, isSecure: configuration.tls != nil, census: census,
        places: places,
        origins: configuration.originPolicy, ledger: broker.ledger
      ) { stream, opening in
        metrics.linkOpened()
        await doors.serve(stream, opening)
        metrics.linkClosed()
      }
    }
    let server =
      if let files = configuration.tls {
        try HTTPServerBuilder.tls(plain, tlsConfiguration: try Assembly.tls(files))
      } else {
        plain
      }
    let rtmp = try configuration.rtmp.map { port in
      RTMPListener(
        host: configuration.host, port: port, tls: try configuration.tls.map(Assembly.tls),
        services: RTMPServices(
          broker: broker, index: broker.index, turnstile: turnstile, limits: configuration.limits, methods: .standard,
          transcoders: transcoders,
          logger: logger),
        census: ConnectionCensus(limit: configuration.limits.connectionsPerAddress), places: places,
        onListening: onRTMP)
    }
    var quiet = logger
    // Hummingbird logs addresses at info; this service logs the relevant ones itself.
    quiet.logLevel = max(logger.logLevel, .notice)
    self.sessions = sessions
    application = Application(
      responder: router.buildResponder(), server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port), serverName: "jamjar"),
      services: [sessions, webhooks, exports, backups] + doors.services
        + (rtmp.map { [$0] } ?? []),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? configuration.port
        let gated: Void? = try? await channel.eventLoop.submit {
          // In front of Hummingbird's handlers: it sees errors first and reads last.
          try channel.pipeline.syncOperations.addHandler(ConnectionGate(places: places), position: .first)
        }.get()
        if gated == nil { logger.error("connections are not counted: the listener has closed") }
        logger.info("listening", metadata: ["port": "\(port)", "tls": "\(configuration.tls != nil)"])
        await onListening(port)
      },
      logger: quiet)
  }

  /// Listens until the graceful shutdown.
  /// - Throws: `IOError` if the port is taken or the address is not ours.
  package func run() async throws {
    try await application.run()
  }

  /// The limit of connections that leaves enough descriptors for recording.
  private static func places(_ configuration: ServerConfiguration, logger: Logger) -> ConnectionPlaces {
    let limit = DescriptorLimit.current
    let budget = DescriptorBudget(limit: limit, inUse: DescriptorLimit.inUse, most: configuration.limits.connections)
    if !budget.isEnough {
      logger.warning(
        "there may not be enough descriptors for a room of three musicians; raise the limit of open files (ulimit -n)",
        metadata: ["limit": "\(limit)", "connections": "\(budget.connections)", "others": "\(budget.others)"])
    }
    return ConnectionPlaces(
      limit: budget.connections, needsProof: configuration.keys != nil,
      strangersPerAddress: configuration.limits.strangersPerAddress, logger: logger)
  }

  private static func router(
    _ configuration: ServerConfiguration, broker: Broker, library: Library, turnstile: Turnstile,
    metrics: RequestMetrics, sessions: MediaSessions, webhooks: WebhookCounts, exports: Exports, backups: Backups,
    doors: Doors, transcoders: Transcoders, logger: Logger
  ) -> (Router<ExchangeContext>, [Resource]) {
    let (index, quotas) = (library.index, turnstile.quotas)
    let router = Router(context: ExchangeContext.self)
    router.add(middleware: AccessLog(metrics: metrics, logger: logger))
    if configuration.tls != nil { router.add(middleware: StrictTransport()) }
    router.add(middleware: ProblemMiddleware())
    let probes = HealthResource(broker: broker).resources
    let rights = RouteGuard(
      turnstile: turnstile, places: ObjectPlaces(index: index, exports: exports, backups: backups))
    for resource in probes { router.add(resource, guardedBy: rights) }

    router.add(middleware: OriginGuard(policy: configuration.originPolicy))
    let access = AccessResource(isSecure: configuration.tls != nil, limits: configuration.limits)
    let pages =
      StudioResource().resources + OpenAPIResource().resources + SignalResource().resources + access.resources
    for resource in pages { router.add(resource, guardedBy: rights) }

    let media = MediaSessionResource(
      broker: broker, sessions: sessions, quotas: quotas, limits: configuration.limits)
    // Outside of the problem middleware, so that pages can read problems too.
    let open = router.group().add(middleware: CrossOrigin()).add(middleware: ProblemMiddleware())
    let mediaDoors = WHIPResource(shared: media).resources + WHEPResource(shared: media).resources
    for resource in mediaDoors { open.add(resource, guardedBy: rights) }
    let kurentoDoors =
      KurentoExchange(doors: doors).resources
      + RoomServerResource(broker: broker, origins: configuration.originPolicy).resources
    for resource in kurentoDoors { open.add(resource, guardedBy: rights) }

    let resources =
      RoomsResource(broker: broker, index: index).resources
      + TakesResource(library: library, limits: configuration.limits).resources
      + TakesBulkResource(library: library, limits: configuration.limits).resources
      + CuesResource(broker: broker, library: library, limits: configuration.limits).resources
      + SharedObjectsResource(broker: broker, limits: configuration.limits).resources
      + SongsResource(library: library, limits: configuration.limits).resources
      + SessionsResource(index: index).resources
      + ParticipantsResource(library: library, limits: configuration.limits).resources
      + TakeCommandsResource(
        broker: broker, index: index, quotas: quotas, limits: configuration.limits
      ).resources
      + TakeFilesResource(index: index, recordings: configuration.recordings).resources
      + RTPInputsResource(broker: broker, limits: configuration.limits).resources
      + ExportsResource(
        exports: exports, quotas: quotas, usage: broker.usage, index: index, recordings: configuration.recordings,
        limits: configuration.limits
      ).resources
      + BackupsResource(
        backups: backups, quotas: quotas, usage: broker.usage, limits: configuration.limits
      ).resources
      + RevocationsResource(broker: broker, limits: configuration.limits).resources
      + EventsResource(
        feed: broker.events, revocations: broker.revocations, quotas: quotas, limits: configuration.limits
      ).resources
      + MetricsResource(
        broker: broker, metrics: metrics, sessions: sessions, webhooks: webhooks, doors: doors,
        places: turnstile.places, transcoders: transcoders, quotas: quotas
      ).resources
    for resource in resources { router.add(resource, guardedBy: rights) }
    return (router, probes + pages + mediaDoors + kurentoDoors + resources)
  }

  /// For TLS 1.2: forward secrecy and authenticated encryption (RFC 9325 section 4.2). Those of TLS 1.3 all are so.
  private static let ciphers: [NIOTLSCipher] = [
    .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
    .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
    .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
  ]

  private static func tls(_ files: ServerConfiguration.TLSFiles) throws(ConfigurationProblem) -> TLSConfiguration {
    do {
      let chain = try NIOSSLCertificate.fromPEMFile(files.certificate)
      let key = try NIOSSLPrivateKey(file: files.key, format: .pem)
      var configuration = TLSConfiguration.makeServerConfiguration(
        certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
      configuration.minimumTLSVersion = .tlsv12
      configuration.cipherSuiteValues = Assembly.ciphers
      configuration.applicationProtocols = ["http/1.1"]
      // A client that does not say goodbye (RFC 8446 section 6.1) holds up neither its end nor ours.
      configuration.shutdownTimeout = .seconds(1)
      return configuration
    } catch {
      throw ConfigurationProblem(
        "the certificate \(files.certificate) with the key \(files.key) cannot be used (\(error)); both must be PEM files "
          + "that this user may read, the chain in the first, its private key in the second")
    }
  }
}
