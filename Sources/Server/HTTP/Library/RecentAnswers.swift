import Music
import NIOCore
import Synchronization

/// Bodies as they were answered last, good as long as nothing in the index has changed: a client that waits for a take, and
/// every page of the studio, asks for the same again and again.
final class RecentAnswers<Question: Hashable & Sendable, Answer: RecentAnswer>: Sendable {
  private let most: Int
  private let mostBytes: Int
  private let answers = Mutex<[Question: Answer]>([:])

  /// - Parameters:
  ///   - most: answers that are remembered.
  ///   - mostBytes: of one body; a larger one is not remembered.
  init(most: Int, mostBytes: Int) {
    (self.most, self.mostBytes) = (most, mostBytes)
  }

  /// Nil if there is none of this edition of the index.
  func answer(_ question: Question, edition: Answer.Edition) -> Answer? {
    answers.withLock { $0[question] }.flatMap { $0.edition == edition ? $0 : nil }
  }

  func remember(_ question: Question, _ answer: Answer) {
    guard answer.body.readableBytes <= mostBytes else { return }
    answers.withLock { answers in
      // Those of other editions are of no use any more, and few clients ask for more than some takes and pages.
      if answers.count >= most { answers.removeAll() }
      answers[question] = answer
    }
  }
}

protocol RecentAnswer: Sendable {
  associatedtype Edition: Equatable & Sendable
  /// Of the index, told before it was read.
  var edition: Edition { get }
  var body: ByteBuffer { get }
}

/// A single take.
struct RecentTake: RecentAnswer {
  var edition: UInt64
  var room: RoomName
  /// The take's, where its manifest is.
  var folder: String
  /// What was known of the manifest.
  var known: Refinements.Known
  var body: ByteBuffer
  var tag: EntityTag
}

/// A page of the list of takes. Its tag stands for the edition, too.
struct RecentPage: RecentAnswer {
  var edition: EntityTag
  var body: ByteBuffer
  /// The cursor of the next page; nil on the last.
  var next: String?
}
