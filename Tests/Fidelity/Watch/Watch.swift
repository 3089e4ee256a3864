import Recording

/// Fixed pieces of work, of which `script/bench watch` counts the instructions.
///
/// A run prepares and works; an idle one only prepares, alike. The difference of both is the work. So what starts the
/// program, reads its input or connects musicians is not counted.
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
  /// True for everything but the work.
  let isIdle: Bool

  func run() throws {
    switch work {
    case .packets: try WatchedPeers.packets(amount, isIdle: isIdle)
    case .join: try WatchedPeers.join(amount, isIdle: isIdle)
    case .render: try WatchedTake(folder: folder).render(isIdle: isIdle)
    case .wav: try WatchedTake(folder: folder).export(.wav24, isIdle: isIdle)
    case .flac: try WatchedTake(folder: folder).export(.flac24, isIdle: isIdle)
    case .page: try WatchedPages(folder: folder).pages(amount, isIdle: isIdle)
    case .unchanged: try WatchedPages(folder: folder).unchanged(amount, isIdle: isIdle)
    }
  }
}
