import Foundation
import Glibc
import Machines
import Realtime
import Rooms
import Signaling

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
    if let text = reader.text(.icePublicAddress) {
      ice.publicAddress = publicAddress(text)
      if ice.publicAddress == nil {
        reader.problem(
          .icePublicAddress, text,
          "an IPv4 address of this machine's router, or a name of it that can be resolved, for example 203.0.113.10")
      }
    }
    if let text = reader.text(.icePorts) {
      let bounds = text.split(separator: "-").compactMap { UInt16($0) }
      if bounds.count == 2, bounds[0] >= 1024, bounds[0] <= bounds[1] {
        ice.ports = bounds[0]...bounds[1]
      } else {
        reader.problem(.icePorts, text, "FIRST-LAST within 1024-65535, for example 40000-40999")
      }
    }
    if let text = reader.text(.icePeers) {
      ice.reach = PeerReach(parsing: text)
      if ice.reach == nil {
        reader.problem(
          .icePeers, text,
          "public, nearby, private, machine, any, and networks, separated by commas, for example public,10.8.0.0/16")
      }
    }
    if let text = reader.text(.stun) {
      if let server = HostAndPort(text, defaultPort: stunPort), let address = server.resolved {
        ice.reflector = .init(address: address, port: server.port)
        ice.announced.append(ICEServer(urls: ["stun:\(server)"]))
      } else {
        reader.problem(.stun, text, "HOST[:PORT] with a host that can be resolved, for example stun.example.org:3478")
      }
    }
    readTURN(&reader, into: &ice)
    return ice
  }

  /// Shorter secrets can be guessed from one pair of username and password, which every client gets.
  private static let shortestSecret = 16

  private static func readTURN(_ reader: inout SettingsReader, into ice: inout ICEConfiguration) {
    let (text, secret) = (reader.text(.turn), reader.text(.turnSecret))
    guard let text else {
      if secret != nil { reader.problem("JAMJAR_TURN_SECRET needs --turn HOST[:PORT]: the TURN server that shares it") }
      return
    }
    let permitted =
      "HOST[:PORT] with JAMJAR_TURN_SECRET, or USER:PASSWORD@HOST[:PORT], with a host that can be resolved"
    let at = text.lastIndex(of: "@")
    let place = at.map { String(text[text.index(after: $0)...]) } ?? text
    let access: ICEConfiguration.Relay.Access
    switch (at.flatMap { user(text[..<$0]) }, secret) {
    case (let user?, nil): access = .fixed(user)
    case (nil, let secret?) where at == nil:
      guard secret.utf8.count >= shortestSecret else {
        return reader.problem(
          .turnSecret, secret, "\(shortestSecret) bytes or more, as in turnserver.conf: static-auth-secret")
      }
      access = .timeLimited(RelaySecret(Secret(secret)))
    case (_?, _?):
      return reader.problem("--turn has a user and JAMJAR_TURN_SECRET is set: credentials are either fixed or made")
    default: return reader.problem(.turn, text, permitted)
    }
    guard let server = HostAndPort(place, defaultPort: stunPort), let address = server.resolved else {
      return reader.problem(.turn, text, permitted)
    }
    ice.relays = [
      .init(address: address, port: server.port, access: access, url: "turn:\(server)")
    ]
  }

  /// "USER:PASSWORD".
  private static func user(_ text: Substring) -> RelaySecret.Credentials? {
    guard let colon = text.firstIndex(of: ":") else { return nil }
    return .init(username: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
  }

  /// The address as a number; nil for those that lead from nowhere to here.
  private static func publicAddress(_ text: String) -> String? {
    guard let number = HostAndPort(host: text, port: 0).resolved(in: AF_INET),
      let scope = IPAddress(parsing: number)?.scope, ![.loopback, .linkLocal, .multicast, .unusable].contains(scope)
    else { return nil }
    return number
  }

  private static func loopback(_ host: String) -> String? {
    switch host {
    case "localhost", "127.0.0.1": "127.0.0.1"
    case "::1": "::1"
    default: host.hasPrefix("127.") ? host : nil
    }
  }
}
