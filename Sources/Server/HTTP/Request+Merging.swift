import Hummingbird
import Signaling

extension Request {
  /// The members of a merge patch (RFC 7396), an object with nothing but `fields` in it: null takes a value away.
  ///
  /// Plain `application/json` is taken too: the only members are those of our own objects, where both mean the same.
  func patch(_ fields: [String], limit: Int) async throws -> BodyFields {
    try await self.fields(fields, limit: limit, types: [MediaTypeName.mergePatch, MediaTypeName.json])
  }
}

extension MediaTypeName {
  /// RFC 7396 section 4.
  static let mergePatch = "application/merge-patch+json"
}
