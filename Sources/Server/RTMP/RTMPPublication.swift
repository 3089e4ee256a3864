import Logging
import Machines
import Music
import Rooms
import Signaling
import Synchronization

/// One stream published by an RTMP client: a musician of its room, with one track or several (Enhanced RTMP v2,
/// "Multitrack").
///
/// The track that comes first is what everybody hears; the others are stems, which are recorded as further parts of the
/// musician. They share one clock, and stay together when they are pushed faster than they play.
final class RTMPPublication: Sendable {
  private struct State {
    var tracks: [UInt8: RTMPPublisher] = [:]
    /// Names of tracks, from the stream's metadata.
    var names: [UInt8: Part] = [:]
    var codecs: Set<String> = []
    var isLost: Bool?
    var refusal: RTMPCallError?
  }

  let membership: Membership
  private let budget: ByteBudget
  private let transcoders: Transcoders.Share
  /// Most tracks of the stream.
  private let limit: Int
  private let logger: Logger
  private let origin: FeedOrigin
  private let followsEvents: Bool
  private let together = TracksTogether()
  private let openings: AsyncStream<RTMPPublisher>
  private let opening: AsyncStream<RTMPPublisher>.Continuation
  private let state = Mutex(State())

  /// - Parameter followsEvents: false for a seat whose owner reads its events.
  init(
    _ membership: Membership, limit: Int, budget: ByteBudget, transcoders: Transcoders.Share, logger: Logger,
    origin: FeedOrigin = .rtmp, followsEvents: Bool = true
  ) {
    self.membership = membership
    self.origin = origin
    self.followsEvents = followsEvents
    self.limit = max(1, limit)
    self.budget = budget
    self.transcoders = transcoders
    self.logger = logger
    // One for each track.
    (openings, opening) = AsyncStream.makeStream()
  }

  /// Queues an audio message; never waits.
  func take(_ tag: AudioTag, timestamp: UInt32, arrival: MonotonicTime) {
    guard let (publisher, isNew) = track(tag) else { return fail(tooManyTracks) }
    if isNew { opening.yield(publisher) }
    publisher.take(tag, timestamp: timestamp, arrival: arrival)
  }

  /// The codecs that have come.
  var codecs: [String] { state.withLock { Array($0.codecs) } }

  /// The track of a message, which may begin with it; nil if there are too many.
  private func track(_ tag: AudioTag) -> (RTMPPublisher, isNew: Bool)? {
    let number = tag.track
    return state.withLock { state in
      if let codec = tag.codec { state.codecs.insert(codec.name) }
      if let known = state.tracks[number] { return (known, false) }
      guard state.tracks.count < limit else { return nil }
      let stem: AudioStem? =
        state.tracks.isEmpty
        // in range: a byte
        ? nil : AudioStem(number: number, part: state.names[number] ?? "\(Int(number) + 1)")
      let publisher = RTMPPublisher(
        membership, stem: stem, number: number, together: together, budget: budget, transcoders: transcoders,
        logger: logger, origin: origin)
      // Of a stream that is over: it takes nothing.
      if let isLost = state.isLost { publisher.finish(isLost: isLost) }
      state.tracks[number] = publisher
      return (publisher, true)
    }
  }

  private var tooManyTracks: RTMPCallError {
    RTMPCallError(
      .invocationException,
      "the stream has more than \(limit) tracks, the most that are recorded of one musician (--rtmp-tracks); send fewer"
    )
  }

  /// Takes the names of tracks from the stream's metadata, for tracks that begin after it.
  func note(_ metadata: [AMFMember]) {
    let names = RTMPTrackNames.names(in: metadata)
    guard !names.isEmpty else { return }
    state.withLock { $0.names.merge(names) { _, new in new } }
  }

  /// Ends the stream; queued audio is still recorded.
  ///
  /// - Parameter isLost: whether the connection broke, so that the encoder may return; the first call counts.
  func finish(isLost: Bool) {
    let tracks = state.withLock { state in
      state.isLost = state.isLost ?? isLost
      return Array(state.tracks.values)
    }
    opening.finish()
    for track in tracks { track.finish(isLost: isLost) }
    together.end()
  }

  /// True if the stream ended because its connection broke.
  var isLost: Bool { state.withLock { $0.isLost ?? false } }

  /// Feeds the room until the stream ends.
  /// - Throws: `RTMPCallError` with the reason for the client if the audio of a track cannot be used.
  func run() async throws(RTMPCallError) {
    // Ends with this function.
    async let _: Void = attend()
    await withDiscardingTaskGroup { group in
      for await publisher in openings {
        group.addTask {
          do throws(RTMPCallError) {
            try await publisher.run()
          } catch {
            self.fail(publisher.isStem ? error.naming(track: publisher.number) : error)
          }
        }
      }
    }
    if let refusal = state.withLock({ $0.refusal }) { throw refusal }
  }

  /// Reads the events of the seat. An encoder needs none, but unread ones would fill the mailbox, and the room would take
  /// the musician for one whose client hangs.
  private func attend() async {
    guard followsEvents else { return }
    for await event in membership.events {
      if case .closed(let reason) = event {
        fail(RTMPCallError(.accessDenied, "the room ended the stream: \(reason.rawValue)"))
      }
    }
  }

  /// A track that cannot be used ends the stream: its sender learns why, rather than miss a part of the take.
  private func fail(_ error: RTMPCallError) {
    state.withLock { $0.refusal = $0.refusal ?? error }
    finish(isLost: false)
  }
}

extension RTMPCallError {
  fileprivate func naming(track number: UInt8) -> RTMPCallError {
    RTMPCallError(kind, "track \(number): \(description)")
  }
}

/// The names of tracks in a stream's metadata.
///
/// Enhanced RTMP v2 ("Metadata Message: onMetaData") has `audioTrackIdInfoMap`, an object per track under its number. It
/// defines no name, so the words that people use are all taken.
enum RTMPTrackNames {
  private static let keys = ["name", "title", "label", "trackName"]

  static func names(in metadata: [AMFMember]) -> [UInt8: Part] {
    var names: [UInt8: Part] = [:]
    for track in metadata.first(where: { $0.name == "audioTrackIdInfoMap" })?.value.members ?? [] {
      guard let number = UInt8(track.name), let name = keys.lazy.compactMap({ track.value[$0]?.string }).first,
        DisplayName(name) != nil
      else { continue }
      names[number] = name
    }
    return names
  }
}

/// What a stream was converted by and whose it is, for the journal.
struct FeedOrigin: Hashable, Sendable {
  /// The origin of its tracks: "rtmp".
  var dialect: String
  /// What made Opus of it before it came; nil if its codec is known.
  var coder: String?

  static let rtmp = FeedOrigin(dialect: "rtmp", coder: nil)
}
