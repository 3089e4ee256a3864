import Foundation
import Hummingbird
import HummingbirdCore
import HummingbirdTLS
import Library
import Logging
import Music
import NIOCore
import Rooms
import ServiceLifecycle

/// Assembles the service's public side: routes, signaling links, keys, and the listening server.
///
/// As a `Service` it listens until the graceful shutdown. Give it to the `ServiceGroup` *before* the broker: services
/// stop in reverse order, so the rooms end their takes and close their links while the server still responds.
package struct Assembly: NamedService {
  /// Where it listens.
  private let host: String
  private let port: Int
  private let application: any ApplicationProtocol & Sendable
  private let sessions: MediaSessions
  /// Every path served, for the test that compares it with the OpenAPI document.
  let resources: [Resource]
  /// What is answered before the router, for the test that compares both.
  let prompt: PromptTakes

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
      counts: Counter(WebhookCounts()), logger: logger)
    let objects = configuration.objects.map {
      Objects(
        $0, index: broker.index, root: configuration.recordings, feed: broker.events,
        reserve: configuration.backups.reserve, logger: logger)
    }
    let jobs = JobRunner(
      program: broker.configuration.workerProgram, template: broker.template, root: configuration.recordings,
      objects: objects)
    let software = broker.configuration.software
    let exports = Exports(
      configuration.exports, index: broker.index, jobs: jobs, software: software, feed: broker.events,
      ledger: broker.ledger, logger: logger)
    let backups = Backups(
      configuration.backups, index: broker.index, jobs: jobs, software: software, feed: broker.events,
      refinements: broker.refinements, ledger: broker.ledger, logger: logger)
    await backups.load()
    await exports.load()
    let imports = Imports(
      configuration.imports, library: broker.library, jobs: jobs, reserve: configuration.backups.reserve,
      software: software, ledger: broker.ledger, logger: logger)
    await imports.load()
    let listening = ListeningRoad(
      index: broker.index, jobs: jobs, reserve: configuration.backups.reserve, software: software,
      isAhead: configuration.listensAhead, feed: broker.events, refinements: broker.refinements, logger: logger)
    let backings = Backings(
      broker: broker, jobs: jobs, reserve: configuration.backups.reserve, logger: logger)
    await backings.load()
    let places = Assembly.places(configuration, logger: logger)
    let transcoders = Transcoders(
      limit: configuration.limits.transcoders, perConnection: configuration.limits.transcodersPerConnection,
      program: broker.configuration.workerProgram)
    let gatekeeper = Gatekeeper(keys: configuration.keys) { [revocations = broker.revocations] in
      revocations.revokes($0)
    }
    let turnstile = Turnstile(
      gatekeeper: gatekeeper, quotas: Quotas(configuration.limits.quotas, proxies: configuration.proxies),
      places: places, proxies: configuration.proxies)
    let route = OutwardRoute(
      allowsPrivate: configuration.webhooks.allowsPrivate, trust: configuration.webhooks.trust, resolver: resolver)
    let methods = ApplicationMethods(
      configuration.methods, sender: MethodSender(route, agent: software), logger: logger)
    let bots = try BotDesk(
      recordings: configuration.recordings,
      services: BotServices(
        broker: broker, route: route, transcoders: transcoders, software: software, logger: logger))
    let encoders = AACBroadcasts(transcoders)
    let doors = try Doors(
      DoorMeans(
        broker: broker, turnstile: turnstile, application: methods, configuration: configuration, jobs: jobs,
        webhooks: webhooks, backings: backings, encoders: encoders, route: route, logger: logger))
    await doors.load()
    let connections = RTMPConnections(totals: broker.traffic)
    let doctor = Doctor(program: broker.configuration.workerProgram, order: configuration.doctor, logger: logger)
    // One for both ways, so that what it remembers of files is there once.
    let takes = TakesResource(
      library: broker.library, objects: objects, quotas: turnstile.quotas, limits: configuration.limits)
    let (router, resources) = Assembly.router(
      configuration, broker: broker, takes: takes, turnstile: turnstile, metrics: metrics,
      sessions: sessions, webhooks: webhooks.counts, exports: exports, backups: backups, backings: backings,
      imports: imports, listening: listening, doors: doors, application: methods, bots: bots, transcoders: transcoders,
      connections: connections, objects: objects, doctor: doctor,
      invitations: try Invitations(recordings: configuration.recordings, revocations: broker.revocations),
      logger: logger)
    self.resources = resources
    let prompt = PromptTakes(
      takes: takes, turnstile: turnstile, origins: configuration.originPolicy,
      log: AccessLog(metrics: metrics, logger: logger), isSecure: configuration.tls != nil)
    self.prompt = prompt
    let plain = HTTPServerBuilder { responder in
      HTTPOrWebSocketChannel(
        responder: responder, limits: configuration.limits, isSecure: configuration.tls != nil,
        quotas: turnstile.quotas, places: places,
        origins: configuration.originPolicy, prompt: prompt, ledger: broker.ledger
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
          application: methods, transcoders: transcoders, broadcasts: encoders,
          connections: connections, refusals: RefusalLog(logger), logger: logger),
        places: places, onListening: onRTMP)
    }
    let further: [(any Service)?] = [rtmp, objects]
    var quiet = logger
    // Hummingbird logs addresses at info; this service logs the relevant ones itself.
    quiet.logLevel = max(logger.logLevel, .notice)
    self.sessions = sessions
    (host, port) = (configuration.host, configuration.port)
    application = Application(
      responder: FormerPaths(next: router.buildResponder()), server: server,
      configuration: ApplicationConfiguration(
        address: .hostname(configuration.host, port: configuration.port), serverName: PromptTakes.serverName),
      services: [sessions, webhooks, methods, exports, backups, backings, imports, listening, bots, doctor]
        + doors.services + further.compactMap(\.self),
      onServerRunning: { channel in
        let port = channel.localAddress?.port ?? configuration.port
        let gated: Void? = try? await channel.eventLoop.submit {
          // In front of Hummingbird's handlers: it sees errors first and reads last.
          try channel.pipeline.syncOperations.addHandler(ConnectionGate(places: places), position: .first)
        }.get()
        if gated == nil { logger.error("connections are not counted: the listener has closed") }
        doctor.listens(on: port)
        logger.info("listening", metadata: ["port": "\(port)", "tls": "\(configuration.tls != nil)"])
        await onListening(port)
      },
      logger: quiet)
  }

  /// Listens until the graceful shutdown.
  /// - Throws: `ListeningProblem` if the port is taken or the address is not ours.
  package func run() async throws {
    do {
      try await application.run()
    } catch let error as IOError {
      throw ListeningProblem(host: host, port: port, option: "--port", code: error.errnoCode)
    }
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
      strangersPerAddress: configuration.limits.strangersPerAddress, proxies: configuration.proxies, logger: logger)
  }
}
