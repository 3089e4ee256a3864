// Arithmetic in this file is in range: positions are those of takes, which are bounded.

import Machines
import Music

/// The life of an archive: when it pauses, resumes and ends, and of which stretches of takes it consists. Pure.
///
/// A look at the session (`scene`) comes a few times a second, and after every change. What it wants of the room are its
/// outputs.
package struct OpenTokArchiveMachine: Machine, Sendable {
  /// The session as it is now.
  package struct Scene: Hashable, Sendable {
    package var connections: [OpenTokConnection]
    package var streams: [OpenTokStream]
    /// The rolling take, and its length so far; nil if none rolls.
    package var take: Rolling?

    package struct Rolling: Hashable, Sendable {
      package var id: TakeID
      package var position: SamplePosition

      package init(id: TakeID, position: SamplePosition) { (self.id, self.position) = (id, position) }
    }

    package init(connections: [OpenTokConnection] = [], streams: [OpenTokStream] = [], take: Rolling? = nil) {
      (self.connections, self.streams, self.take) = (connections, streams, take)
    }
  }

  package enum Input: Hashable, Sendable {
    case scene(Scene)
    case stop(OpenTokArchive.Reason)
    case change(OpenTokArchiveChange)
    case arrange(OpenTokArchiveLayout)
    /// The file is here, or in a store of the operator's.
    case made(OpenTokArchive.File, length: SamplePosition, isUploaded: Bool = false)
    /// There will be no file.
    case failed
    /// The file has been removed because of its age.
    case expired
    case deleted
  }

  package enum Output: Hashable, Sendable {
    /// Somebody plays, and no take rolls: one should.
    case needsTake
    /// To be kept; `isNews` if the status is another one, which is told to the application.
    case changed(isNews: Bool)
  }

  /// Times of the vendor.
  package enum Limits {
    /// From the last leave to the end.
    static let empty = MonotonicTime.Span.seconds(60)
    /// From the start to the end if nobody ever publishes.
    static let unused = MonotonicTime.Span.seconds(60)
    static let idle = MonotonicTime.Span.seconds(3_600)
    /// With pauses.
    static let whole = MonotonicTime.Span.seconds(12 * 3_600)
    /// Recorded time, in samples: four hours.
    static let recorded = 4 * 3_600 * SamplePosition.rate
    /// Changes of the streams may make many short spans.
    static let spans = 1_000
    /// Every change writes all of them down, and each is an open file while the archive is made. What is
    /// sent later counts as the musician's last stream.
    static let stays = 500
    static let mutes = 5_000
  }

  /// What was played before the look that has noticed it: half a second.
  private static let notice: Int64 = 24_000
  /// A split ends one take before it has begun the next one, and a busy disk makes that long. Nothing is missing: the next
  /// take begins where the last one ended.
  private static let splitting = MonotonicTime.Span.seconds(1)
  /// A take is asked for again after this time.
  private static let patience = MonotonicTime.Span.seconds(2)

  package private(set) var archive: OpenTokArchive
  private let startedAt: MonotonicTime
  private let startedAtWall: WallTime
  private var outputs: [Output] = []
  private var time: MonotonicTime
  private var hasPublished = false
  private var silentSince: MonotonicTime?
  private var emptySince: MonotonicTime?
  private var askedAt: MonotonicTime?
  /// Since when the take that is archived has been missing.
  private var missingSince: MonotonicTime?
  private var isFirstLook = true
  private var muteCount = 0
  /// The length of the ended spans, in samples.
  private var recorded: Int64 = 0
  /// The latest position in the take of the growing span.
  private var position: Int64 = 0
  private var growing: Int?

  /// Starts an archive, or continues one of a former process.
  package init(_ archive: OpenTokArchive, at now: MonotonicTime, wall: WallTime) {
    self.archive = archive
    (startedAt, time, startedAtWall) = (now, now, wall)
    recorded = archive.length.samples
  }

  /// The present time of the wall clock, as far as the monotonic clock says.
  private var wall: WallTime { startedAtWall + .nanoseconds((time - startedAt).nanoseconds) }

  package mutating func next() -> Output? { outputs.isEmpty ? nil : outputs.removeFirst() }

  package var deadline: MonotonicTime? {
    guard archive.status.isActive else { return nil }
    var times = [startedAt + Limits.whole]
    if !hasPublished { times.append(startedAt + Limits.unused) }
    if let silentSince { times.append(silentSince + Limits.idle) }
    if let emptySince { times.append(emptySince + Limits.empty) }
    return times.min()
  }

  package mutating func advance(to now: MonotonicTime) {
    time = max(time, now)
    guard archive.status.isActive else { return }
    if let emptySince, time - emptySince >= Limits.empty { return end(.sessionEnded) }
    if !hasPublished, time - startedAt >= Limits.unused { return end(.sessionEnded) }
    if let silentSince, time - silentSince >= Limits.idle { return end(.sessionEnded) }
    if time - startedAt >= Limits.whole || length >= Limits.recorded { end(.tooLong) }
  }

  package mutating func handle(_ input: Input, at now: MonotonicTime) {
    time = max(time, now)
    switch input {
    case .scene(let scene):
      guard archive.status.isActive else { return }
      look(at: scene)
      isFirstLook = false
      advance(to: now)
    case .stop(let reason): if archive.status.isActive { end(reason) }
    case .change(let change):
      guard archive.status.isActive else { return }
      apply(change)
      outputs.append(.changed(isNews: false))
    case .arrange(let layout):
      archive.layout = layout
      outputs.append(.changed(isNews: false))
    case .made(let file, let length, let isUploaded):
      let status = isUploaded ? OpenTokArchive.Status.uploaded : .available
      guard archive.status.mayBecome(status) else { return }
      (archive.file, archive.length) = (file, length)
      archive.forgetDetails()
      become(status)
    case .failed:
      if archive.reason == .none || archive.reason == .user { archive.reason = .failure }
      archive.forgetDetails()
      become(.failed)
    case .expired:
      guard archive.status.mayBecome(.expired) else { return }
      archive.file = nil
      become(.expired)
    case .deleted:
      archive.file = nil
      become(.deleted)
    }
  }

  private mutating func become(_ status: OpenTokArchive.Status) {
    guard archive.status != status, archive.status.mayBecome(status) else { return }
    archive.status = status
    archive.updatedAt = max(archive.updatedAt, wall)
    outputs.append(.changed(isNews: true))
  }

  private mutating func end(_ reason: OpenTokArchive.Reason) {
    // When the service ends, the take does, and nobody looks any more: all of it counts.
    endSpan(at: reason == .systemFailure ? nil : position)
    for index in archive.stays.indices { endStay(index) }
    archive.reason = reason
    archive.length = SamplePosition(recorded)
    become(.stopped)
  }

  // MARK: Looking

  private mutating func look(at scene: Scene) {
    noteStays(scene)
    emptySince = scene.connections.isEmpty ? emptySince ?? time : nil
    let heard = scene.streams.filter(isWanted)
    guard !heard.isEmpty else { return noteSilence(scene) }
    (hasPublished, silentSince) = (true, nil)
    if archive.status == .paused { become(.started) }
    guard let take = scene.take else {
      // A stop of the take is a stop of its recording.
      if growing != nil {
        let since = missingSince ?? time
        missingSince = since
        if time - since >= OpenTokArchiveMachine.splitting { end(.user) }
        return
      }
      if askedAt.map({ time - $0 >= OpenTokArchiveMachine.patience }) ?? true {
        askedAt = time
        outputs.append(.needsTake)
      }
      return
    }
    (askedAt, missingSince) = (nil, nil)
    let only = archive.wish.streamMode == .manual ? heard.map(\.participant).sorted() : nil
    if let growing, archive.spans[growing].take == take.id {
      if archive.spans[growing].only == only {
        position = max(position, take.position.samples)
        return
      }
      endSpan(at: max(position, take.position.samples))
    } else if growing != nil {
      endSpan(at: nil)
    }
    beginSpan(take, only: only)
  }

  private func isWanted(_ stream: OpenTokStream) -> Bool {
    guard archive.wish.streamMode == .manual else { return true }
    return archive.choices.contains { $0.stream == stream.id.description && $0.hasAudio }
  }

  private mutating func noteSilence(_ scene: Scene) {
    silentSince = silentSince ?? time
    if let growing {
      let isSame = scene.take?.id == archive.spans[growing].take
      endSpan(at: isSame ? max(position, scene.take?.position.samples ?? 0) : nil)
    }
    if hasPublished { become(.paused) }
  }

  private var length: Int64 {
    growing.map { recorded + max(0, position - archive.spans[$0].from.samples) } ?? recorded
  }

  private mutating func beginSpan(_ take: Scene.Rolling, only: [ParticipantID]?) {
    guard archive.spans.count < Limits.spans else { return end(.tooLong) }
    // What was played before this look was still wanted, unless the archive itself has just been started.
    let elapsed = max(0, (time - startedAt).nanoseconds) / 1_000 * 48 / 1_000
    let notice = isFirstLook ? 0 : min(OpenTokArchiveMachine.notice, elapsed)
    let last = archive.spans.last { $0.take == take.id }?.to?.samples ?? 0
    let isContinuation = archive.spans.last.map { $0.take != take.id } ?? false
    // A take that follows another at once is wanted from its first sample.
    let start = isContinuation && take.position.samples <= 2 * SamplePosition.rate ? 0 : take.position.samples - notice
    archive.spans.append(
      OpenTokArchive.Span(take: take.id, from: SamplePosition(max(last, 0, start)), to: nil, only: only))
    growing = archive.spans.count - 1
    position = max(take.position.samples, max(last, start))
    outputs.append(.changed(isNews: false))
  }

  /// - Parameter end: nil if the take has ended, whose length is not known yet.
  private mutating func endSpan(at end: Int64?) {
    guard let index = growing else { return }
    recorded += max(0, (end ?? position) - archive.spans[index].from.samples)
    archive.spans[index].to = end.map { SamplePosition($0) }
    growing = nil
    outputs.append(.changed(isNews: false))
  }

  // MARK: Streams

  private mutating func noteStays(_ scene: Scene) {
    let present = Set(scene.streams.map(\.id.description))
    for index in archive.stays.indices where !present.contains(archive.stays[index].stream) { endStay(index) }
    for stream in scene.streams {
      let id = stream.id.description
      guard let index = archive.stays.lastIndex(where: { $0.stream == id && $0.to == nil }) else {
        guard archive.stays.count < Limits.stays else { continue }
        let data = scene.connections.first { $0.id == stream.connection }?.data ?? stream.name
        archive.stays.append(
          OpenTokArchive.Stay(
            stream: id, participant: stream.participant, name: stream.name, connectionData: data,
            from: max(stream.createdAt, archive.createdAt),
            mutes: stream.hasAudio ? [] : [OpenTokArchive.Stay.Mute(from: wall, to: nil)]))
        outputs.append(.changed(isNews: false))
        continue
      }
      let isMuted = archive.stays[index].mutes.last.map { $0.to == nil } ?? false
      if isMuted, stream.hasAudio { archive.stays[index].mutes[archive.stays[index].mutes.count - 1].to = wall }
      if !isMuted, !stream.hasAudio, muteCount < Limits.mutes {
        muteCount += 1
        archive.stays[index].mutes.append(OpenTokArchive.Stay.Mute(from: wall, to: nil))
      }
    }
  }

  private mutating func endStay(_ index: Int) {
    guard archive.stays[index].to == nil else { return }
    archive.stays[index].to = wall
    if let last = archive.stays[index].mutes.indices.last, archive.stays[index].mutes[last].to == nil {
      archive.stays[index].mutes[last].to = wall
    }
  }

  private mutating func apply(_ change: OpenTokArchiveChange) {
    switch change {
    case .add(let id, let hasAudio, let hasVideo):
      let choice = OpenTokArchive.Choice(stream: id.description, hasAudio: hasAudio, hasVideo: hasVideo)
      if let index = archive.choices.firstIndex(where: { $0.stream == choice.stream }) {
        archive.choices[index] = choice
      } else {
        archive.choices.append(choice)
      }
    case .remove(let id): archive.choices.removeAll { $0.stream == id.description }
    }
  }
}
