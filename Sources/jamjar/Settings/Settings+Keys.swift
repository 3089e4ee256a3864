import Server

extension Settings {
  /// The name of a setting: `--tls-key` on the command line, `JAMJAR_TLS_KEY` in the environment, `tls-key` in the file.
  struct Key: Hashable {
    let rawValue: String
    /// True if its value is never shown.
    let isSecret: Bool

    private init(_ name: String, isSecret: Bool = false) {
      (rawValue, self.isSecret) = (name, isSecret)
    }

    init(_ setting: DoorSetting) {
      self.init(setting.name, isSecret: setting.isSecret)
    }

    /// The variable of the environment.
    var variable: String { DoorSetting.variable(of: rawValue) }
  }
}

/// All settings but those of single doors, which have them in their own folders (`DoorConfigurations.settings`).
extension Settings.Key {
  static let host = Self("host")
  static let port = Self("port")
  static let data = Self("data")
  static let insecure = Self("insecure")
  static let recording = Self("recording")
  static let topology = Self("topology")
  static let capacity = Self("capacity")
  static let grace = Self("grace")
  static let returning = Self("returning")
  static let format = Self("format")
  static let bitrate = Self("bitrate")
  static let red = Self("red")
  static let stun = Self("stun")
  static let turn = Self("turn", isSecret: true)
  static let drain = Self("drain")
  /// The address of PostgreSQL, which may have a password.
  static let catalog = Self("catalog", isSecret: true)
  static let tlsCertificate = Self("tls-certificate")
  static let tlsKey = Self("tls-key")
  static let packetTime = Self("packet-time")
  static let iceAddresses = Self("ice-addresses")
  static let icePublicAddress = Self("ice-public-address")
  static let icePorts = Self("ice-ports")
  static let icePeers = Self("ice-peers")
  static let mediaLoops = Self("media-loops")
  static let renderWorkers = Self("render-workers")
  static let rollingRender = Self("rolling-render")
  static let listeningAhead = Self("listening-ahead")
  static let trashDays = Self("trash-days")
  static let keepOriginals = Self("keep-originals")
  static let retentionDays = Self("retention-days")
  static let retentionKeep = Self("retention-keep")
  static let objectCreation = Self("object-creation")
  static let objectDeletion = Self("object-deletion")
  static let logLevel = Self("log-level")
  static let logFormat = Self("log-format")
  /// Secrets, never given on the command line, where every process on the machine can read them.
  static let joinSecret = Self("join-secret", isSecret: true)
  static let apiKeys = Self("api-keys", isSecret: true)
  /// Shared with the TURN server.
  static let turnSecret = Self("turn-secret", isSecret: true)
  /// Webhook addresses with their secrets.
  static let webhooks = Self("webhooks", isSecret: true)
  /// The methods of the band's own application, and the secret that signs their calls.
  static let methods = Self("methods", isSecret: true)
  static let methodSecret = Self("method-secret", isSecret: true)
  static let hostNames = Self("host-names")
  static let publicURL = Self("public-url")
  static let trustedProxies = Self("trusted-proxies")
  static let webhookPrivate = Self("webhook-private")
  static let caFile = Self("ca-file")
  static let exportRetention = Self("export-retention")
  static let rtmpPort = Self("rtmp-port")
  static let rtmpTracks = Self("rtmp-tracks")
  static let exportWorkers = Self("export-workers")
  static let roomQuota = Self("room-quota")
  /// The object store, the file with its keys, and how much stays here.
  static let objects = Self("objects")
  static let objectsCredentials = Self("objects-credentials")
  static let cacheSize = Self("cache-size")
  static let stopLimit = Self("stop-limit")
}
