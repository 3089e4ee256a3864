import Music

/// What an application wants of an archive: the body of `POST /v2/project/KEY/archive`.
package struct OpenTokArchiveWish: Hashable, Sendable, Codable {
  package var name: String?
  package var outputMode = OpenTokArchive.OutputMode.composed
  package var streamMode = OpenTokArchive.StreamMode.auto
  package var resolution: String?
  /// Sets several archives of one session apart.
  package var tag: String?
  /// In bits a second.
  package var maxBitrate: Int64?
  package var layout: OpenTokArchiveLayout?

  /// Longest name and tag, in characters.
  private static let longestText = 255

  package init() {}

  /// Reads the body; unset members may be null, and truth values strings, as SDKs send them.
  /// - Throws: `OpenTokRefusal` 400.
  package init(_ body: JSONObject) throws(OpenTokRefusal) {
    name = try OpenTokArchiveWish.text(body, "name")
    tag = try OpenTokArchiveWish.text(body, "multiArchiveTag")
    outputMode = try OpenTokArchiveWish.word(body, "outputMode") ?? .composed
    streamMode = try OpenTokArchiveWish.word(body, "streamMode") ?? .auto
    resolution = try OpenTokArchiveWish.text(body, "resolution")
    maxBitrate = try OpenTokArchiveWish.number(body, "maxBitrate", in: 100_000...6_000_000)
    _ = try OpenTokArchiveWish.number(body, "quantizationParameter", in: 15...40)
    if let value = body["layout"], value != .null {
      guard let object = value.object else { throw .badRequest("\"layout\" is \(value.kind); it must be an object") }
      layout = try OpenTokArchiveLayout(object)
    }
    let hasAudio = try OpenTokArchiveWish.flag(body, "hasAudio") ?? true
    let hasVideo = try OpenTokArchiveWish.flag(body, "hasVideo") ?? true
    guard hasAudio || hasVideo else {
      throw .badRequest("hasAudio and hasVideo are both false; an archive needs one of them")
    }
    guard hasAudio else {
      throw .badRequest(
        "this service records sound only, so an archive without audio would be empty: leave hasAudio out")
    }
    if try OpenTokArchiveWish.flag(body, "hasTranscription") == true {
      throw .badRequest("transcription is not available for this project: leave hasTranscription out")
    }
    guard outputMode == .composed || (resolution == nil && layout == nil) else {
      throw .badRequest("resolution and layout belong to outputMode=composed; individual streams have their own")
    }
    if let resolution, !OpenTokSessionID.resolutions.contains(resolution) {
      throw .badRequest("resolution is one of \(OpenTokSessionID.resolutions.joined(separator: ", "))")
    }
  }

  // MARK: Members of bodies

  static func text(_ body: JSONObject, _ name: String) throws(OpenTokRefusal) -> String? {
    guard let value = body[name], value != .null else { return nil }
    guard let text = value.string else { throw .badRequest("\"\(name)\" is \(value.kind); it must be a string") }
    guard text.count <= longestText else {
      throw .badRequest("\"\(name)\" has \(text.count) characters; \(longestText) at most")
    }
    return text.isEmpty ? nil : text
  }

  static func flag(_ body: JSONObject, _ name: String) throws(OpenTokRefusal) -> Bool? {
    switch body[name] {
    case nil, .null: return nil
    case .bool(let flag): return flag
    case .string("true"): return true
    case .string("false"): return false
    case let value?: throw .badRequest("\"\(name)\" is \(value.kind); it must be true or false")
    }
  }

  static func word<Word: RawRepresentable<String> & CaseIterable>(
    _ body: JSONObject, _ name: String
  ) throws(OpenTokRefusal) -> Word? {
    guard let text = try text(body, name) else { return nil }
    guard let word = Word(rawValue: text) else {
      throw .badRequest("\"\(name)\" is one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return word
  }

  static func number(
    _ body: JSONObject, _ name: String, in range: ClosedRange<Int64>
  ) throws(OpenTokRefusal) -> Int64? {
    guard let value = body[name], value != .null else { return nil }
    guard let number = value.integer, range.contains(number) else {
      throw .badRequest("\"\(name)\" is a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

/// How the pictures of a composed archive are arranged: accepted and kept, as there are none.
package struct OpenTokArchiveLayout: Hashable, Sendable, Codable {
  package enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
    case bestFit, pip, verticalPresentation, horizontalPresentation, custom
  }

  package var type: Kind
  package var stylesheet: String?
  package var screenshareType: Kind?

  private static let longestStylesheet = 8_192

  /// - Throws: `OpenTokRefusal` 400.
  package init(_ body: JSONObject) throws(OpenTokRefusal) {
    type = try OpenTokArchiveLayout.kind(body, "type") ?? .bestFit
    screenshareType = try OpenTokArchiveLayout.kind(body, "screenshareType")
    if let value = body["stylesheet"], value != .null {
      guard let text = value.string, text.utf8.count <= OpenTokArchiveLayout.longestStylesheet else {
        throw .badRequest("\"stylesheet\" is a text of at most \(OpenTokArchiveLayout.longestStylesheet) bytes")
      }
      stylesheet = text
    }
    guard (stylesheet != nil) == (type == .custom) else {
      throw .badRequest("a layout has a stylesheet if its type is custom, and only then")
    }
    guard screenshareType == nil || type == .bestFit else {
      throw .badRequest("screenshareType belongs to the type bestFit")
    }
  }

  private static func kind(_ body: JSONObject, _ name: String) throws(OpenTokRefusal) -> Kind? {
    guard let value = body[name], value != .null else { return nil }
    guard let kind = value.string.flatMap(Kind.init(rawValue:)) else {
      throw .badRequest("\"\(name)\" is one of \(Kind.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    return kind
  }
}

/// A change of the streams of an archive: the body of `PATCH …/archive/ID/streams`.
package enum OpenTokArchiveChange: Hashable, Sendable {
  case add(OpenTokStreamID, hasAudio: Bool, hasVideo: Bool)
  case remove(OpenTokStreamID)

  /// - Throws: `OpenTokRefusal` 400; 404 for what can be no stream.
  package init(_ body: JSONObject) throws(OpenTokRefusal) {
    let added = try OpenTokArchiveWish.text(body, "addStream")
    let removed = try OpenTokArchiveWish.text(body, "removeStream")
    guard (added == nil) != (removed == nil), let text = added ?? removed else {
      throw .badRequest("the body has addStream or removeStream, the id of a stream")
    }
    guard let stream = OpenTokStreamID(text) else { throw .notFound("Stream not found: \(text)") }
    guard added != nil else {
      self = .remove(stream)
      return
    }
    self = .add(
      stream, hasAudio: try OpenTokArchiveWish.flag(body, "hasAudio") ?? true,
      hasVideo: try OpenTokArchiveWish.flag(body, "hasVideo") ?? true)
  }
}
