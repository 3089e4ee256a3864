extension Settings {
  /// The settings by their names: `--tls-key` on the command line, `JAMJAR_TLS_KEY` in the environment, `tls-key` in
  /// the file.
  enum Key: String, CaseIterable {
    case host, port, data, insecure, recording, capacity, grace, returning, format, bitrate, red, stun, turn, drain
    case tlsCertificate = "tls-certificate"
    case tlsKey = "tls-key"
    case packetTime = "packet-time"
    case iceAddresses = "ice-addresses"
    case icePorts = "ice-ports"
    case icePeers = "ice-peers"
    case mediaLoops = "media-loops"
    case renderWorkers = "render-workers"
    case rollingRender = "rolling-render"
    case trashDays = "trash-days"
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
    case hostNames = "host-names"
    case webhookPrivate = "webhook-private"
    case exportRetention = "export-retention"
    case rtmpPort = "rtmp-port"
    case exportWorkers = "export-workers"
    case roomQuota = "room-quota"
    case stopLimit = "stop-limit"

    var isSecret: Bool { [.joinSecret, .apiKeys, .turn, .turnSecret, .webhooks].contains(self) }

    /// The variable of the environment.
    var variable: String { "JAMJAR_" + rawValue.uppercased().replacing("-", with: "_") }
  }
}
