import HTTPTypes
import Hummingbird
import NIOCore
import Signaling

extension Response {
  /// A JSON answer that no cache keeps: rooms and takes change all the time.
  init(json: JSONValue, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) {
    var headers = headers
    headers[.contentType] = MediaTypeName.json
    headers[.cacheControl] = "no-store"
    self.init(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: json.bytes + [0x0A])))
  }

  /// An answer that has no body, and no length of one.
  static func empty(_ status: HTTPResponse.Status, headers: HTTPFields = [:]) -> Response {
    var response = Response(status: status, headers: headers)
    if status == .noContent || status == .notModified { response.headers[.contentLength] = nil }
    return response
  }
}
