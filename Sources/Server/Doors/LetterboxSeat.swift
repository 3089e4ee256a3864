import Machines
import Rooms
import Signaling

/// The seat of a dialect that is more than a room: one in a room of Jamjar below it, and a letterbox for what does not
/// come from the room, such as messages of other clients.
protocol LetterboxSeat<RoomWords, Letter>: Seat where Stay == LetterboxStay<Letter>, Words.Event: RoomEventHolder {
  associatedtype RoomWords: RoomVocabulary
  associatedtype Letter: Sendable

  var room: RoomSeat<RoomWords> { get }
  var letterbox: Letterbox<Letter> { get }

  /// Forwards what a letter says.
  func read(_ letter: Letter, _ tell: @Sendable (Words.Event) async -> Void) async
}

/// A period during which events arrive at a seat with a letterbox.
enum LetterboxStay<Letter: Sendable>: Sendable {
  /// As long as the session lasts.
  case letters(AsyncStream<Letter>)
  case room(Membership)
}

/// Where others leave what a client is to hear.
struct Letterbox<Letter: Sendable>: Sendable {
  let letters: AsyncStream<Letter>
  let slot: AsyncStream<Letter>.Continuation

  /// - Parameter policy: which letters are kept while the client reads none.
  init(_ policy: AsyncStream<Letter>.Continuation.BufferingPolicy) {
    (letters, slot) = AsyncStream.makeStream(bufferingPolicy: policy)
  }
}

/// An event of a dialect that may be its room's.
protocol RoomEventHolder: Sendable {
  static func room(_ event: RoomEvent) -> Self
}

extension LetterboxSeat {
  var link: LinkBearer { room.link }
  var standing: [Stay] { [.letters(letterbox.letters)] }
  var gracePeriod: MonotonicTime.Span { room.gracePeriod }
  var isTaken: Bool { room.isTaken }

  func follow(_ stay: Stay, _ tell: @Sendable (Words.Event, UInt64?) async -> Void) async {
    switch stay {
    case .letters(let letters): for await letter in letters { await read(letter) { await tell($0, nil) } }
    case .room(let membership): await room.follow(membership) { await tell(.room($0), $1) }
    }
  }
}

extension LetterboxSeat where Letter == Words.Event {
  func read(_ letter: Letter, _ tell: @Sendable (Words.Event) async -> Void) async { await tell(letter) }
}
