import ArgumentParser
import Configuration

/// The settings of the service as options; others come from the environment, the file, or the defaults.
///
/// Not a command by itself, but parsed like one (`Jamjar.parsed`).
struct SettingsOptions: ParsableCommand {
  @Option(name: .long, help: "JSON file with settings; its keys are the options' names.")
  var config: String?

  @Option(name: .long, help: "Address to listen on. Unless loopback, needs keys or --insecure. (default: 127.0.0.1)")
  var host: String?
  @Option(name: .long, help: "TCP port of HTTP and WebSocket; 0 lets the system choose. (default: 8080)")
  var port: Int?
  @Option(name: .long, help: "TCP port of RTMP, or of RTMPS with a certificate; 0 switches it off. (default: 1935)")
  var rtmpPort: Int?
  @Option(name: .long, help: "Most tracks of one RTMP stream, each a part of its musician. (default: 8)")
  var rtmpTracks: Int?
  @Option(name: .long, help: "Data folder for takes and the index. (default: Recordings)")
  var data: String?
  @Option(
    name: .long, help: "PostgreSQL for the index: postgresql://[user@]host[:port]/database. (default: a file in --data)"
  )
  var catalog: String?
  @Option(name: .long, help: "PEM file with the certificate and its chain.")
  var tlsCertificate: String?
  @Option(name: .long, help: "PEM file with the certificate's private key.")
  var tlsKey: String?
  @Flag(name: .long, help: "Serve without keys on any address: anyone who reaches it can listen, record and download.")
  var insecure = false
  @Option(
    name: .long,
    help: "Names by which a service without keys may be called, separated by commas. (default: the machine's own)")
  var hostNames: String?
  @Option(
    name: .customLong("public-url"),
    help: "Address that others open, for links, such as https://band.example. (default: that of the request)")
  var publicURL: String?
  @Option(
    name: .long,
    help:
      "Reverse proxies whose X-Forwarded-For is believed: addresses and networks like 10.8.0.0/16, separated by commas. (default: none)"
  )
  var trustedProxies: String?

  @Option(name: .long, help: "When takes roll: call (from first audio to last leave) or manual. (default: call)")
  var recording: String?
  @Option(
    name: .long,
    help:
      "How musicians hear each other in rooms without a choice of their own: routed (through the service) or mesh (directly). (default: routed)"
  )
  var topology: String?
  @Option(name: .long, help: "Maximum number of musicians per room. (default: 3)")
  var capacity: Int?
  @Option(
    name: .long, help: "Seconds to keep the seat of a disconnected musician. (default: 30; clients of Kurento 10)")
  var grace: Double?
  @Option(
    name: .long,
    help:
      "Where a musician who returns during a take is recorded: the same track, or a new part. (default: track)")
  var returning: String?
  @Option(name: .long, help: "Sound file format: flac24, flac16, wav24. (default: flac24)")
  var format: String?
  @Option(name: .long, help: "Bit rate requested from browsers, 6000 to 510000 bit/s. (default: 256000)")
  var bitrate: Int?
  @Option(name: .long, help: "Packet time requested from browsers: 10, 20, 40 or 60 ms. (default: 10)")
  var packetTime: Int?
  @Flag(name: .long, help: "Offer RED (RFC 2198): doubles the bit rate; retransmissions repair better.")
  var red = false

  @Option(
    name: .long,
    help:
      "Addresses to receive media on, separated by commas. (default: all interfaces, and the host if it is loopback)")
  var iceAddresses: String?
  @Option(
    name: .long,
    help: "IPv4 address or name by which the internet reaches media, if a router or a cloud leads its ports here.")
  var icePublicAddress: String?
  @Option(name: .long, help: "UDP ports for media, as FIRST-LAST. (default: chosen by the system)")
  var icePorts: String?
  @Option(
    name: .long,
    help:
      "Addresses that media may go to: public, nearby, private, machine, any, or networks like 10.8.0.0/16, separated by commas. (default: public,nearby, and machine with media on loopback)"
  )
  var icePeers: String?
  @Option(name: .long, help: "STUN server, HOST[:PORT].")
  var stun: String?
  @Option(name: .long, help: "TURN server, HOST[:PORT] with JAMJAR_TURN_SECRET, or USER:PASSWORD@HOST[:PORT].")
  var turn: String?

  @Option(name: .long, help: "Right to create persistent shared objects: everybody or nobody. (default: everybody)")
  var objectCreation: String?
  @Option(
    name: .long, help: "Right to remove from shared objects: everybody, creator or nobody. (default: everybody)")
  var objectDeletion: String?

  @Option(
    name: .long,
    help:
      "HTTP address of the application whose methods clients call; needs JAMJAR_METHOD_SECRET (docs/rtmp.md, section 4)."
  )
  var methods: String?
  @Option(name: .long, help: "The same for one method, NAME=ADDRESS; repeat it for more.")
  var method: [String] = []
  @Flag(name: .long, help: "Permit webhooks and methods on this machine, in private networks, and without TLS.")
  var webhookPrivate = false
  @Option(
    name: .long,
    help: ArgumentHelp(
      "PEM file of certificates to trust beside the system's: those of servers that bots, webhooks and methods reach, and the service's own authority.",
      valueName: "file"),
    completion: .file())
  var caFile: String?
  @Option(name: .long, help: "Seconds to keep finished exports. (default: 86400)")
  var exportRetention: Int?
  @Option(name: .long, help: "Number of exports made at a time. (default: 1)")
  var exportWorkers: Int?

  @Option(name: .long, help: "Threads for media packets. (default: half the processors)")
  var mediaLoops: Int?
  @Option(name: .long, help: "Takes that are finished at a time. (default: twice the processors)")
  var renderWorkers: Int?
  @Option(name: .long, help: "Render takes while they roll (true) or when they end (false). (default: true)")
  var rollingRender: String?
  @Option(
    name: .long,
    help: "Make Opus for slow lines of every take (true) or of those that are listened to (false). (default: true)")
  var listeningAhead: String?
  @Option(name: .long, help: "Seconds for which running takes may continue after the signal to stop. (default: 0)")
  var drain: Double?
  @Option(name: .long, help: "Further seconds until the process ends, with or without all work done. (default: 25)")
  var stopLimit: Double?
  @Option(name: .long, help: "Days to keep deleted takes in the trash. (default: 30)")
  var trashDays: Int?
  @Option(
    name: .long,
    help:
      "Days to keep musicians' uploaded copies as they came, after they were aligned; 0 for not at all. (default: 30)")
  var keepOriginals: Int?
  @Option(name: .long, help: "Days until takes move to the trash: N, or ROOM=N,ROOM=N,*=N. (default: never)")
  var retentionDays: String?
  @Option(name: .long, help: "Takes to keep: favourites, rated, rated-N, or nothing. (default: favourites,rated)")
  var retentionKeep: String?
  @Option(
    name: .long, help: "Most disk space of a room's takes and backups, such as 500M, 20G or 1T. (default: unlimited)")
  var roomQuota: String?
  @Option(
    name: .long,
    help: "Object store for finished takes: s3://BUCKET[/PREFIX][?endpoint=URL&region=NAME] (docs/objects.md).")
  var objects: String?
  @Option(
    name: .long, help: "File of mode 600 with the store's keys. (default: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY)")
  var objectsCredentials: String?
  @Option(
    name: .long, help: "Most disk space of sound files that the object store has too, such as 20G. (default: unlimited)"
  )
  var cacheSize: String?
  @Option(name: .long, help: "trace, debug, info, notice, warning, error. (default: info)")
  var logLevel: String?
  @Option(name: .long, help: "console or json. (default: console)")
  var logFormat: String?

  /// The options given on the command line, as the configuration's first source.
  var given: [AbsoluteConfigKey: ConfigValue] {
    var values: [AbsoluteConfigKey: ConfigValue] = [:]
    func set(_ key: Settings.Key, _ value: String?) {
      if let value { values[AbsoluteConfigKey([key.rawValue])] = ConfigValue(.string(value), isSecret: key.isSecret) }
    }
    set(.host, host)
    set(.port, port.map(String.init))
    set(.data, data)
    set(.catalog, catalog)
    set(.tlsCertificate, tlsCertificate)
    set(.tlsKey, tlsKey)
    set(.insecure, insecure ? "true" : nil)
    set(.recording, recording)
    set(.topology, topology)
    set(.capacity, capacity.map(String.init))
    set(.grace, grace.map { String($0) })
    set(.returning, returning)
    set(.format, format)
    set(.bitrate, bitrate.map(String.init))
    set(.packetTime, packetTime.map(String.init))
    set(.red, red ? "true" : nil)
    set(.iceAddresses, iceAddresses)
    set(.icePublicAddress, icePublicAddress)
    set(.icePorts, icePorts)
    set(.icePeers, icePeers)
    set(.stun, stun)
    set(.turn, turn)
    set(.hostNames, hostNames)
    set(.publicURL, publicURL)
    set(.trustedProxies, trustedProxies)
    let addresses = [methods].compactMap { $0 } + method
    set(.methods, addresses.isEmpty ? nil : addresses.joined(separator: " "))
    set(.webhookPrivate, webhookPrivate ? "true" : nil)
    set(.caFile, caFile)
    set(.exportRetention, exportRetention.map(String.init))
    set(.rtmpPort, rtmpPort.map(String.init))
    set(.rtmpTracks, rtmpTracks.map(String.init))
    set(.objectCreation, objectCreation)
    set(.objectDeletion, objectDeletion)
    set(.exportWorkers, exportWorkers.map(String.init))
    set(.mediaLoops, mediaLoops.map(String.init))
    set(.renderWorkers, renderWorkers.map(String.init))
    set(.rollingRender, rollingRender)
    set(.listeningAhead, listeningAhead)
    set(.trashDays, trashDays.map(String.init))
    set(.keepOriginals, keepOriginals.map(String.init))
    set(.retentionDays, retentionDays)
    set(.roomQuota, roomQuota)
    set(.objects, objects)
    set(.objectsCredentials, objectsCredentials)
    set(.cacheSize, cacheSize)
    set(.retentionKeep, retentionKeep)
    set(.drain, drain.map { String($0) })
    set(.stopLimit, stopLimit.map { String($0) })
    set(.logLevel, logLevel)
    set(.logFormat, logFormat)
    return values
  }
}
