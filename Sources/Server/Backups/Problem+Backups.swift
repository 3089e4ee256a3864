import HTTPTypes

extension Problem {
  static func unknownBackup(_ id: String) -> Problem {
    notFound("there is no backup \"\(id.prefix(64))\" (any more); GET /v1/takes/{take}/backups lists a take's")
  }

  static func noRoom(_ detail: String) -> Problem {
    Problem(
      .init(code: 507, reasonPhrase: "Insufficient Storage"), "storage", "Nothing can be stored", detail,
      headers: [.retryAfter: "60"])
  }

  /// The header field that says how much is here (draft-ietf-httpbis-resumable-upload).
  static func offset(_ received: Int64) -> HTTPFields { [.uploadOffset: "\(received)"] }
}

extension HTTPField.Name {
  // Constant names are valid tokens, so the alternatives are never taken.
  static let uploadOffset = HTTPField.Name("Upload-Offset") ?? .contentRange
  static let uploadComplete = HTTPField.Name("Upload-Complete") ?? .contentRange
  static let uploadLimit = HTTPField.Name("Upload-Limit") ?? .contentRange
}
