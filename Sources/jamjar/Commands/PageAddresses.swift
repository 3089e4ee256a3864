import Client
import Foundation
import Realtime
import Rooms
import Server

/// The addresses by which others reach a service's page, best first.
struct PageAddresses {
  /// The address that the operator gives out, if it is set.
  var publicURL: String?
  /// Names of the certificate, and those that a service without keys answers to.
  var names: [String]
  var host: String
  var isSecure: Bool
  /// Addresses of this machine.
  var own: [IPAddress]

  init(publicURL: String?, names: [String], host: String, isSecure: Bool, own: [IPAddress]) {
    self.publicURL = publicURL
    self.names = names
    self.host = host
    self.isSecure = isSecure
    self.own = own
  }

  init(_ settings: Settings) {
    let certificate = settings.server.tls.flatMap { ServerCertificate.chain(inFile: $0.certificate)?.first }
    let names = certificate.flatMap(ServerCertificate.init)?.names ?? []
    self.init(
      publicURL: settings.publicURL, names: settings.server.hostNames + names.filter { IPAddress(parsing: $0) == nil },
      host: settings.server.host, isSecure: settings.server.tls != nil,
      own: InterfaceAddresses.networks.map(\.address))
  }

  /// At least one. With an unspecified --host (0.0.0.0, ::) those of the network that the service then listens on.
  func all(port: Int) -> [String] {
    var hosts = [host]
    if let address = IPAddress(parsing: host), address.isUnspecified {
      let known = own.filter { [.global, .privateNetwork].contains($0.scope) }
      let fitting = known.filter { address.isV6 || !$0.isV6 }.sorted { $0.rank < $1.rank }
      let outside = names.filter { !$0.contains("*") && $0 != "localhost" }
      hosts = outside + fitting.map(\.text)
      if hosts.isEmpty { hosts = ["127.0.0.1"] }
    }
    var pages = hosts.map { host in
      let scheme = isSecure ? "https" : "http"
      let usual = isSecure ? 443 : 80
      return "\(scheme)://\(host.contains(":") ? "[\(host)]" : host)\(port == usual ? "" : ":\(port)")/"
    }
    if let publicURL { pages.insert(publicURL.hasSuffix("/") ? publicURL : publicURL + "/", at: 0) }
    var seen: Set<String> = []
    return pages.filter { seen.insert($0).inserted }
  }
}

extension IPAddress {
  /// 0.0.0.0 or ::, where a service listens on all addresses.
  fileprivate var isUnspecified: Bool {
    switch self {
    case .v4(let number): number == 0
    case .v6(let groups): groups.allSatisfy { $0 == 0 }
    }
  }

  fileprivate var isV6: Bool { if case .v6 = self { true } else { false } }

  /// Addresses of the internet first, and the short ones of IPv4 before the others.
  fileprivate var rank: Int { (scope == .global ? 0 : 2) + (isV6 ? 1 : 0) }
}
