import CValgrind
import Recording

/// Fixed pieces of work, of which `script/bench watch` counts the instructions.
///
/// A run prepares and works, and marks the work (`count`): what starts the program, reads its input or connects musicians is
/// not counted.
struct Watch {
  enum Work: String, CaseIterable {
    /// Packets of a musician through the room's packet path; the amount is their number.
    case packets
    /// A musician comes in: offer, answer and DTLS handshake; the amount is their number.
    case join
    /// Three tracks of a take; the amount is its length in seconds, when it is prepared.
    case render
    /// A mix of a finished take with other levels, as WAV and as FLAC.
    case wav, flac
    /// Pages of 50 takes; the amount is their number.
    case page
    /// The question whether a page has changed, which a 304 answers; the amount is their number.
    case unchanged
  }

  let work: Work
  /// How much of it.
  let amount: Int
  /// Where `script/bench watch` keeps what is prepared.
  let folder: String

  func run() throws {
    switch work {
    case .packets: try WatchedPeers.packets(amount)
    case .join: try WatchedPeers.join(amount)
    case .render: try WatchedTake(folder: folder).render()
    case .wav: try WatchedTake(folder: folder).export(.wav24)
    case .flac: try WatchedTake(folder: folder).export(.flac24)
    case .page: try WatchedPages(folder: folder).pages(amount)
    case .unchanged: try WatchedPages(folder: folder).unchanged(amount)
    }
  }

  /// Counts what `work` does, on any thread.
  static func count<Result>(_ work: () throws -> Result) rethrows -> Result {
    jamjar_start_counting()
    defer { jamjar_stop_counting() }
    return try work()
  }

  /// The same of work that waits.
  static func count<Result>(
    isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
  ) async rethrows -> Result {
    jamjar_start_counting()
    defer { jamjar_stop_counting() }
    return try await work()
  }
}
