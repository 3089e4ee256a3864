import DequeModule
import Library
import Logging
import Machines
import Music
import Recording
import ServiceLifecycle
import Signaling
import Synchronization

/// Tells the operator's servers in Remote Monster's form that casts begin and end, and that recordings are finished.
///
/// What is told is in the spool of its address before anything else is: at least once, and in order for each address.
final class RemonHooks: NamedService {
  private struct News: Sendable {
    var service: String
    var query: String
    var time: WallTime
  }

  /// A cast, as its service knows it.
  struct Cast: Hashable, Sendable {
    var service: String
    /// The channel of a cast, or the participant in a conference, as viewers name it.
    var id: String
  }

  private struct State {
    /// How often each cast is there: a client that comes back may have its new seat before it gives up the old one.
    var casts: [Cast: Int] = [:]
    /// The services whose musicians were in a session, until its takes are forgotten.
    var services: [SessionID: Set<String>] = [:]
    var sessions: Deque<SessionID> = []
  }

  /// Sessions whose takes may still become ready; the oldest are forgotten.
  private static let mostSessions = 4_096
  /// Events that wait to be written down.
  private static let backlog = 10_000
  /// Events read from the feed at once.
  private static let batch = 64

  private let hooks: [RemonHook]
  private let index: any TakeIndex
  private let feed: EventFeed
  private let road: CallbackRoad
  private let news: AsyncStream<News>
  private let post: AsyncStream<News>.Continuation
  private let state = Mutex(State())

  init(_ hooks: [RemonHook], index: any TakeIndex, feed: EventFeed, road: CallbackRoad) {
    (self.hooks, self.index, self.feed, self.road) = (hooks, index, feed, road)
    (news, post) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(RemonHooks.backlog))
  }

  // MARK: What happens

  /// A musician of a service has a seat: the takes of that session are the service's.
  func note(_ session: SessionID?, of service: String) {
    guard let session, hooks.contains(where: { $0.service == service && $0.kind == .recording }) else { return }
    state.withLock { state in
      if state.services[session] == nil { state.sessions.append(session) }
      state.services[session, default: []].insert(service)
      guard state.sessions.count > RemonHooks.mostSessions, let oldest = state.sessions.popFirst() else { return }
      state.services[oldest] = nil
    }
  }

  func begin(_ cast: Cast) {
    let isFirst = state.withLock { state in
      state.casts[cast, default: 0] &+= 1
      return state.casts[cast] == 1
    }
    if isFirst { tell("create", cast) }
  }

  func end(_ cast: Cast) {
    let isLast = state.withLock { state in
      guard let count = state.casts[cast] else { return false }
      state.casts[cast] = count > 1 ? count &- 1 : nil
      return count == 1
    }
    if isLast { tell("close", cast) }
  }

  private func tell(_ action: String, _ cast: Cast) {
    guard hooks.contains(where: { $0.service == cast.service && $0.kind == .cast }) else { return }
    let query = "action=\(action)&chid=\(cast.id.percentEncoded)"
    let told = post.yield(News(service: cast.service, query: query, time: MonotonicClock.wall))
    guard case .dropped = told else { return }
    road.counts.add { $0.givenUp += 1 }
    road.logger.error("casts of Remote Monster changed faster than it could be written down for hooks; some are lost")
  }

  // MARK: Life

  func run() async throws {
    guard !hooks.isEmpty else {
      try? await gracefulShutdown()
      return
    }
    let reader = feed.subscribe()
    await withTaskGroup { group in
      for hook in hooks { group.addTask { await self.road.deliver(hook.line) } }
      // The rooms and the clients' sessions have ended before: what they said last is written down.
      await withGracefulShutdownHandler {
        async let casts: Void = tellCasts()
        await tellRecordings(reader)
        await casts
      } onGracefulShutdown: { [post] in
        post.finish()
        reader.end()
      }
      // What is not delivered now follows at the next start.
      group.cancelAll()
    }
  }

  private func tellCasts() async {
    for await told in news {
      for hook in hooks where hook.service == told.service && hook.kind == .cast {
        await road.add(WebhookDelivery(query: told.query, at: told.time), to: hook.line)
      }
    }
  }

  private func tellRecordings(_ reader: EventReader) async {
    var place: UInt64 = 0
    for await _ in reader.wakes { place = await tellRecordings(after: place) }
    _ = await tellRecordings(after: place)
  }

  private func tellRecordings(after start: UInt64) async -> UInt64 {
    var place = start
    while true {
      let reading = feed.read(after: place, limit: RemonHooks.batch)
      if reading.isBroken {
        road.logger.error("events came faster than they could be stored for hooks; recordings may be missing")
      }
      place = reading.place
      guard !reading.events.isEmpty else { return place }
      for event in reading.events.map(\.event) where [.takeReady, .takeIncomplete].contains(event.kind) {
        if case .take(let take) = event.content { await tell(take, at: event.time) }
      }
    }
  }

  private func tell(_ take: Take, at time: WallTime) async {
    let services = state.withLock { $0.services[take.session] ?? [] }
    let meant = hooks.filter { $0.kind == .recording && services.contains($0.service) }
    guard !meant.isEmpty else { return }
    let mix = try? await index.files(of: take.id).first { $0.role == "mix" }
    for hook in meant {
      var body: JSONObject = [
        "id": .string(take.room.description),
        "url": .string("\(hook.origin ?? "")/v1/takes/\(take.id)/mix"), "take": .string(take.id.description),
      ]
      if let length = take.length { body["duration"] = .measure(length.seconds) }
      if let mix { body["filesize"] = .integer(mix.size) }
      await road.add(WebhookDelivery(body, at: time), to: hook.line)
    }
  }
}
