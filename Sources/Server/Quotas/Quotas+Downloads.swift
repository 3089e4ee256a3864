import Hummingbird
import Signaling

extension Quotas {
  /// What is longer, in bytes, is a download; the rest is sent at once.
  private static let longResponse = 1 << 20

  /// A response whose body, if it is long, has a place until all of it has been sent or the connection is gone: a client
  /// may read slowly, and each costs memory and an open file meanwhile.
  ///
  /// Streams of unknown length have places of their own.
  /// - Throws: `RoomRefusal` `.rateLimited` if there is none.
  func placed(_ response: Response, for caller: Caller) throws(RoomRefusal) -> Response {
    guard let length = response.body.contentLength, length >= Quotas.longResponse else { return response }
    let hold = try hold(.download, caller)
    let body = response.body
    var response = response
    response.body = ResponseBody(contentLength: length) { writer in
      defer { hold.release() }
      try await body.write(writer)
    }
    return response
  }
}
