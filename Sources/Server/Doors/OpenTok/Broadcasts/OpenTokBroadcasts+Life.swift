import Machines
import Recording
import ServiceLifecycle
import Signaling

/// Looking after those that run.
extension OpenTokBroadcasts {
  /// Removes what a former process has left.
  func load() async { await HLSShelf.removeAll(in: means.recordings) }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while (try? await Task.sleep(for: OpenTokBroadcasts.interval)) != nil { await self.look() }
    }
    isStopping = true
    let workers = live.values.flatMap(\.workers)
    for id in Array(live.keys) { end(id, .systemFailure) }
    await OpenTokBroadcasts.wait(for: workers)
    await lastTold?.value
    for shelf in shelves.values { await HLSShelf.remove(shelf.name, in: means.recordings) }
  }

  /// Waits for those who say goodbye, and no longer than that takes.
  private static func wait(for workers: [Task<Void, Never>]) async {
    guard !workers.isEmpty else { return }
    let (ends, end) = AsyncStream.makeStream(of: Void.self)
    let waiting = Task {
      for worker in workers { await worker.value }
      end.finish()
    }
    let limit = Task {
      try? await Task.sleep(for: farewell)
      end.finish()
    }
    for await _ in ends {}
    waiting.cancel()
    limit.cancel()
  }

  private func look() async {
    for (id, entry) in live {
      let state = await sessions.state(of: entry.session)
      guard let index = all.firstIndex(where: { $0.id == id }), live[id] != nil else { continue }
      if let reason = all[index].look(isOccupied: state != nil, at: MonotonicClock.now) {
        end(id, reason)
      } else {
        // A stream that was chosen may have ended.
        hear(all[index], state?.streams ?? [])
      }
    }
    await forget()
  }

  private func forget() async {
    let now = MonotonicClock.now
    for (id, time) in ended {
      if now - time >= OpenTokBroadcasts.shelfLife, let shelf = shelves.removeValue(forKey: id) {
        await HLSShelf.remove(shelf.name, in: means.recordings)
      }
      guard now - time >= OpenTokBroadcasts.memory else { continue }
      ended[id] = nil
      all.removeAll { $0.id == id }
    }
  }
}
