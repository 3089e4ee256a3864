import Client
import Foundation
import Glibc
import Machines
import Music
import Realtime
import Recording
import Rooms
import Server
import Signaling

/// Everything that the doctor looks at, in the order in which a musician would meet it.
struct Examination {
  let settings: Settings
  /// The address that others are given, if it is known.
  let address: ServerAddress?
  /// The time server.
  let clock: HostAndPort
  /// Path of a PEM file of certificates that are trusted too.
  let trust: String?

  /// Debian's part of the NTP pool.
  static let timeServer = "2.debian.pool.ntp.org"
  /// IANA's port of NTP.
  private static let timePort: UInt16 = 123

  /// The time server of a setting, HOST[:PORT]; nil if it is none.
  static func clock(_ text: String?) -> HostAndPort? { HostAndPort(text ?? timeServer, defaultPort: timePort) }

  private var own: [IPAddress] { InterfaceAddresses.networks.map(\.address) }
  private var ice: ICEConfiguration { settings.rooms.ice }

  /// The names by which others call the service.
  private var names: [String] {
    if let address { return [address.endpoint.host] }
    return settings.server.hostNames
  }

  /// Looks at everything, and tells each finding at once.
  func run(_ tell: (Finding) -> Void) async {
    let isRunning = await ports(tell)
    tell(
      PageCheck.finding(
        hasTLS: settings.server.tls != nil, isLoopback: settings.server.isLoopback, url: address?.place))
    await certificates(tell)
    let seen = network(tell)
    var outcome: ReachCheck.Outcome?
    if let address { outcome = await reach(address) }
    for name in names where IPAddress(parsing: name) == nil {
      tell(
        NameCheck.finding(
          name, leadsTo: ProbeSocket.addresses(of: name), own: own, seen: seen, isAnswered: outcome == .jamjar))
    }
    if let address, let outcome { tell(ReachCheck.finding(outcome, url: address.place, isRunning: isRunning)) }
    let server = clock.host
    tell(ClockCheck.finding(ahead: MachineProbe.ahead(of: server, port: clock.port), of: server))
    let folder = settings.server.recordings
    for finding in DiskCheck.findings(
      MachineProbe.disk(folder), folder: folder, capacity: settings.rooms.policy.capacity)
    {
      tell(finding)
    }
    tell(MachineCheck.descriptors(DescriptorLimit.highest))
    let times = MachineProbe.loopback()
    tell(MachineCheck.loopback(median: times?.median, worst: times?.worst))
  }

  // MARK: The service itself

  /// - Returns: true if the service answers on its port.
  private func ports(_ tell: (Finding) -> Void) async -> Bool {
    let (host, port) = (settings.server.host, settings.server.port)
    // The system will choose a free one.
    guard port != 0 else { return false }
    let state = await state(of: port, option: "--port", isHTTP: true)
    tell(PortCheck.finding(state, what: "HTTP", host: host, port: port))
    // A running service has the port of RTMP itself.
    if let rtmp = settings.server.rtmp, state != .jamjar {
      let state = await self.state(of: rtmp.number, option: "--rtmp-port", isHTTP: false)
      tell(PortCheck.finding(state, what: "RTMP", host: host, port: rtmp.number, isOptional: rtmp.isDefault))
    }
    return state == .jamjar
  }

  private func state(of port: Int, option: String, isHTTP: Bool) async -> PortCheck.State {
    let host = settings.server.host
    do throws(ProbeSocket.Failure) {
      _ = try ProbeSocket(.tcp, on: host, port: UInt16(clamping: port))
      return .free
    } catch {
      if isHTTP, error.code == EADDRINUSE, await answer(of: local) == .jamjar { return .jamjar }
      return .problem(ListeningProblem(host: host, port: port, option: option, code: error.code))
    }
  }

  /// The service's own port on this machine.
  private var local: ServiceEndpoint {
    let host = settings.server.host
    let near = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
    var endpoint = ServiceEndpoint(host: near, port: settings.server.port, isSecure: settings.server.tls != nil)
    // Its certificate is looked at on its own.
    endpoint.isUnverified = true
    return endpoint
  }

  private func reach(_ address: ServerAddress) async -> ReachCheck.Outcome {
    var endpoint = address.endpoint
    endpoint.isUnverified = true
    return await answer(of: endpoint)
  }

  private func answer(of endpoint: ServiceEndpoint) async -> ReachCheck.Outcome {
    do {
      let health = try await RESTClient(endpoint: endpoint).get("/healthz")
      return health.object?["status"]?.string == "ok" ? .jamjar : .otherProgram
    } catch let failure as RESTFailure {
      // Our own refusals have a code; a proxy's or another program's have not.
      guard failure.code != "http" else { return .otherProgram }
      return failure.status == 403 ? .foreignName : .jamjar
    } catch is JSONError {
      return .otherProgram
    } catch {
      return .silence
    }
  }

  // MARK: Certificates

  private func certificates(_ tell: (Finding) -> Void) async {
    let now = MonotonicClock.wall
    var known: [UInt8]?
    if let files = settings.server.tls {
      if let problem = ServerCertificate.problem(certificate: files.certificate, key: files.key) {
        tell(
          Finding(
            .certificate, .failure, "\(files.certificate) with \(files.key): \(problem).",
            remedy:
              "Both must be PEM files that this user may read: the whole chain in the first, its private key in the "
              + "second."))
      } else if let chain = ServerCertificate.chain(inFile: files.certificate) {
        known = chain.first
        judge(chain, names, of: files.certificate, at: now, tell)
      }
    }
    guard let address, address.endpoint.isSecure else { return }
    switch await TLSProbe(address.endpoint).run() {
    case .certificates(let chain) where chain.first != known:
      judge(chain, [address.endpoint.host], of: address.place, at: now, tell)
      if known != nil {
        tell(
          Finding(
            .certificate, .warning, "\(address.place) shows another certificate than the one of the settings.",
            remedy: "Restart the service if that one is newer; otherwise something else answers there."))
      }
    case .noTLS:
      tell(
        Finding(
          .certificate, .failure, "\(address.place) answers without TLS.",
          remedy: "Give the service a certificate, have the proxy use one, or write http://."))
    // What does not answer at all is told where the address is asked.
    case .certificates, .silent: break
    }
  }

  private func judge(
    _ chain: [[UInt8]], _ names: [String], of place: String, at now: WallTime, _ tell: (Finding) -> Void
  ) {
    guard let certificate = chain.first.flatMap(ServerCertificate.init) else { return }
    var faults: [CertificateFault] = []
    for name in names.isEmpty ? [certificate.names.first ?? ""] : names {
      for fault in CertificateFault.all(of: chain, host: name, at: now, trust: trust) where !faults.contains(fault) {
        // Without a name of ours it cannot be the wrong one.
        if names.isEmpty, case .foreignName = fault { continue }
        faults.append(fault)
      }
    }
    for finding in CertificateCheck.findings(certificate, faults, of: place, at: now) { tell(finding) }
  }

  // MARK: The network

  /// - Returns: how the internet sees this machine, if that is known.
  private func network(_ tell: (Finding) -> Void) -> IPAddress? {
    let answer = mapped()
    let page = address?.endpoint.port ?? settings.server.port
    tell(AddressCheck.finding(answer, own: own, ports: ice.ports, page: page, announced: ice.publicAddress))
    var seen: IPAddress?
    if case .seen(let place, _, _) = answer, !place.address.isInside { seen = place.address }
    var isRelayed = false
    var place: RelayProbe.Place?
    for relay in ice.relays {
      let isShared = if case .timeLimited = relay.access { true } else { false }
      for (transport, word) in [(ProbeSocket.Transport.udp, "UDP"), (.tcp, "TCP")] {
        let (outcome, given) = RelayProbe(relay: relay, transport: transport).run()
        tell(RelayCheck.finding(outcome, url: relay.url, transport: word, isShared: isShared))
        guard let given else { continue }
        isRelayed = true
        place?.end()
        place = given
      }
    }
    if let finding = MediaCheck.width(of: ice.ports, capacity: settings.rooms.policy.capacity) { tell(finding) }
    defer { place?.end() }
    guard !settings.server.isLoopback || address != nil else { return seen }
    let (outcome, port) =
      place?.reach(ice.ports.map { $0.reversed() } ?? [0], own: own) ?? (
        .notTried("there is no TURN server to send one"), 0
      )
    tell(MediaCheck.finding(outcome, port: port, ports: ice.ports, relays: isRelayed))
    return seen
  }

  /// Asks the STUN server, or the first TURN server, which answers the same question.
  private func mapped() -> AddressCheck.Answer {
    let server =
      ice.reflector.map { ($0.address, $0.port) } ?? ice.relays.first.map { ($0.address, $0.port) }
    guard let (host, port) = server else { return .notAsked }
    let name = "\(host):\(port)"
    guard let client = try? STUNClient(.udp, host: host, port: port), let place = try? client.mappedAddress(),
      let from = client.socket.local?.address
    else { return .silent(server: name) }
    return .seen(place, from: from, server: name)
  }
}
