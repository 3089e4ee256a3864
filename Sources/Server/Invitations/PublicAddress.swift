import HTTPTypes
import Hummingbird

/// The address of the service as those have to write it who get a link.
struct PublicAddress: Sendable {
  /// That of the settings; it is right even where the service cannot know its own name.
  let configured: String?
  /// True if the service speaks TLS itself.
  let isSecure: Bool
  let proxies: TrustedProxies

  /// Scheme and host without a slash at the end: the configured address, or the one by which `request` came.
  /// - Throws: `Problem` for a host that no link can have.
  func base(of request: Request, _ context: ExchangeContext) throws(Problem) -> String {
    if let configured { return configured }
    let isForwarded = proxies.contains(context.channel)
    let authority = isForwarded ? first(.forwardedHost, request) ?? request.head.authority : request.head.authority
    guard let authority, HostName(authority: authority) != nil, authority.utf8.allSatisfy(PublicAddress.isOfHost) else {
      throw Problem.invalid(
        "Host", value: authority, "\"Host\" names no host that a link could have; the operator can set --public-url")
    }
    return "\(scheme(of: request, authority, isForwarded: isForwarded))://\(authority)"
  }

  /// A page knows the scheme of its own address, whatever stands between.
  private func scheme(of request: Request, _ authority: String, isForwarded: Bool) -> String {
    let isPageSecure = request.headers[.origin] == "https://\(authority)"
    let isProxySecure = isForwarded && first(.forwardedProto, request)?.lowercased() == "https"
    return isSecure || isPageSecure || isProxySecure ? "https" : "http"
  }

  private func first(_ name: HTTPField.Name, _ request: Request) -> String? {
    request.headers[values: name].first?.split(separator: ",").first.map { String($0).trimmed }
  }

  private static func isOfHost(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
      true
    default: false
    }
  }
}

extension HTTPField.Name {
  // Constant names are valid tokens, so the alternatives are never taken.
  fileprivate static let forwardedHost = HTTPField.Name("X-Forwarded-Host") ?? .via
  fileprivate static let forwardedProto = HTTPField.Name("X-Forwarded-Proto") ?? .via
}
