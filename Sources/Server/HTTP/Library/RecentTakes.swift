import Music
import NIOCore
import Synchronization

/// Single takes as they were answered last, good as long as nothing in the index has changed: a client that waits for a
/// take asks for the same one again and again.
final class RecentTakes: Sendable {
  struct Answer: Sendable {
    /// Of the index, told before it was read.
    var edition: UInt64
    var room: RoomName
    /// The take's, where its manifest is.
    var folder: String
    /// What was known of the manifest.
    var known: Refinements.Known
    var body: ByteBuffer
    var tag: EntityTag
  }

  /// Takes that are remembered.
  private static let most = 64
  /// Of one body, in bytes: 4 MiB in all.
  private static let mostBytes = 65_536

  private let answers = Mutex<[TakeID: Answer]>([:])

  /// Nil if there is none of this edition.
  func answer(_ take: TakeID, edition: UInt64) -> Answer? {
    answers.withLock { $0[take] }.flatMap { $0.edition == edition ? $0 : nil }
  }

  func remember(_ take: TakeID, _ answer: Answer) {
    guard answer.body.readableBytes <= RecentTakes.mostBytes else { return }
    answers.withLock { answers in
      // Those of other editions are of no use any more, and few clients ask for more than some takes.
      if answers.count >= RecentTakes.most { answers.removeAll() }
      answers[take] = answer
    }
  }
}
