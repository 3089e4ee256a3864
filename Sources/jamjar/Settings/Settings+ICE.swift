import Foundation
import Rooms

extension Settings {
  /// IANA's port of STUN and TURN (RFC 8489, RFC 8656).
  private static let stunPort: UInt16 = 3478

  /// The network settings for media.
  static func readICE(_ reader: inout SettingsReader, host: String) -> ICEConfiguration {
    var ice = ICEConfiguration()
    if let text = reader.text(.iceAddresses) {
      ice.addresses = text.split(separator: ",").map { String($0).trimmed }
    } else {
      ice.loopback = loopback(host)
    }
    if let text = reader.text(.icePorts) {
      let bounds = text.split(separator: "-").compactMap { UInt16($0) }
      if bounds.count == 2, bounds[0] >= 1024, bounds[0] <= bounds[1] {
        ice.ports = bounds[0]...bounds[1]
      } else {
        reader.problem(.icePorts, text, "FIRST-LAST within 1024-65535, for example 40000-40999")
      }
    }
    if let text = reader.text(.stun) {
      if let server = HostAndPort(text, defaultPort: stunPort), let address = server.resolved {
        ice.reflector = .init(address: address, port: server.port)
        ice.announced.append(ICEServer(urls: ["stun:\(server.host):\(server.port)"]))
      } else {
        reader.problem(.stun, text, "HOST[:PORT] with a host that can be resolved, for example stun.example.org:3478")
      }
    }
    if let text = reader.text(.turn) { readTURN(text, into: &ice, &reader) }
    return ice
  }

  private static func readTURN(_ text: String, into ice: inout ICEConfiguration, _ reader: inout SettingsReader) {
    guard let at = text.lastIndex(of: "@"), let colon = text[..<at].firstIndex(of: ":"),
      let server = HostAndPort(String(text[text.index(after: at)...]), defaultPort: stunPort),
      let address = server.resolved
    else { return reader.problem(.turn, text, "USER:PASSWORD@HOST[:PORT] with a host that can be resolved") }
    let username = String(text[..<colon])
    let password = String(text[text.index(after: colon)..<at])
    ice.relays = [.init(address: address, port: server.port, username: username, password: password)]
    ice.announced.append(
      ICEServer(urls: ["turn:\(server.host):\(server.port)"], username: username, credential: password))
  }

  private static func loopback(_ host: String) -> String? {
    switch host {
    case "localhost", "127.0.0.1": "127.0.0.1"
    case "::1": "::1"
    default: host.hasPrefix("127.") ? host : nil
    }
  }
}
