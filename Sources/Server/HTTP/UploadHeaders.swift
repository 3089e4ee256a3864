import HTTPTypes
import Signaling

/// The header fields of a piece of an upload (draft-ietf-httpbis-resumable-upload).
struct UploadHeaders {
  /// Number of bytes sent before.
  let offset: Int64
  /// True if nothing follows.
  let isLast: Bool

  /// The body of a PATCH (section 4.4 there).
  static let partialUpload = "application/partial-upload"

  /// - Throws: `Problem` that names the field.
  init(_ headers: HTTPFields) throws(Problem) {
    offset = try UploadHeaders.offset(headers)
    isLast = try UploadHeaders.isComplete(headers)
  }

  private static func offset(_ headers: HTTPFields) throws(Problem) -> Int64 {
    guard let text = headers[.uploadOffset] else {
      throw Problem.invalid(
        "Upload-Offset", value: nil, "the header Upload-Offset is missing; it says how many bytes were sent before",
        permitted: ["0…"])
    }
    // An item of structured fields (RFC 9651): an integer of at most 15 digits, here without a sign.
    guard text.utf8.count <= 15, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let offset = Int64(text) else {
      throw Problem.invalid(
        "Upload-Offset", value: text, "the header Upload-Offset must be a whole number of bytes", permitted: ["0…"])
    }
    return offset
  }

  private static func isComplete(_ headers: HTTPFields) throws(Problem) -> Bool {
    switch headers[.uploadComplete] {
    case "?1": return true
    case "?0": return false
    case let text:
      throw Problem.invalid(
        "Upload-Complete", value: text,
        "the header Upload-Complete \(text == nil ? "is missing" : "cannot be read"); ?1 says that nothing follows, ?0 "
          + "that more does", permitted: ["?0", "?1"])
    }
  }
}

extension Problem {
  /// The upload continues elsewhere.
  static func wrongOffset(_ offset: Int64, received: Int64) -> Problem {
    Problem(
      .conflict, "upload-offset", "The upload continues at another offset",
      "the server has \(received) bytes, but \"Upload-Offset\" is \(offset); continue at \(received)",
      field: "Upload-Offset", value: "\(offset)", permitted: ["\(received)"],
      headers: Problem.offset(received), members: ["received": .integer(received)])
  }

  /// More bytes for a complete upload.
  static func uploadComplete(received: Int64) -> Problem {
    Problem(
      .conflict, "upload-complete", "The upload is complete",
      "the upload was completed with \(received) bytes and takes no more",
      headers: Problem.offset(received), members: ["received": .integer(received)])
  }

  /// The header field with the number of received bytes.
  static func offset(_ received: Int64) -> HTTPFields { [.uploadOffset: "\(received)"] }
}

extension HTTPField.Name {
  // Constant names are valid tokens, so the alternatives are never taken.
  static let uploadOffset = HTTPField.Name("Upload-Offset") ?? .contentRange
  static let uploadComplete = HTTPField.Name("Upload-Complete") ?? .contentRange
  static let uploadLimit = HTTPField.Name("Upload-Limit") ?? .contentRange
}
