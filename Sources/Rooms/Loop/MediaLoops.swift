import Synchronization

/// The loops of this process; a new room goes to the one with the fewest rooms.
package final class MediaLoops: Sendable {
  private let loops: [MediaLoop]
  private let load: Mutex<[Int]>

  /// - Throws: `LoopError`.
  package init(count: Int, name: String = "media-loop") throws(LoopError) {
    var loops: [MediaLoop] = []
    for index in 0..<max(1, count) { loops.append(try MediaLoop(name: "\(name)-\(index)")) }
    self.loops = loops
    load = Mutex(Array(repeating: 0, count: loops.count))
  }

  /// Lends the least loaded loop to a room, until `release`.
  func lease() -> MediaLoop {
    let index = load.withLock { load in
      let index = load.indices.min { load[$0] < load[$1] } ?? 0
      load[index] += 1
      return index
    }
    return loops[index]
  }

  func release(_ loop: MediaLoop) {
    guard let index = loops.firstIndex(where: { $0 === loop }) else { return }
    load.withLock { $0[index] -= 1 }
  }
}
