import Hummingbird
import Signaling

/// The media types of the service, and their names in requests.
enum MediaTypeName {
  static let json = RESTNames.json
  static let problem = "application/problem+json"
  static let eventStream = "text/event-stream"
  static let flac = "audio/flac"
  static let sdp = "application/sdp"
  /// RFC 8840 section 9.
  static let fragment = "application/trickle-ice-sdpfrag"

  /// The type and subtype of a `Content-Type`, without parameters, in lower case.
  static func essence(of field: String) -> String {
    (field.split(separator: ";", maxSplits: 1).first.map(String.init) ?? "").trimmed.lowercased()
  }

  /// Whether the field `Accept` (nil: anything) accepts `type` (RFC 9110 section 12.5.1); `q=0` excludes it.
  static func accepts(_ field: String?, _ type: String) -> Bool {
    guard let field, !field.trimmed.isEmpty else { return true }
    let major = type.prefix { $0 != "/" }
    var best: (precision: Int, taken: Bool)?
    for range in field.split(separator: ",").prefix(32) {
      let parts = range.split(separator: ";").map { String($0).trimmed.lowercased() }
      let precision: Int
      switch parts.first {
      case type: precision = 2
      case "\(major)/*": precision = 1
      case "*/*": precision = 0
      default: continue
      }
      let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.flatMap { Double($0.dropFirst(2)) } ?? 1
      if precision >= best?.precision ?? -1 { best = (precision, weight > 0) }
    }
    return best?.taken ?? false
  }

  /// The type of a finished file of a take, by its extension.
  static func of(file name: String) -> String {
    switch name.split(separator: ".").last {
    case "flac": flac
    case "wav": "audio/wav"
    case "json": json
    default: "application/octet-stream"
    }
  }
}

extension Request {
  /// The members of a merge patch (RFC 7396), an object with no members other than `fields`: null removes a value.
  ///
  /// Plain `application/json` is accepted too: for the members of our objects both mean the same.
  func patch(_ fields: [String], limit: Int) async throws -> BodyFields {
    try await self.fields(fields, limit: limit, types: [MediaTypeName.mergePatch, MediaTypeName.json])
  }
}

extension MediaTypeName {
  /// RFC 7396 section 4.
  static let mergePatch = "application/merge-patch+json"
}
