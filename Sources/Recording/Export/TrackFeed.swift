/// A track that is decoded by a thread of its own while others mix.
final class TrackFeed {
  let channels: Int
  private let queue = BlockQueue()
  private let thread: ExportThread

  /// Reads `blocks` blocks of `frames` frames.
  init(_ track: ShiftedTrack, blocks: Int64, frames: Int) {
    channels = track.channels
    let queue = queue
    thread = ExportThread("export-decode") {
      do {
        for _ in 0..<blocks {
          guard try queue.put(try track.next(frames: frames)) else { return }
        }
        queue.end()
      } catch {
        queue.end(error)
      }
    }
  }

  deinit {
    queue.stop()
    thread.join()
  }

  /// The next block; nil behind the last one.
  func next() throws -> [Float]? { try queue.next() }
}
