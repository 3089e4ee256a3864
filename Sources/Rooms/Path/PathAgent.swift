import CLinux
import CNice
import Glibc
import Machines
import Realtime
import Recording

/// One libnice ICE agent with one component: the path to one peer.
///
/// Created, called and closed on its loop's thread only; its callbacks run there too.
final class PathAgent {
  /// Longest datagram received; media and DTLS stay far below (RFC 8261 advises 1200).
  static let maximumDatagram = 2048
  static let component: guint = 1

  private let loop: MediaLoop
  let isControlling: Bool
  /// See `ICEConfiguration`.
  private let publicAddress: String?
  let context: MainContext
  let agent: OpaquePointer
  let stream: guint
  private(set) var isClosed = false
  /// libnice's signals refer to this object without retaining it; `retained` does.
  private var retained: Unmanaged<PathAgent>?

  /// The socket and address of the selected pair, if datagrams can be sent there directly.
  private(set) var direct: SelectedSocket? {
    didSet { if let direct { context.selected = direct.descriptor } }
  }
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: maximumDatagram, alignment: 16)

  /// The peer's credentials; nil before they are known.
  var remoteCredentials: NegotiatedSession.ICECredentials?
  /// Decides about the remote candidates.
  var screen: CandidateScreen
  private(set) var localCandidates: [String] = []
  private(set) var isGathered = false
  private(set) var state = PathState.connecting

  /// Receives a datagram, the current time and the arrival time.
  var onDatagram: (UnsafeRawBufferPointer, MonotonicTime, MonotonicTime) -> Void = { _, _, _ in }
  private var arrivals = ArrivalClocks()
  /// Round trips by checks of our own; none before they are started.
  var checks = PathChecks()
  /// Receives the round trip of a check, and when its answer arrived.
  var onRoundTrip: (MonotonicTime.Span, MonotonicTime) -> Void = { _, _ in }
  var onState: (PathState) -> Void = { _ in }
  var onCandidate: (String) -> Void = { _ in }
  var onGathered: () -> Void = {}
  /// Receives the reason for each remote candidate that is refused.
  var onRefusal: (CandidatePolicy.Objection) -> Void = { _ in }

  /// Creates an agent and its stream, without gathering yet.
  /// - Throws: `PathError` if libnice refuses.
  init(loop: MediaLoop, configuration: ICEConfiguration, isControlling: Bool) throws(PathError) {
    self.loop = loop
    self.isControlling = isControlling
    publicAddress = configuration.publicAddress
    screen = CandidateScreen(configuration.candidatePolicy)
    context = MainContext(loop: loop)
    let flags = NiceAgentOption(
      rawValue: NICE_AGENT_OPTION_ICE_TRICKLE.rawValue | NICE_AGENT_OPTION_REGULAR_NOMINATION.rawValue
        | NICE_AGENT_OPTION_CONSENT_FRESHNESS.rawValue)
    guard let agent = nice_agent_new_full(context.pointer, NICE_COMPATIBILITY_RFC5245, flags) else {
      throw PathError("libnice created no agent")
    }
    self.agent = agent
    cnice_configure(agent, isControlling ? 1 : 0)
    stream = nice_agent_add_stream(agent, 1)
    guard stream > 0 else { throw PathError("libnice created no stream") }
    if let ports = configuration.ports {
      nice_agent_set_port_range(
        agent, stream, PathAgent.component, guint(ports.lowerBound), guint(ports.upperBound))
    }
    for text in configuration.gatheredAddresses {
      var address = NiceAddress()
      nice_address_init(&address)
      guard nice_address_set_from_string(&address, text) != 0 else {
        throw PathError("\"\(text)\" is not an IP address to gather candidates on")
      }
      nice_agent_add_local_address(agent, &address)
    }
    if let reflector = configuration.reflector {
      cnice_set_stun_server(agent, reflector.address, guint(reflector.port))
    }
    for relay in configuration.relays {
      let type: NiceRelayType =
        switch relay.transport {
        case .udp: NICE_RELAY_TYPE_TURN_UDP
        case .tcp: NICE_RELAY_TYPE_TURN_TCP
        case .tls: NICE_RELAY_TYPE_TURN_TLS
        }
      let own = relay.credentials(for: ICEConfiguration.ownUser, at: MonotonicClock.wall)
      nice_agent_set_relay_info(
        agent, stream, PathAgent.component, relay.address, guint(relay.port), own.username, own.password, type)
    }
    context.intercept = { [unowned self] in readDirectly($0) }
    connectSignals()
  }

  // MARK: Our side

  /// Our ICE credentials, as in our description.
  var localCredentials: NegotiatedSession.ICECredentials? {
    var fragment: UnsafeMutablePointer<gchar>?
    var password: UnsafeMutablePointer<gchar>?
    guard nice_agent_get_local_credentials(agent, stream, &fragment, &password) != 0, let fragment, let password else {
      return nil
    }
    defer {
      g_free(fragment)
      g_free(password)
    }
    return .init(usernameFragment: String(cString: fragment), password: String(cString: password))
  }

  /// Starts gathering; host candidates are available when this returns.
  /// - Throws: `PathError` if no port can be bound.
  func gather() throws(PathError) {
    guard nice_agent_gather_candidates(agent, stream) != 0 else {
      throw PathError("no UDP port could be bound for media; the port range may be used up")
    }
    context.refresh()
  }

  /// Creates new credentials for an ICE restart (RFC 8839 §4.4.1.1.1); sockets, DTLS and SRTP are kept.
  func restart() {
    screen.restart()
    nice_agent_restart_stream(agent, stream)
    context.refresh()
  }

  // MARK: Datagrams

  /// Sends one datagram on the selected pair.
  /// - Returns: false if it was not sent (no pair, buffer full); UDP is lossy, and the layers above retransmit.
  @discardableResult
  func send(_ datagram: UnsafeRawBufferPointer) -> Bool {
    guard !isClosed else { return false }
    if let direct { return direct.send(datagram) }
    let sent = nice_agent_send(
      agent, stream, PathAgent.component, guint(datagram.count),
      datagram.baseAddress?.assumingMemoryBound(to: gchar.self))
    return Int(sent) == datagram.count
  }

  /// Reads a media or DTLS datagram from a socket before GLib does: only STUN needs libnice, and its path through
  /// GLib costs several times as much as the packet itself.
  ///
  /// DTLS is taken from the other end of the selected pair only: a stranger's alert would end the handshake. SRTP proves
  /// itself, so a musician whose NAT changes the port, or whose browser goes to another pair, loses nothing until the next
  /// check. libnice drops datagrams whose source no connectivity check has proved.
  private func readDirectly(_ descriptor: Int32) -> MonotonicTime? {
    guard let base = scratch.baseAddress else { return nil }
    var first: UInt8 = 0
    guard recv(descriptor, &first, 1, Int32(MSG_DONTWAIT) | Int32(MSG_PEEK)) == 1 else { return nil }
    // RFC 7983: 0...3 is STUN, 20...63 DTLS, 64...79 TURN channels, 128...191 SRTP.
    switch first {
    case 0...3 where isAnswerToUs(descriptor): break
    case 0...19, 64...79: return nil
    case 20...63:
      guard let direct, direct.descriptor == descriptor, direct.isNextFromOtherEnd() else { return nil }
    default: break
    }
    var stamp: Int64 = 0
    let count = jamjar_receive(descriptor, base, PathAgent.maximumDatagram, nil, nil, &stamp)
    guard count > 0 else { return MonotonicClock.now }
    let reading = MonotonicClock.reading
    let arrival = arrivals.arrival(on: descriptor, stamp: stamp, reading: reading)
    let datagram = UnsafeRawBufferPointer(start: base, count: count)
    if first <= 3 { checked(by: datagram, arrival: arrival) } else { onDatagram(datagram, reading.monotonic, arrival) }
    return arrival
  }

  fileprivate func received(_ buffer: UnsafeMutablePointer<gchar>?, count: guint) {
    guard !isClosed, let buffer else { return }
    // libnice takes datagrams off a socket one by one: the newest stamp is this one's.
    let stamp = context.reading.map(jamjar_last_stamp) ?? 0
    let reading = MonotonicClock.reading
    let arrival = arrivals.arrival(on: context.reading, stamp: stamp, reading: reading)
    let datagram = UnsafeRawBufferPointer(start: buffer, count: Int(count))
    if isAnswerToUs(datagram) {
      checked(by: datagram, arrival: arrival)
    } else {
      onDatagram(datagram, reading.monotonic, arrival)
    }
  }

  // MARK: Signals

  private func connectSignals() {
    let retained = Unmanaged.passRetained(self)
    self.retained = retained
    cnice_connect(
      agent,
      { _, _, user in PathAgent.from(user)?.gatheringDone() },
      { _, _, _, state, user in PathAgent.from(user)?.stateChanged(to: state) },
      { _, candidate, user in PathAgent.from(user)?.found(candidate) },
      { _, _, _, _, _, user in PathAgent.from(user)?.selectedPairChanged() },
      retained.toOpaque())
    nice_agent_attach_recv(
      agent, stream, PathAgent.component, context.pointer,
      { _, _, _, count, buffer, user in PathAgent.from(user)?.received(buffer, count: count) },
      retained.toOpaque())
  }

  private static func from(_ user: gpointer?) -> PathAgent? {
    user.map { Unmanaged<PathAgent>.fromOpaque($0).takeUnretainedValue() }
  }

  private func gatheringDone() {
    isGathered = true
    onGathered()
  }

  private func found(_ candidate: UnsafeMutablePointer<NiceCandidate>?) {
    guard let candidate, let text = nice_agent_generate_local_candidate_sdp(agent, candidate) else { return }
    defer { g_free(text) }
    var line = String(cString: text)
    if line.hasPrefix("a=") { line.removeFirst(2) }
    announce(line)
    if let publicAddress, let outer = (try? ICECandidate(parsing: line))?.reached(at: publicAddress) {
      announce(outer.description)
    }
  }

  private func announce(_ candidate: String) {
    localCandidates.append(candidate)
    onCandidate(candidate)
  }

  private func stateChanged(to raw: guint) {
    guard !isClosed else { return }
    let next: PathState
    switch raw {
    case NICE_COMPONENT_STATE_FAILED.rawValue where state == .connected && context.isLate:
      // By the time that we stood still. libnice is in the middle of its own work.
      context.afterwards = { [unowned self] in recheck() }
      next = .connecting
    case NICE_COMPONENT_STATE_CONNECTED.rawValue, NICE_COMPONENT_STATE_READY.rawValue: next = .connected
    case NICE_COMPONENT_STATE_FAILED.rawValue: next = .lost
    default: next = state == .lost ? .lost : .connecting
    }
    if next == .connected { selectedPairChanged() } else if next == .lost { direct = nil }
    guard next != state else { return }
    state = next
    onState(next)
  }

  /// Determines socket and address of the selected pair, unless it uses a relay.
  private func selectedPairChanged() {
    direct = nil
    var local: UnsafeMutablePointer<NiceCandidate>?
    var remote: UnsafeMutablePointer<NiceCandidate>?
    guard nice_agent_get_selected_pair(agent, stream, PathAgent.component, &local, &remote) != 0, let local, let remote,
      local.pointee.type != NICE_CANDIDATE_TYPE_RELAYED, local.pointee.transport == NICE_CANDIDATE_TRANSPORT_UDP
    else { return }
    let descriptor = cnice_socket_descriptor(agent, stream, PathAgent.component)
    guard descriptor >= 0 else { return }
    direct = SelectedSocket(descriptor: descriptor, remote: &remote.pointee.addr)
  }

  /// Closes the agent; no callbacks follow. The order required by libnice: receive callback, signals, stream, agent.
  func close() {
    guard !isClosed else { return }
    isClosed = true
    direct = nil
    onDatagram = { _, _, _ in }
    onState = { _ in }
    onCandidate = { _ in }
    onGathered = {}
    onRefusal = { _ in }
    onRoundTrip = { _, _ in }
    nice_agent_attach_recv(agent, stream, PathAgent.component, context.pointer, nil, nil)
    if let retained { cnice_disconnect(agent, retained.toOpaque()) }
    nice_agent_remove_stream(agent, stream)
    context.close()
    cnice_unref(UnsafeMutableRawPointer(agent))
    retained?.release()
    retained = nil
  }

  deinit {
    scratch.deallocate()
  }
}
