import Client
import Logging
import Machines
import Music
import Recording
import Rooms
import Signaling

/// One bot: goes where its wish says, gives everybody who is heard there a seat here, and comes back after every loss.
actor Bot {
  /// What happens during a visit.
  enum Signal: Sendable {
    case opened
    case input(GuestInput)
    case tick
    case ended(GuestFault)
    case seat(GuestKey, number: Int, RoomEvent)
    case seatEnded(GuestKey, number: Int)
  }

  /// What others see of a bot.
  struct Report: Sendable, Hashable {
    var wish: BotWish
    var state: BotState
    /// Why, in a sentence; nil if the state says it all.
    var detail: String?
    var since: WallTime
    /// Attempts to join since the bot was made.
    var attempts: Int
    var guests: [Guest]
    /// The present or the next time of a bot with a schedule.
    var window: Schedule.Window?

    /// Somebody with a seat here.
    struct Guest: Sendable, Hashable {
      var name: DisplayName
      var participant: ParticipantID
      /// True while packets can arrive.
      var isUp: Bool
    }
  }

  /// Most events of a visit that may wait.
  static let backlog = 4_096
  /// Time without a musician after which a bot that does not stay leaves.
  static let patience = MonotonicTime.Span.seconds(10)

  nonisolated let wish: BotWish
  let services: BotServices
  var logger: Logger
  var seats: [GuestKey: GuestSeat] = [:]
  /// The seats whose connection was lost, by name.
  var kept: [DisplayName: GuestSeat] = [:]
  /// Those who do not want to be recorded.
  var silent: Set<DisplayName>
  /// Those whom somebody has removed from the room here.
  var barred: Set<GuestKey> = []
  var seatCount = 0
  /// What the room's chat may ask for; for all visits together.
  var chat = ChatDesk()
  private var state = BotState.ready
  private var detail: String?
  private var since = MonotonicClock.wall
  private(set) var attempts = 0
  private var lastReport: Report?
  private var isSentAway = false
  /// When the present stay has to end.
  private var until: WallTime?
  private var window: Schedule.Window?
  /// Seats that had been given before the present stay.
  private var seatsBefore = 0
  var isJoined = false
  /// Why the last guest got no seat.
  var refusal: RoomRefusal?
  /// Until when nobody new is brought to the room here, because it had no place.
  var fullUntil: MonotonicTime?
  /// How many newcomers are given a seat: a server whose musicians come and go all the time does not fill the room's
  /// journal and events.
  var newcomers = RateLimit(perSecond: 1, burst: 16)
  /// Since when nobody is heard; nil before somebody was, and while somebody is.
  private var emptySince: MonotonicTime?
  private(set) var signals: AsyncStream<Signal>.Continuation?
  /// Brings the sound of a stream into the room.
  var feeding: Task<Void, Never>?
  private let onChange: @Sendable (Report) -> Void
  /// Writes down who does not want to be recorded.
  let onSilence: @Sendable (Set<DisplayName>) async throws -> Void

  init(
    _ wish: BotWish, services: BotServices, onChange: @escaping @Sendable (Report) -> Void,
    onSilence: @escaping @Sendable (Set<DisplayName>) async throws -> Void
  ) {
    self.wish = wish
    self.services = services
    self.onChange = onChange
    self.onSilence = onSilence
    silent = wish.silent
    logger = services.logger
    logger[metadataKey: "bot"] = "\(wish.id)"
    logger[metadataKey: "room"] = "\(wish.room)"
  }

  var report: Report {
    Report(
      wish: wish, state: state, detail: detail, since: since, attempts: attempts,
      guests: seats.values.sorted { $0.number < $1.number }.map {
        Report.Guest(name: $0.name, participant: $0.membership.participant, isUp: $0.isUp)
      }, window: window)
  }

  // MARK: Life

  /// Visits until the wish is fulfilled or taken back.
  func run() async {
    if let schedule = wish.schedule {
      var now = MonotonicClock.wall
      while !isSentAway, !Task.isCancelled, let next = schedule.window(after: now, .system) {
        window = next
        await stay(from: next.from, to: next.to)
        // A bot that has left before the end of its time comes the next time.
        now = max(MonotonicClock.wall, next.to)
      }
    } else {
      await stay(from: wish.from, to: wish.to)
    }
    become(.ended)
  }

  /// Visits, again after every loss, until the last musician has left for good or the time is over.
  private func stay(from: WallTime?, to: WallTime?) async {
    var pace = BotPace()
    (until, emptySince, seatsBefore) = (to, nil, seatCount)
    if let from {
      become(.ready, "comes at \(from)")
      await pause { MonotonicClock.wall >= from }
    }
    while !isOver {
      attempts &+= 1
      become(.joining)
      let began = MonotonicClock.now
      let fault = wish.address.redacted(await visit())
      isJoined = false
      if MonotonicClock.now - began >= BotPace.success { pace.succeeded() }
      // A bot that leaves for good gives the seats back at once, so that the take ends.
      guard fault.kind != .left, !isOver else { break }
      for key in seats.keys { lose(key) }
      logger.notice("the bot is not in its room", metadata: ["reason": "\(fault)", "attempt": "\(attempts)"])
      switch fault.kind {
      case .full: become(.full, fault.description)
      case .empty: become(.waiting, fault.description)
      default: become(.rejoining, fault.description)
      }
      let due =
        MonotonicClock.now
        + .milliseconds(
          Int64(saturating: pace.pause(after: fault.kind, chance: .random(in: 0..<1)) * 1_000))
      await pause { MonotonicClock.now >= due }
    }
    await leaveAll()
  }

  /// Sends the bot away: it says goodbye, and `run` returns soon.
  func leave() {
    guard !isSentAway else { return }
    isSentAway = true
    become(.leaving)
    signals?.yield(.input(.leave))
  }

  var isOver: Bool {
    isSentAway || Task.isCancelled || until.map { MonotonicClock.wall >= $0 } ?? false
  }

  /// How often a pause looks whether it is over.
  private static let look = Duration.milliseconds(200)

  private func pause(until isDue: () -> Bool) async {
    while !isOver, !isDue() { try? await Task.sleep(for: Bot.look) }
  }

  private func visit() async -> GuestFault {
    let address: String
    do throws(GuestFault) {
      address = try await services.address(of: wish, attempt: attempts)
    } catch {
      return error
    }
    let endpoint = wish.address.endpoint(at: address, trust: services.route.trust)
    let there = wish.address
    let isJanus = there.kind == .janus || there.kind == .audiobridge
    let link = TextLink(endpoint: endpoint, target: there.target, subprotocol: isJanus ? "janus-protocol" : nil)
    let polls = JanusPolls(
      endpoint: endpoint, room: there, route: services.route, agent: services.software, limits: link.limits)
    let janus: any BotLink = there.isPolled ? polls : link
    switch there.kind {
    case .whep: return await hear(at: address)
    case .jamjar:
      return await converse(
        NativeGuests(name: wish.name, token: there.token, limits: link.limits), over: link)
    case .kurento:
      guard let room = RoomName(there.room) else { return GuestFault(.refused, "the room has no name") }
      return await converse(
        KurentoGuests(room: room, name: wish.name, token: there.token, limits: link.limits), over: link)
    case .janus: return await converse(JanusVideoRoom(janusRoom(.videoRoom), limits: link.limits), over: janus)
    case .audiobridge:
      return await converse(
        JanusAudioBridge(janusRoom(.audioBridge), name: "mix of \(there.room)", limits: link.limits), over: janus)
    case .xirsys: return await meet(at: address)
    case .rtmp, .rtsp, .srt, .hls, .icecast: return await receive(at: address)
    }
  }

  private func janusRoom(_ plugin: JanusRoom.Plugin) -> JanusRoom {
    JanusRoom(
      plugin, room: wish.address.room, display: wish.name.description, pin: wish.address.pin,
      token: wish.address.token, secret: wish.address.secret)
  }

  // MARK: State

  func become(_ state: BotState, _ detail: String? = nil) {
    if state != self.state { since = MonotonicClock.wall }
    (self.state, self.detail) = (state, detail)
    let report = report
    guard report != lastReport else { return }
    lastReport = report
    onChange(report)
  }

  /// Derives the state of a visit from the seats.
  func settle() {
    guard !isSentAway else { return become(.leaving) }
    guard isJoined else { return become(.joining) }
    let now = MonotonicClock.now
    if seats.isEmpty { emptySince = emptySince ?? (hasHeard ? now : nil) } else { emptySince = nil }
    if seats.values.contains(where: \.isUp) { return become(.recording, refusal?.description) }
    if let first = seats.values.min(by: { $0.number < $1.number }) { return become(.connecting, "to \(first.name)") }
    guard let refusal else { return become(.waiting) }
    become(refusal.code == .roomFull ? .full : .waiting, refusal.description)
  }

  private var hasHeard: Bool { seatCount > seatsBefore }

  /// Whether the visit has to end: the time is over, or the last musician is gone and the bot does not stay.
  func isFulfilled(at now: MonotonicTime) -> Bool {
    if let until, MonotonicClock.wall >= until { return true }
    guard !wish.stays, let emptySince else { return false }
    return now - emptySince >= Bot.patience
  }

  /// Begins the events of a visit.
  func openSignals() -> AsyncStream<Signal> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: Signal.self, bufferingPolicy: .bufferingOldest(Bot.backlog))
    signals = continuation
    // The bot may have been sent away a moment ago.
    if isSentAway { continuation.yield(.input(.leave)) }
    return stream
  }

  func closeSignals() {
    signals?.finish()
    signals = nil
  }
}
