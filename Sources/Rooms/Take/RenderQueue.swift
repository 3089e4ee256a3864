import Music
import Recording
import Synchronization

/// The threads that turn journals into files, behind the music.
final class RenderQueue: Sendable {
  private let workers: [RenderWorker]
  /// The worker of each take: the one with the fewest when it came.
  private let assignments = Mutex<[TakeID: Int]>([:])

  var workerCount: Int { workers.count }

  /// - Parameters:
  ///   - name: what the threads are called, with a number each.
  ///   - niceness: see `RenderWorker`.
  init(workerCount: Int, name: String = "render", niceness: Int32 = 5) {
    workers = (0..<max(1, workerCount)).map { RenderWorker(name: "\(name)-\($0)", niceness: niceness) }
  }

  private func worker(for take: TakeID) -> RenderWorker {
    assignments.withLock { assignments in
      if let assigned = assignments[take] { return workers[assigned] }
      var loads = [Int](repeating: 0, count: workers.count)
      for worker in assignments.values { loads[worker] += 1 }
      let idlest = loads.indices.min { loads[$0] < loads[$1] } ?? 0
      assignments[take] = idlest
      return workers[idlest]
    }
  }

  private func release(_ take: TakeID) {
    assignments.withLock { _ = $0.removeValue(forKey: take) }
  }

  /// Renders what the journal has grown by, as far as it can no longer change.
  func follow(_ take: Take, in folder: TakeFolder, options: RenderOptions) {
    worker(for: take.id).perform { renderers in
      var rolling = renderers[take.id] ?? RollingTake()
      guard rolling.isDue(at: MonotonicClock.now) else { return }
      // A failure here is not the end: `finish` begins anew and says what is wrong.
      do {
        let renderer = try rolling.renderer ?? TakeRenderer(folder: folder, take: take, options: options)
        rolling.renderer = renderer
        try renderer.follow()
      } catch {
        rolling.fail(at: MonotonicClock.now)
      }
      renderers[take.id] = rolling
    }
  }

  /// Renders the rest and completes the take's files.
  /// - Throws: what the renderer throws; the journal is untouched and can be rendered again.
  func finish(_ take: Take, in folder: TakeFolder, options: RenderOptions, notes: [String] = []) async throws
    -> RenderedTake
  {
    defer { release(take.id) }
    return try await withCheckedThrowingContinuation { continuation in
      worker(for: take.id).perform { renderers in
        let rolling = renderers.removeValue(forKey: take.id)?.renderer
        do {
          if let rolling, let rendered = try? rolling.finish(notes: notes) {
            continuation.resume(returning: rendered)
          } else {
            // From the journal's beginning: there was no rolling render, or it had failed.
            let renderer = try TakeRenderer(folder: folder, take: take, options: options)
            continuation.resume(returning: try renderer.finish(notes: notes))
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    }
  }

  /// Forgets a take that is not wanted.
  func discard(_ take: TakeID) {
    worker(for: take).perform { renderers in renderers[take] = nil }
    release(take)
  }

  func stop() {
    for worker in workers { worker.stop() }
  }
}
