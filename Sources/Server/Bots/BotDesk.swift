import Library
import Logging
import Machines
import Music
import Recording
import Rooms
import ServiceLifecycle
import Signaling
import Synchronization

/// The bots of a service: keeps their wishes on disk, resumes them at the start, and runs them.
final class BotDesk: NamedService {
  /// Most bots of a service: each is a connection that keeps coming back.
  static let maximum = 16

  private struct State {
    /// As on disk, or about to be.
    var wishes: [BotID: BotWish] = [:]
    var bots: [BotID: Bot] = [:]
    var reports: [BotID: Bot.Report] = [:]
  }

  private let services: BotServices
  private let recordings: String
  private let feed: EventFeed
  private let state = Mutex(State())
  /// One write at a time.
  private let errands = DiskErrands()
  /// Bots to run; a new one while the service runs.
  private let arrivals: AsyncStream<Bot>
  private let arriving: AsyncStream<Bot>.Continuation

  /// - Throws: `FileProblem` if the wishes cannot be read: a service that forgot them would not record.
  init(recordings: String, services: BotServices) throws {
    self.recordings = recordings
    self.services = services
    feed = services.broker.events
    (arrivals, arriving) = AsyncStream.makeStream()
    for wish in try BotDesk.kept(in: recordings) {
      state.withLock { $0.wishes[wish.id] = wish }
      add(wish)
    }
  }

  private static func kept(in root: String) throws -> [BotWish] {
    let folder: TakeFolder
    do throws(FileProblem) {
      folder = try TakeFolder(existing: BotFile.folder, in: root)
    } catch  where error.isMissing {
      return []
    }
    guard let file = try BotFile.read(BotFile.name, in: folder) else { return [] }
    return try file.wishes()
  }

  private func add(_ wish: BotWish) {
    let bot = Bot(
      wish, services: services, onChange: { [weak self] report in self?.note(report) },
      onSilence: { [weak self, id = wish.id] names in try await self?.keep(names, of: id) })
    state.withLock { state in
      state.bots[wish.id] = bot
      state.reports[wish.id] = Bot.Report(
        wish: wish, state: .ready, detail: nil, since: wish.createdAt, attempts: 0, guests: [])
    }
    arriving.yield(bot)
  }

  private func note(_ report: Bot.Report) {
    let isKnown = state.withLock { state in
      guard state.reports[report.wish.id] != nil else { return false }
      state.reports[report.wish.id] = report
      return true
    }
    guard isKnown || report.state == .ended else { return }
    feed.publish(.botChanged, room: report.wish.room, .members(["bot": .object(Representation.bot(report))]))
  }

  // MARK: Life

  /// Runs the bots until the shutdown; their wishes remain.
  func run() async throws {
    await withGracefulShutdownHandler {
      await withDiscardingTaskGroup { group in
        for await bot in arrivals {
          group.addTask {
            await self.ready()
            await bot.run()
            await self.finished(bot)
          }
        }
      }
    } onGracefulShutdown: {
      self.arriving.finish()
      for bot in self.state.withLock({ Array($0.bots.values) }) {
        // The wish stays; only the visit ends.
        Task { await bot.leave() }
      }
    }
  }

  /// Rooms open once the takes of an earlier process have been found.
  private func ready() async {
    while !services.broker.isReady, !Task.isShuttingDownGracefully { try? await Task.sleep(for: .milliseconds(50)) }
  }

  /// A wish that is fulfilled is forgotten; one that the shutdown interrupted is not.
  private func finished(_ bot: Bot) async {
    guard !Task.isShuttingDownGracefully else { return }
    _ = try? await remove(bot.wish.id)
  }

  // MARK: Requests

  var reports: [Bot.Report] {
    state.withLock { $0.reports.values.sorted { $0.wish.id < $1.wish.id } }
  }

  func report(_ id: BotID) -> Bot.Report? { state.withLock { $0.reports[id] } }

  /// Makes a bot, or returns the one that has the same wish. A wish for the same place with other secrets, times or
  /// another name takes the place of the former.
  /// - Throws: `RoomRefusal` `.tooMany`, `FileProblem` if it cannot be written down; nothing has changed then.
  func make(_ wish: BotWish) async throws -> (report: Bot.Report, isNew: Bool) {
    let (same, former, isFull) = state.withLock { state -> (BotID?, BotWish?, Bool) in
      let former = state.wishes.values.first { $0.isSamePlace(as: wish) }
      if let former, former.isSame(as: wish) { return (former.id, nil, false) }
      guard former != nil || state.wishes.count < BotDesk.maximum else { return (nil, nil, true) }
      var next = wish
      if let former {
        next.silent = former.silent
        state.wishes[former.id] = nil
      }
      state.wishes[wish.id] = next
      return (nil, former, false)
    }
    if let same, let report = report(same) { return (report, false) }
    guard same == nil else { throw RoomRefusal(.unavailable, "the same bot is being made; ask again in a moment") }
    guard !isFull else {
      throw RoomRefusal(
        .tooMany, "\(BotDesk.maximum) bots are at work, the maximum of this service; DELETE /v1/bots/{bot} ends one")
    }
    do {
      try await persist()
    } catch {
      state.withLock { state in
        state.wishes[wish.id] = nil
        if let former { state.wishes[former.id] = former }
      }
      throw error
    }
    if let former { await dismiss(former.id) }
    if let wish = state.withLock({ $0.wishes[wish.id] }) { add(wish) }
    guard let report = report(wish.id) else { throw RoomRefusal(.unavailable, "the bot has just been sent away") }
    return (report, true)
  }

  /// Sends a bot away for good.
  /// - Returns: false if there is none.
  /// - Throws: `FileProblem` if that cannot be written down; the bot goes on then.
  @discardableResult
  func remove(_ id: BotID) async throws -> Bool {
    guard let wish = state.withLock({ $0.wishes.removeValue(forKey: id) }) else { return false }
    do {
      try await persist()
    } catch {
      state.withLock { $0.wishes[id] = wish }
      throw error
    }
    await dismiss(id)
    return true
  }

  private func dismiss(_ id: BotID) async {
    let bot = state.withLock { state in
      state.reports[id] = nil
      return state.bots.removeValue(forKey: id)
    }
    await bot?.leave()
  }

  /// Writes down who does not want to be recorded by a bot.
  private func keep(_ names: Set<DisplayName>, of id: BotID) async throws {
    let isKnown = state.withLock { state in
      state.wishes[id]?.silent = names
      return state.wishes[id] != nil
    }
    if isKnown { try await persist() }
  }

  /// Writes down all wishes as they are when it is this write's turn.
  private func persist() async throws {
    try await errands.run { [self] () throws(FileProblem) -> Result<Void, any Error> in
      let wishes = state.withLock { Array($0.wishes.values) }.sorted { $0.id < $1.id }
      return Result {
        try BotFile(wishes).write(BotFile.name, in: try TakeFolder.obtain(BotFile.folder, in: recordings))
      }
    }.get()
  }
}
