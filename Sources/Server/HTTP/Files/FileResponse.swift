// Arithmetic in this file is in range: places lie in the part to be sent, and the part in the file.

import HTTPTypes
import Hummingbird
import NIOCore
import Signaling

/// Responds to a GET with a file, whole or in part, or with 304 (RFC 9110 sections 13 and 14).
struct FileResponse {
  let file: any DownloadContents
  let contentType: String
  /// The name under which a browser saves the file; nil to display it.
  let downloadName: String?

  /// Bytes read and sent at a time: half a second of stereo FLAC, and little memory per listener.
  private static let chunk = 131_072

  /// - Throws: `Problem` 412 if a precondition fails, 416 if no range begins inside the file.
  func response(to request: Request) throws(Problem) -> Response {
    var headers: HTTPFields = [
      .eTag: file.tag.description, .lastModified: file.modified.description, .acceptRanges: "bytes",
      // Caches must revalidate: a take can be rendered again under the same address.
      .cacheControl: "private, no-cache",
    ]
    try checkPreconditions(request.headers)
    if isUnchanged(request.headers) { return .empty(.notModified, headers: headers) }
    headers[.contentType] = contentType
    headers[.xContentTypeOptions] = "nosniff"
    if let downloadName { headers[.contentDisposition] = ContentDisposition.attachment(downloadName) }

    let wanted = permitsRange(request.headers) ? ByteRange(request.headers[.range], size: file.size) : .whole
    switch wanted {
    case .whole:
      return Response(status: .ok, headers: headers, body: body(0..<file.size))
    case .part(let part):
      headers[.contentRange] = "bytes \(part.lowerBound)-\(part.upperBound - 1)/\(file.size)"
      return Response(status: .partialContent, headers: headers, body: body(part))
    case .unsatisfiable:
      throw Problem(
        .rangeNotSatisfiable, "range-not-satisfiable", "The range lies outside the file",
        "the file has \(file.size) bytes; a range must begin before its end", field: "Range",
        value: request.headers[.range], headers: [.contentRange: "bytes */\(file.size)"])
    }
  }

  private func checkPreconditions(_ headers: HTTPFields) throws(Problem) {
    if let field = headers[.ifMatch] {
      guard file.tag.matches(field, strongly: true) else {
        throw Problem.preconditionFailed("the file is now \(file.tag), which If-Match does not list")
      }
    } else if let date = headers[.ifUnmodifiedSince].flatMap(HTTPDate.init(parsing:)), file.modified > date {
      throw Problem.preconditionFailed("the file was rendered again at \(file.modified)")
    }
  }

  private func isUnchanged(_ headers: HTTPFields) -> Bool {
    if let field = headers[.ifNoneMatch] { return file.tag.matches(field, strongly: false) }
    guard let date = headers[.ifModifiedSince].flatMap(HTTPDate.init(parsing:)) else { return false }
    return file.modified <= date
  }

  /// True if `If-Range` names this very file; a date must match exactly (RFC 9110 section 13.1.5).
  private func permitsRange(_ headers: HTTPFields) -> Bool {
    guard let field = headers[.ifRange] else { return true }
    if let tag = EntityTag(parsing: field) { return !tag.isWeak && tag == file.tag }
    return HTTPDate(parsing: field) == file.modified
  }

  private func body(_ part: Range<Int64>) -> ResponseBody {
    let file = file
    return ResponseBody(contentLength: part.count) { writer in
      var offset = part.lowerBound
      while offset < part.upperBound {
        let count = Int(min(Int64(FileResponse.chunk), part.upperBound - offset))
        try await writer.write(ByteBuffer(bytes: try await file.read(at: offset, count: count)))
        offset += Int64(count)
      }
      try await writer.finish(nil)
    }
  }
}

/// The field with the name of a download (RFC 6266), in a form for old clients and one for all scripts (RFC 8187).
enum ContentDisposition {
  /// Longest suggested name, in characters.
  private static let maximumLength = 120

  /// `attachment` with `name`, sanitized so that it cannot end the quoted form or the header field.
  static func attachment(_ name: String) -> String {
    let shown = String(name.prefix(maximumLength))
    let plain = String(
      shown.map { character -> Character in
        guard let byte = character.asciiValue, byte >= 0x20, byte < 0x7F else { return "_" }
        // Quotation marks end the quoted form; browsers differ in reading percent signs and slashes.
        return "\"\\%/:*?<>|".contains(character) ? "_" : character
      })
    let safe = String(shown.map { "/\\".contains($0) ? "_" : $0 })
    return "attachment; filename=\"\(plain)\"; filename*=UTF-8''\(safe.percentEncoded)"
  }
}
