import HTTPTypes

/// The key or token that the web studio keeps in a cookie, so that downloads and players show it too.
///
/// The page sets it with `SameSite=Strict`: no other site's page makes a browser send it. Pages of the same site on another
/// port or host are kept out of whatever changes something by their origin.
enum AccessCookie {
  static let name = "jamjar-access"

  /// Nil where there is none, or where another page than our own sent it along.
  static func credential(in request: HTTPRequest) -> String? {
    let pairs = request.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }
    guard let pair = pairs.map({ String($0).trimmed }).first(where: { $0.hasPrefix(name + "=") }),
      let credential = String(pair.dropFirst(name.count + 1)).percentDecoded, !credential.isEmpty
    else { return nil }
    if !TokenScope.isReading(request.method) {
      guard let origin = request.headerFields[.origin], let scheme = origin.firstRange(of: "://"),
        let authority = request.authority, origin[scheme.upperBound...] == authority
      else { return nil }
    }
    return credential
  }
}
