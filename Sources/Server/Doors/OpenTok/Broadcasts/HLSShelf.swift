import Logging
import NIOPosix
import Recording
import Signaling
import Synchronization

/// The segments of one broadcast by HTTP Live Streaming: `_broadcasts/SECRET/N.aac` in the data folder.
///
/// Whoever knows the name may listen, so the name is a secret.
final class HLSShelf: Sendable {
  /// The folder in the data folder. No folder of a room begins with `_`.
  static let root = "_broadcasts"
  /// Segments that are kept beyond the playlist, for players that have just read it (RFC 8216 section 6.2.2).
  private static let spare = 8
  /// Frames that may wait for the disk: ten seconds.
  private static let backlog = 512

  /// The broadcast's secret name.
  let name: String
  private let recordings: String
  /// Bytes that stay free for recordings.
  private let reserve: Int64
  private let logger: Logger
  private let seconds: Int64
  private let playlist: Mutex<HLSLivePlaylist>
  private let frames: AsyncStream<TimedFrame>
  private let input: AsyncStream<TimedFrame>.Continuation
  private let report: @Sendable (OpenTokBroadcast.HLSStatus) async -> Void

  struct DiskIsFull: Error {}

  init(
    _ wish: OpenTokBroadcastWish.HLS, recordings: String, reserve: Int64, logger: Logger,
    report: @escaping @Sendable (OpenTokBroadcast.HLSStatus) async -> Void
  ) {
    // 122 random bits.
    name = OpenTokArchive.newID()
    (self.recordings, self.reserve, self.logger, self.report) = (recordings, reserve, logger, report)
    seconds = wish.isLowLatency ? 1 : 4
    // With a past, two hours of it.
    playlist = Mutex(HLSLivePlaylist(seconds: seconds, capacity: wish.keepsPast ? 1_800 : 8))
    (frames, input) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(HLSShelf.backlog))
  }

  static func path(of name: String) -> String { "\(root)/\(name)" }

  /// The playlist as it is now.
  var text: String { playlist.withLock { $0.text } }

  /// Takes a frame without waiting.
  func offer(_ frame: TimedFrame) { input.yield(frame) }

  /// Ends the playlist; `run` then returns.
  func finish() { input.finish() }

  /// Writes segments until `finish`.
  func run() async {
    var segmenter = HLSSegmenter(
      configuration: AACEncoder.configuration, frameLength: AACEncoder.frameLength, seconds: seconds)
    var hasLost = false
    func keep(_ segment: HLSSegmenter.Segment) async {
      var segment = segment
      segment.followsBreak = segment.followsBreak || hasLost
      hasLost = await !write(segment)
    }
    for await frame in frames {
      for segment in segmenter.add(frame) { await keep(segment) }
    }
    if let last = segmenter.finish() { await keep(last) }
    playlist.withLock { $0.end() }
  }

  private func write(_ segment: HLSSegmenter.Segment) async -> Bool {
    let (recordings, reserve, path) = (recordings, reserve, HLSShelf.path(of: name))
    do {
      try await NIOThreadPool.singleton.runIfActive {
        guard try DiskSpace(at: recordings).available >= reserve else { throw DiskIsFull() }
        try TakeFolder.obtain(path, in: recordings).write(segment.bytes, as: HLSLivePlaylist.name(of: segment.number))
      }
    } catch {
      logger.warning("a segment of a broadcast could not be written", metadata: ["error": "\(error)"])
      await report(.error)
      return false
    }
    let gone = playlist.withLock { $0.add(segment) }
    await report(.live)
    if let gone, gone >= HLSShelf.spare {
      try? await NIOThreadPool.singleton.runIfActive {
        try TakeFolder(existing: path, in: recordings).remove(HLSLivePlaylist.name(of: gone - HLSShelf.spare))
      }
    }
    return true
  }

  // MARK: Removing

  static func remove(_ name: String, in recordings: String) async {
    try? await NIOThreadPool.singleton.runIfActive { try removeNow(name, recordings) }
  }

  /// What a former process has left.
  static func removeAll(in recordings: String) async {
    try? await NIOThreadPool.singleton.runIfActive {
      guard let folder = try? TakeFolder(existing: root, in: recordings) else { return }
      for name in try folder.names() where OpenTokStreamID(name) != nil { try removeNow(name, recordings) }
    }
  }

  private static func removeNow(_ name: String, _ recordings: String) throws(FileProblem) {
    let path = path(of: name)
    if let folder = try? TakeFolder(existing: path, in: recordings) {
      for name in try folder.names() { try folder.remove(name) }
    }
    try TakeFolder.delete(path, in: recordings)
  }
}
