extension Settings {
  /// The settings by their names: `--tls-key` on the command line, `JAMJAR_TLS_KEY` in the environment, `tls-key` in
  /// the file.
  enum Key: String, CaseIterable {
    case host, port, data, insecure, recording, topology, capacity, grace, returning, format, bitrate, red, stun, turn
    case drain
    /// The address of PostgreSQL, which may have a password.
    case catalog
    case tlsCertificate = "tls-certificate"
    case tlsKey = "tls-key"
    case packetTime = "packet-time"
    case iceAddresses = "ice-addresses"
    case icePublicAddress = "ice-public-address"
    case icePorts = "ice-ports"
    case icePeers = "ice-peers"
    case mediaLoops = "media-loops"
    case renderWorkers = "render-workers"
    case rollingRender = "rolling-render"
    case listeningAhead = "listening-ahead"
    case trashDays = "trash-days"
    case keepOriginals = "keep-originals"
    case retentionDays = "retention-days"
    case retentionKeep = "retention-keep"
    case objectCreation = "object-creation"
    case objectDeletion = "object-deletion"
    case logLevel = "log-level"
    case logFormat = "log-format"
    /// Secrets, never given on the command line, where every process on the machine can read them.
    case joinSecret = "join-secret"
    case apiKeys = "api-keys"
    /// Shared with the TURN server.
    case turnSecret = "turn-secret"
    /// Webhook addresses with their secrets.
    case webhooks
    /// The methods of the band's own application, and the secret that signs their calls.
    case methods
    case methodSecret = "method-secret"
    /// Pairs of ident and secret, of apps made for XirSys.
    case xirsysAccounts = "xirsys-accounts"
    /// Pairs of service id and key, of apps made for Remote Monster.
    case remonServices = "remon-services"
    /// Who is told about their casts and recordings, with the secrets that sign it.
    case remonHooks = "remon-hooks"
    /// Pairs of key and secret, of apps made for OpenTok, and where they are called back.
    case openTokProjects = "opentok-projects"
    case openTokCallbacks = "opentok-callbacks"
    /// Whether servers of apps may show key and secret as they are.
    case openTokPartnerAuth = "opentok-partner-auth"
    /// Whether the files of archives go into the object store.
    case openTokUploads = "opentok-uploads"
    case hostNames = "host-names"
    case publicURL = "public-url"
    case trustedProxies = "trusted-proxies"
    case webhookPrivate = "webhook-private"
    case caFile = "ca-file"
    case exportRetention = "export-retention"
    case rtmpPort = "rtmp-port"
    case rtmpTracks = "rtmp-tracks"
    case exportWorkers = "export-workers"
    case roomQuota = "room-quota"
    /// The object store, the file with its keys, and how much stays here.
    case objects
    case objectsCredentials = "objects-credentials"
    case cacheSize = "cache-size"
    case stopLimit = "stop-limit"

    var isSecret: Bool {
      [
        .joinSecret, .apiKeys, .turn, .turnSecret, .webhooks, .methods, .methodSecret, .xirsysAccounts, .remonServices,
        .remonHooks, .openTokProjects, .openTokCallbacks, .catalog,
      ].contains(self)
    }

    /// The variable of the environment.
    var variable: String { "JAMJAR_" + rawValue.uppercased().replacing("-", with: "_") }
  }
}
