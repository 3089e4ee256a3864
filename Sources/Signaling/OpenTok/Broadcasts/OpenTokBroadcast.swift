import Machines
import Music

/// A broadcast of OpenTok: the live mix of a session, sent to RTMP servers and served by HLS. Pure.
package struct OpenTokBroadcast: Hashable, Sendable {
  package enum Status: String, Hashable, Sendable, CaseIterable {
    case started, stopped
  }

  /// How it is with an RTMP server, in OpenTok's words.
  package enum TargetStatus: String, Hashable, Sendable, CaseIterable {
    case connecting, live
    /// Not reached, or lost; it is tried again.
    case offline
    /// It refuses the stream, or was tried often enough: the end.
    case error
  }

  package enum HLSStatus: String, Hashable, Sendable, CaseIterable {
    /// There is no segment yet.
    case connecting
    case live, ended, error
  }

  /// From the last leave to the end.
  private static let empty = MonotonicTime.Span.seconds(60)
  /// Most streams that an application chooses.
  private static let mostChoices = 1_000

  /// A UUID.
  package let id: String
  /// The project's key.
  package let project: String
  package let session: String
  package let room: RoomName
  package let wish: OpenTokBroadcastWish
  package let createdAt: WallTime
  package private(set) var updatedAt: WallTime
  package private(set) var status = Status.started
  package private(set) var reason = OpenTokArchive.Reason.none
  /// In the order of the wish's targets.
  package private(set) var targets: [TargetStatus]
  package private(set) var hls: HLSStatus?
  package private(set) var choices: [OpenTokArchive.Choice] = []
  package private(set) var layout: OpenTokArchiveLayout?
  private let startedAt: MonotonicTime
  private var emptySince: MonotonicTime?

  package init(
    id: String, session: OpenTokSessionID, wish: OpenTokBroadcastWish, at now: MonotonicTime, wall: WallTime
  ) {
    (self.id, project, self.session, room) = (id, session.key, session.description, session.room)
    (self.wish, createdAt, updatedAt, startedAt) = (wish, wall, wall, now)
    targets = wish.targets.map { _ in .connecting }
    hls = wish.hls == nil ? nil : .connecting
    layout = wish.layout
  }

  // MARK: Life

  /// Why it is to end now; nil if it goes on.
  /// - Parameter isOccupied: whether somebody is in the session.
  package mutating func look(isOccupied: Bool, at now: MonotonicTime) -> OpenTokArchive.Reason? {
    guard status == .started else { return nil }
    if now - startedAt >= wish.maxDuration { return .tooLong }
    emptySince = isOccupied ? nil : emptySince ?? now
    guard let emptySince, now - emptySince >= OpenTokBroadcast.empty else { return nil }
    return .sessionEnded
  }

  package mutating func end(_ reason: OpenTokArchive.Reason, at time: WallTime) {
    guard status == .started else { return }
    (status, self.reason) = (.stopped, reason)
    updatedAt = max(updatedAt, time)
    for index in targets.indices where targets[index] != .error { targets[index] = .offline }
    if hls != nil, hls != .error { hls = .ended }
  }

  package mutating func note(_ status: TargetStatus, of target: Int, at time: WallTime) {
    guard self.status == .started, targets.indices.contains(target), targets[target] != status else { return }
    targets[target] = status
    updatedAt = max(updatedAt, time)
  }

  package mutating func note(_ status: HLSStatus, at time: WallTime) {
    guard self.status == .started, hls != nil, hls != status else { return }
    hls = status
    updatedAt = max(updatedAt, time)
  }

  package mutating func arrange(_ layout: OpenTokArchiveLayout) { self.layout = layout }

  /// - Throws: `OpenTokRefusal` 400 for too many streams.
  package mutating func apply(_ change: OpenTokArchiveChange) throws(OpenTokRefusal) {
    switch change {
    case .add(let id, let hasAudio, let hasVideo):
      choices.removeAll { $0.stream == id.description }
      guard choices.count < OpenTokBroadcast.mostChoices else {
        throw .badRequest("a broadcast has \(OpenTokBroadcast.mostChoices) streams at most; remove some")
      }
      choices.append(OpenTokArchive.Choice(stream: id.description, hasAudio: hasAudio, hasVideo: hasVideo))
    case .remove(let id): choices.removeAll { $0.stream == id.description }
    }
  }

  /// The musicians who are heard; nil for all.
  package func heard(of streams: [OpenTokStream]) -> Set<ParticipantID>? {
    guard wish.streamMode == .manual else { return nil }
    let chosen = Set(choices.filter(\.hasAudio).map(\.stream))
    return Set(streams.filter { chosen.contains($0.id.description) }.map(\.participant))
  }

  // MARK: JSON

  /// The broadcast as the SDKs read it.
  /// - Parameter url: the HLS playlist's, of a broadcast that has one.
  package func json(hls url: String?) -> JSONObject {
    let key: JSONValue = Int64(project).map { .integer($0) } ?? .string(project)
    var urls: JSONObject = [:]
    if let hls {
      urls["hls"] = .optional(url)
      urls["hlsStatus"] = .string(hls.rawValue)
    }
    if !wish.targets.isEmpty {
      urls["rtmp"] = .array(
        zip(wish.targets, targets).map { target, status -> JSONValue in
          [
            "id": .optional(target.id), "serverUrl": .string(target.serverURL),
            "streamName": .string(target.streamName), "status": .string(status.rawValue),
          ]
        })
    }
    var object: JSONObject = [
      "id": .string(id), "sessionId": .string(session), "projectId": key, "partnerId": key,
      "createdAt": .integer(createdAt.milliseconds), "updatedAt": .integer(updatedAt.milliseconds),
      "status": .string(status.rawValue), "reason": .string(reason.rawValue),
      "maxDuration": .integer(wish.maxDuration.nanoseconds / 1_000_000_000),
      "maxBitrate": wish.maxBitrate.map { .integer($0) } ?? .null, "resolution": .optional(wish.resolution),
      // There is only sound in the mix.
      "hasAudio": true, "hasVideo": false, "streamMode": .string(wish.streamMode.rawValue),
      "multiBroadcastTag": .optional(wish.tag), "broadcastUrls": .object(urls),
    ]
    if let hls = wish.hls {
      object["settings"] = ["hls": ["lowLatency": .bool(hls.isLowLatency), "dvr": .bool(hls.keepsPast)]]
    }
    if wish.streamMode == .manual, status == .started {
      object["streams"] = .array(
        choices.map {
          ["streamId": .string($0.stream), "hasAudio": .bool($0.hasAudio), "hasVideo": .bool($0.hasVideo)]
        })
    }
    return object
  }
}
