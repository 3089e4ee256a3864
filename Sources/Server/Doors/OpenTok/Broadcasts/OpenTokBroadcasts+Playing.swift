import Machines
import Music
import Recording
import Rooms
import Signaling

/// Playing the mix to what a broadcast is sent to, and telling what becomes of it.
extension OpenTokBroadcasts {
  func begin(
    _ broadcast: OpenTokBroadcast, _ session: OpenTokSessionID, _ addresses: [RTMPAddress], heard: Set<ParticipantID>?
  ) {
    let id = broadcast.id
    var pushes: [RTMPPush] = []
    for (index, address) in addresses.enumerated() {
      pushes.append(
        RTMPPush(
          to: address, streamName: broadcast.wish.targets[index].streamName, route: means.route, logger: logger
        ) { [weak self] status in await self?.note(status, of: index, id) })
    }
    var shelf: HLSShelf?
    if let hls = broadcast.wish.hls {
      shelf = HLSShelf(hls, recordings: means.recordings, reserve: means.reserve, logger: logger) {
        [weak self] status in await self?.note(status, id)
      }
    }
    shelves[id] = shelf
    let broadcaster = OpenTokBroadcaster(
      session.room, to: pushes, shelf, broker: broker, encoders: means.encoders, logger: logger)
    var workers = pushes.map { push in Task { await push.run() } }
    if let shelf { workers.append(Task { await shelf.run() }) }
    live[id] = Live(
      session: session, broadcaster: broadcaster, player: play(id, broadcaster, heard, after: nil), heard: heard,
      workers: workers)
  }

  private func play(
    _ id: String, _ broadcaster: OpenTokBroadcaster, _ heard: Set<ParticipantID>?, after former: Task<Void, Never>?
  ) -> Task<Void, Never> {
    Task { [weak self] in
      await former?.value
      if await !broadcaster.play(only: heard) { await self?.end(id, .failure) }
    }
  }

  /// Lets others be heard, if the choice has changed.
  func hear(_ broadcast: OpenTokBroadcast, _ streams: [OpenTokStream]) {
    let heard = broadcast.heard(of: streams)
    guard let entry = live[broadcast.id], entry.heard != heard else { return }
    entry.player.cancel()
    live[broadcast.id]?.heard = heard
    live[broadcast.id]?.player = play(broadcast.id, entry.broadcaster, heard, after: entry.player)
  }

  func end(_ id: String, _ reason: OpenTokArchive.Reason) {
    guard let entry = live.removeValue(forKey: id) else { return }
    entry.player.cancel()
    entry.broadcaster.finish()
    ended[id] = MonotonicClock.now
    note(id) { $0.end(reason, at: MonotonicClock.wall) }
    // Whoever does not say goodbye in time is left without one.
    Task {
      try? await Task.sleep(for: OpenTokBroadcasts.farewell)
      for worker in entry.workers { worker.cancel() }
    }
  }

  func change(_ id: String, _ body: (inout OpenTokBroadcast) -> Void) {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return }
    body(&all[index])
  }

  private func note(_ status: OpenTokBroadcast.TargetStatus, of target: Int, _ id: String) {
    note(id) { $0.note(status, of: target, at: MonotonicClock.wall) }
  }

  private func note(_ status: OpenTokBroadcast.HLSStatus, _ id: String) {
    note(id) { $0.note(status, at: MonotonicClock.wall) }
  }

  /// Changes a broadcast, and tells the application of it.
  private func note(_ id: String, _ body: (inout OpenTokBroadcast) -> Void) {
    guard let index = all.firstIndex(where: { $0.id == id }) else { return }
    let former = all[index]
    body(&all[index])
    if all[index] != former { tell(all[index]) }
  }

  func tell(_ broadcast: OpenTokBroadcast) {
    let former = lastTold
    lastTold = Task { [callbacks] in
      await former?.value
      await callbacks.tell(broadcast)
    }
  }
}
