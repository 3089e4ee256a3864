import Machines

/// What an application wants of a broadcast: the body of `POST /v2/project/KEY/broadcast`.
package struct OpenTokBroadcastWish: Hashable, Sendable {
  /// A server of others to which the sound is pushed by RTMP.
  package struct Target: Hashable, Sendable {
    /// The application's own name for it.
    package var id: String?
    /// `rtmp://` or `rtmps://`, host and application.
    package var serverURL: String
    /// Often a secret: never logged.
    package var streamName: String
  }

  package struct HLS: Hashable, Sendable {
    package var isLowLatency = false
    /// Listeners may go back two hours.
    package var keepsPast = false
  }

  package var targets: [Target] = []
  package var hls: HLS?
  package var maxDuration = MonotonicTime.Span.seconds(4 * 3_600)
  package var streamMode = OpenTokArchive.StreamMode.auto
  package var resolution: String?
  /// Sets several broadcasts of one session apart.
  package var tag: String?
  /// In bits a second.
  package var maxBitrate: Int64?
  package var layout: OpenTokArchiveLayout?

  /// Most RTMP servers of a session.
  package static let mostTargets = 5
  /// Longest address and name of a stream, in bytes.
  private static let longestText = 2_048

  package init() {}

  /// Reads the body; unset members may be null, and truth values strings, as SDKs send them.
  /// - Throws: `OpenTokRefusal` 400.
  package init(_ body: JSONObject) throws(OpenTokRefusal) {
    tag = try OpenTokArchiveWish.text(body, "multiBroadcastTag")
    streamMode = try OpenTokArchiveWish.word(body, "streamMode") ?? .auto
    resolution = try OpenTokArchiveWish.text(body, "resolution")
    if let resolution, !OpenTokSessionID.resolutions.contains(resolution) {
      throw .badRequest("resolution is one of \(OpenTokSessionID.resolutions.joined(separator: ", "))")
    }
    maxBitrate = try OpenTokArchiveWish.number(body, "maxBitrate", in: 100_000...6_000_000)
    if let seconds = try OpenTokArchiveWish.number(body, "maxDuration", in: 60...36_000) {
      maxDuration = .seconds(seconds)
    }
    if let value = body["layout"], value != .null {
      layout = try OpenTokArchiveLayout(try OpenTokBroadcastWish.object(value, "layout"))
    }
    guard try OpenTokArchiveWish.flag(body, "hasAudio") ?? true else {
      throw .badRequest(
        "this service sends sound only, so a broadcast without audio would be empty: leave hasAudio out")
    }
    _ = try OpenTokArchiveWish.flag(body, "hasVideo")
    let outputs = body["outputs"] ?? .null
    guard outputs != .null else {
      hls = HLS()
      return
    }
    try readOutputs(try OpenTokBroadcastWish.object(outputs, "outputs"))
  }

  private mutating func readOutputs(_ outputs: JSONObject) throws(OpenTokRefusal) {
    if let value = outputs["hls"], value != .null {
      let object = try OpenTokBroadcastWish.object(value, "outputs.hls")
      let isLowLatency = try OpenTokArchiveWish.flag(object, "lowLatency") ?? false
      let keepsPast = try OpenTokArchiveWish.flag(object, "dvr") ?? false
      guard !isLowLatency || !keepsPast else {
        throw .badRequest("lowLatency and dvr exclude each other; choose one of them")
      }
      hls = HLS(isLowLatency: isLowLatency, keepsPast: keepsPast)
    }
    if let value = outputs["rtmp"], value != .null {
      // One alone may come without its array.
      guard let list = value.array ?? (value.object == nil ? nil : [value]) else {
        throw .badRequest("\"outputs.rtmp\" is \(value.kind); it must be an array of {\"serverUrl\", \"streamName\"}")
      }
      guard list.count <= OpenTokBroadcastWish.mostTargets else {
        throw .badRequest("a session is sent to \(OpenTokBroadcastWish.mostTargets) RTMP servers at most")
      }
      for item in list { targets.append(try OpenTokBroadcastWish.target(item)) }
      let ids = targets.compactMap(\.id)
      guard Set(ids).count == ids.count else { throw .badRequest("two items of \"outputs.rtmp\" have the same id") }
    }
    guard hls != nil || !targets.isEmpty else {
      throw .badRequest("\"outputs\" has neither hls nor rtmp; name one of them, or leave outputs out for HLS")
    }
  }

  private static func target(_ value: JSONValue) throws(OpenTokRefusal) -> Target {
    let item = try object(value, "outputs.rtmp")
    let url = item["serverUrl"]?.string ?? ""
    guard url.hasPrefix("rtmp://") || url.hasPrefix("rtmps://"), url.utf8.count <= longestText else {
      throw .badRequest(
        "a \"serverUrl\" of outputs.rtmp is an address such as rtmps://live.example/app, of at most \(longestText) bytes"
      )
    }
    let name = item["streamName"]?.string ?? ""
    guard !name.isEmpty, name.utf8.count <= longestText, name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw .badRequest(
        "an item of outputs.rtmp has no \"streamName\" (often called the stream key) of 1 to \(longestText) bytes")
    }
    return Target(id: try OpenTokArchiveWish.text(item, "id"), serverURL: url, streamName: name)
  }

  private static func object(_ value: JSONValue, _ name: String) throws(OpenTokRefusal) -> JSONObject {
    guard let object = value.object else { throw .badRequest("\"\(name)\" is \(value.kind); it must be an object") }
    return object
  }
}
