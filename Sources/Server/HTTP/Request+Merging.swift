import Hummingbird
import Signaling

extension Request {
  /// The members of a merge patch (RFC 7396), an object with nothing but `fields` in it: null takes a value away.
  ///
  /// Plain `application/json` is taken too: the only members are those of our own objects, where both mean the same.
  func patch(_ fields: [String], limit: Int) async throws -> BodyFields {
    let type = headers[.contentType].map(MediaTypeName.essence)
    guard type == MediaTypeName.mergePatch || type == MediaTypeName.json else {
      throw Problem.unsupportedMediaType(headers[.contentType], accepted: MediaTypeName.mergePatch, for: .patch)
    }
    var request = self
    request.headers[.contentType] = MediaTypeName.json
    return try await request.fields(fields, limit: limit)
  }
}

extension MediaTypeName {
  /// RFC 7396 section 4.
  static let mergePatch = "application/merge-patch+json"
}
