import Music
import NIOPosix
import Recording
import Signaling
import Synchronization

/// Where the copies of a take are, and whether they have arrived: the member `objects` of a take.
package struct ObjectsReport: Sendable {
  /// "waiting", "storing", "stored" or "failed".
  var state: String
  /// Bytes that have arrived.
  var bytes: Int64
  /// The store; nil if nothing has been sent yet.
  var place: String?
  /// False if sound files are in the store only.
  var isLocal: Bool
  /// Why it waits or failed.
  var error: String?

  package var json: JSONValue {
    [
      "state": .string(state), "bytes": .integer(bytes), "place": .optional(place), "local": .bool(isLocal),
      "error": .optional(error),
    ]
  }

  /// What the take's folder says.
  struct Found: Sendable {
    var list: TakeObjects?
    var isStored = false
    var isLocal = true
    var cached = ObjectCache.Kept(bytes: 0, read: WallTime(milliseconds: 0))
  }

  /// - Throws: `FileProblem`.
  static func state(of take: Take, in root: String) throws(FileProblem) -> Found {
    let folder = try TakeFolder(existing: take.folder, in: root)
    guard let list = try TakeObjects.read(TakeObjects.fileName, in: folder), list.take == take.id else {
      return Found()
    }
    var found = Found(list: list)
    let manifest = try folder.read(TakeFolder.manifestName)
    found.isStored = list.isComplete && list.revision == TakeObjects.revision(ofManifest: manifest)
    found.isLocal = list.files.allSatisfy { !$0.isSound || folder.has($0.name) }
    // The list's time is that of the last reading.
    let read = try folder.upload(TakeObjects.fileName)?.modified ?? WallTime(milliseconds: 0)
    found.cached = ObjectCache.Kept(bytes: list.localBytes(in: folder), read: read)
    return found
  }

  /// The report of a data folder without its service; nil for a take that was never sent.
  package static func known(of take: Take, in root: String) async -> ObjectsReport? {
    guard let found = try? await NIOThreadPool.singleton.runIfActive({ try ObjectsReport.state(of: take, in: root) }),
      let list = found.list
    else { return nil }
    return ObjectsReport(
      state: found.isStored ? "stored" : "waiting", bytes: list.bytes, place: list.place, isLocal: found.isLocal)
  }
}

extension ObjectsReport {
  /// The report by a running service, with or without a store.
  static func now(of take: Take, _ objects: Objects?, in root: String) async -> ObjectsReport? {
    let known = await ObjectsReport.known(of: take, in: root)
    return objects.map { $0.report(of: take, known) } ?? known
  }
}

extension Objects {
  /// The report of a take of which the folder says what is `known`; nil for one without files.
  func report(of take: Take, _ known: ObjectsReport?) -> ObjectsReport? {
    guard known != nil || Objects.hasFiles(take) else { return nil }
    var report = known ?? ObjectsReport(state: "waiting", bytes: 0, place: store.place, isLocal: true)
    guard report.state != "stored" else { return report }
    state.withLock { state in
      if let fault = state.faulty[take.id] {
        (report.state, report.error) = ("failed", fault)
      } else {
        if state.current == .store(take.id) { report.state = "storing" }
        report.error = state.trouble
      }
    }
    return report
  }

  /// Lines for `/metrics`.
  var metricLines: [String] {
    let (waiting, faulty, isAway, counts, cached) = state.withLock { state in
      let waiting = state.queue.count + (state.current == nil ? 0 : 1)
      return (waiting, state.faulty.count, state.awaySince != nil, state.counts, state.cache.bytes)
    }
    var lines: [String] = []
    for (name, value) in [
      ("waiting", Int64(waiting)), ("faulty", Int64(faulty)), ("away", isAway ? 1 : 0), ("cached_bytes", cached),
    ] {
      lines += ["# TYPE jamjar_objects_\(name) gauge", "jamjar_objects_\(name) \(value)"]
    }
    for (name, value) in [
      ("takes_stored", Int64(counts.takesStored)), ("bytes_stored", counts.bytesStored),
      ("bytes_fetched", counts.bytesFetched), ("bytes_evicted", counts.bytesEvicted),
      ("retries", Int64(counts.retries)), ("damaged", Int64(counts.damaged)),
    ] {
      lines += ["# TYPE jamjar_objects_\(name)_total counter", "jamjar_objects_\(name)_total \(value)"]
    }
    return lines
  }

  /// Members of `/readyz` while the store does not do its work; empty otherwise.
  var readiness: JSONObject {
    state.withLock { state in
      guard let since = state.awaySince else { return [:] }
      let waiting = Int64(state.queue.count + (state.current == nil ? 0 : 1))
      return [
        "objects": "away", "objectsSince": .string(since.description), "objectsWaiting": .integer(waiting),
      ]
    }
  }
}
