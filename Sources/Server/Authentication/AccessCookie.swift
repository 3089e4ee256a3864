import HTTPTypes
import Signaling

/// The key or token that the web studio keeps in a cookie, so that downloads and players send it too.
///
/// The service sets it (`AccessResource`), hidden from scripts and with `SameSite=Strict`: pages of other sites cannot
/// make a browser send it. For pages of the same site on another port or host, the check of the origin refuses every
/// request that changes something.
enum AccessCookie {
  static let name = "jamjar-access"

  /// Nil without a cookie, or if a foreign page sent the request.
  static func credential(in request: HTTPRequest) -> String? {
    let pairs = request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }
    guard let pair = pairs.map({ String($0).trimmed }).first(where: { $0.hasPrefix(name + "=") }),
      let credential = String(pair.dropFirst(name.count + 1)).percentDecoded, !credential.isEmpty
    else { return nil }
    if !request.method.isSafe {
      guard let origin = request.headerFields[.origin], isOwn(origin, of: request.authority) else { return nil }
    }
    return credential
  }
}
