import Music
import Signaling

/// The configuration of the server, fixed at start.
package struct ServerConfiguration: Sendable {
  /// The files of a certificate, both in PEM.
  package struct TLSFiles: Hashable, Sendable {
    /// Path of the certificate with its chain.
    package var certificate: String
    /// Path of the private key.
    package var key: String

    package init(certificate: String, key: String) {
      self.certificate = certificate
      self.key = key
    }
  }

  /// Address or name to listen on.
  package var host: String
  /// 0 lets the kernel choose.
  package var port: Int
  package var tls: TLSFiles?
  /// The address and port of RTMP (RTMPS with `tls`); nil disables it.
  package var rtmp: RTMPPort?
  /// Nil leaves the service open, which is allowed on loopback, or elsewhere with `insecure`.
  package var keys: Keys?
  /// Allows an open service on any address.
  package var insecure: Bool
  /// Further names by which an open service may be called, beside its addresses and the machine's own names.
  package var hostNames: [String] = []
  /// The address that others open, "https://band.example", for links; nil for the one by which a request came.
  package var publicURL: String?
  /// The reverse proxies that are believed about their clients' addresses.
  package var proxies = TrustedProxies.none
  /// The data folder with the finished takes.
  package var recordings: String
  package var limits: ServerLimits
  /// The HTTP endpoints that receive events.
  package var webhooks: WebhookConfiguration
  /// The methods of the band's own application.
  package var methods = MethodConfiguration()
  /// What single doors are told.
  package var doors = DoorConfigurations()
  /// Settings for making and keeping exports.
  package var exports: ExportConfiguration
  /// Settings for receiving and keeping backups.
  package var backups = BackupConfiguration()
  /// Limits for importing recordings.
  package var imports = ImportConfiguration()
  /// The object store for finished takes; nil keeps them in the data folder only.
  package var objects: ObjectsConfiguration?
  /// With what the doctor looks at the service; nil where nobody knows its settings (tests).
  package var doctor: DoctorWorker.Order?
  /// True if the segments for listening are made of every take, false if only of those that somebody listens to.
  package var listensAhead = true

  /// The port of RTMP.
  package struct RTMPPort: Hashable, Sendable {
    /// 0 lets the kernel choose.
    package var number: Int
    /// True for the default port: if it is taken, the service runs without RTMP.
    package var isDefault: Bool

    package init(_ number: Int, isDefault: Bool = false) {
      self.number = number
      self.isDefault = isDefault
    }

    /// The customary port of RTMP.
    package static let usual = RTMPPort(1_935, isDefault: true)
  }

  package init(
    host: String = "127.0.0.1", port: Int = 8080, tls: TLSFiles? = nil, rtmp: RTMPPort? = nil, keys: Keys? = nil,
    insecure: Bool = false,
    recordings: String, limits: ServerLimits = ServerLimits(), webhooks: WebhookConfiguration = WebhookConfiguration(),
    exports: ExportConfiguration = ExportConfiguration()
  ) {
    self.host = host
    self.port = port
    self.tls = tls
    self.rtmp = rtmp
    self.keys = keys
    self.insecure = insecure
    self.recordings = recordings
    self.limits = limits
    self.webhooks = webhooks
    self.exports = exports
  }

  /// True if only this machine can reach the service.
  package var isLoopback: Bool { HostName(host).isLoopback }

  /// Refuses dangerous or impossible configurations.
  /// - Throws: `ConfigurationProblem` with a sentence that says what to do.
  package func check() throws(ConfigurationProblem) {
    guard (0...65_535).contains(port) else {
      throw ConfigurationProblem("the port \(port) does not exist; use 0 to 65535 (0 lets the system choose)")
    }
    try webhooks.check()
    try methods.check(allowsPrivate: webhooks.allowsPrivate)
    try doors.check(beside: self)
    guard keys != nil || insecure || isLoopback else {
      throw ConfigurationProblem(
        "without keys anybody with access to \(host) could listen, record and download; configure keys (a join secret, "
          + "API keys), or listen on 127.0.0.1, or use --insecure if something else guards the network")
    }
  }

  /// The topology of rooms whose names say it, as a door gives them.
  package var topologyOfName: @Sendable (RoomName) -> RoomPolicy.Topology? {
    { [doors] room in doors.topology(of: room) }
  }

  var originPolicy: OriginPolicy {
    guard keys == nil else { return OriginPolicy(mode: .anyPage) }
    let own = publicURL?.split(separator: "/").last.flatMap { HostName(authority: String($0)) }
    let names = HostName.ofThisMachine.union((hostNames + [host]).map(HostName.init)).union(own.map { [$0] } ?? [])
    return OriginPolicy(mode: isLoopback && !insecure ? .thisMachine : .ownPages, names: names)
  }
}
