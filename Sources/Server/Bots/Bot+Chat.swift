import Machines
import Music
import Recording
import Rooms
import Signaling

/// What a bot does for those who speak to it.
extension Bot {
  /// Carries out a command of the room's chat; returns the answer.
  func obey(_ command: ChatCommand, of key: GuestKey) async -> String {
    do throws(RoomRefusal) {
      switch command {
      case .help: return ChatCommand.manual
      case .unknown(let word): return "I do not know !\(word). \(ChatCommand.manual)"
      case .status: return await status
      case .take: return started(try await perform(.startTake(song: nil), of: key))
      case .stop:
        _ = try await perform(.stopTake, of: key)
        return "Stopped. !take begins the next take"
      case .split: return started(try await perform(.splitTake(song: nil), of: key))
      case .cue(let text):
        _ = try await perform(.cue(TextKind.cue.fitted(text)), of: key)
        return "Marked"
      case .song(let title):
        let song = TextKind.title.fitted(title)
        let isRolling = await services.broker.snapshot(of: wish.room)?.take != nil
        return started(try await perform(isRolling ? .splitTake(song: song) : .startTake(song: song), of: key))
      case .consent(let isGiven):
        try await consent(isGiven, of: key)
        return isGiven ? "I record you again" : "I do not record you any more; what was recorded before is kept"
      }
    } catch {
      return "That is not possible: \(error.description)"
    }
  }

  /// A guest's command has the rights of their seat here. Commands are for those who play; a listener there has none.
  private func perform(_ command: RoomCommand, of key: GuestKey) async throws(RoomRefusal) -> RoomReply {
    guard let seat = seats[key] else { throw RoomRefusal(.forbidden, "I obey musicians whom I hear") }
    return try await seat.membership.perform(command)
  }

  private func started(_ reply: RoomReply) -> String {
    guard case .take(_, let number) = reply else { return "I record" }
    return "I record take \(number)"
  }

  private var status: String {
    get async {
      let snapshot = await services.broker.snapshot(of: wish.room)
      let names = seats.values.sorted { $0.number < $1.number }.map(\.name.description).joined(separator: ", ")
      let heard = names.isEmpty ? "I hear nobody" : "I hear \(names)"
      guard let take = snapshot?.take else { return "I do not record. \(heard)" }
      let song = take.song.map { " of \"\($0.title)\"" } ?? ""
      return "I record take \(take.number)\(song) in room \"\(wish.room)\". \(heard)"
    }
  }

  /// Introduces the bot to those whom it hears first, and to those who come when nobody was there for a while.
  func greeting() -> [GuestInput] {
    guard seats.count == 1, chat.greets(at: MonotonicClock.now) else { return [] }
    let policy = services.broker.configuration.policy.recording
    return [
      .say(policy == .call ? "I record from now on; say !help" : "I listen; say !take to record, !help for the rest")
    ]
  }
}

/// What a bot remembers of a chat.
struct ChatDesk {
  /// Time between introductions: a bot whose link breaks again and again does not fill the chat.
  private static let pause = MonotonicTime.Span.seconds(300)

  private var greetedAt: MonotonicTime?
  /// Answers to commands: a musician types, a program does not get to flood the room.
  private var answers = RateLimit(perSecond: 1, burst: 10)
  /// Answers to those who are not heard: they take none from the musicians.
  private var explanations = RateLimit(perSecond: 1, burst: 10)

  mutating func admits(isHeard: Bool, at now: MonotonicTime) -> Bool {
    isHeard ? answers.admit(at: now) : explanations.admit(at: now)
  }

  /// Whether an introduction is due; it is made then.
  mutating func greets(at now: MonotonicTime) -> Bool {
    if let greetedAt, now - greetedAt < ChatDesk.pause { return false }
    greetedAt = now
    return true
  }
}
