import Client
import Foundation
import Server

/// The address of a service as users write it.
struct ServerAddress {
  private(set) var endpoint: ServiceEndpoint
  /// "http://127.0.0.1:8080", for messages.
  let place: String

  private static let permitted = "http://HOST[:PORT] or https://HOST[:PORT]"

  /// - Parameter field: the option or variable with the value, for the error message.
  /// - Throws: `CommandFailure`.
  init(_ text: String, field: String) throws(CommandFailure) {
    let parts = URLComponents(string: text)
    guard let parts, let scheme = parts.scheme?.lowercased(), scheme == "http" || scheme == "https",
      let host = parts.host, !host.isEmpty, parts.path.isEmpty || parts.path == "/", parts.query == nil,
      parts.fragment == nil, parts.user == nil, parts.password == nil
    else {
      throw CommandFailure(
        ExitCodes.usage, "\(field) is \"\(text.prefix(200))\"; permitted: \(ServerAddress.permitted)")
    }
    let port = parts.port ?? (scheme == "https" ? 443 : 80)
    guard (1...65_535).contains(port) else {
      throw CommandFailure(ExitCodes.usage, "\(field) has the port \(port); permitted: 1 to 65535")
    }
    let name = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
    endpoint = ServiceEndpoint(host: name, port: port, isSecure: scheme == "https")
    place = "\(scheme)://\(name.contains(":") ? "[\(name)]" : name)\(parts.port.map { ":\($0)" } ?? "")"
  }

  /// The same, trusting the authorities of a file too, or whatever certificate is shown.
  func trusting(_ file: String?, unverified: Bool) -> ServerAddress {
    var copy = self
    copy.endpoint.trust = file
    copy.endpoint.isUnverified = unverified
    return copy
  }
}
