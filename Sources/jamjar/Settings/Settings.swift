import Catalog
import Foundation
import Library
import Logging
import Machines
import Music
import Realtime
import Recording
import Rooms
import Server
import Signaling

/// The service's settings, read once at its start.
struct Settings {
  /// The time limits for ending the service.
  struct Stop {
    /// Seconds for which running takes may continue after the signal.
    var drain: Double
    /// Further seconds until the process ends.
    var limit: Double
  }

  var catalog: CatalogPlace
  var server: ServerConfiguration
  var rooms: RoomsConfiguration
  var retention: RetentionPolicy
  var stop: Stop
  var logLevel: Logger.Level
  var logsJSON: Bool
  /// The explicit settings and their keys, for `config show`; without secrets.
  var found: [(key: Key, value: String)]
  /// The address under which others reach the service, if it is set.
  var publicURL: String? {
    found.first { $0.key.rawValue == "public-url" }?.value ?? ProcessInfo.processInfo.environment["JAMJAR_PUBLIC_URL"]
  }

  /// Reads command line, environment and file.
  /// - Throws: `SettingsProblems` with every problem at once.
  static func read(_ options: SettingsOptions) async throws -> Settings {
    try read(try await SettingsReader(options))
  }

  /// Reads the values that a process of ours has read, by the names of the settings.
  /// - Throws: `SettingsProblems`: a name may lead nowhere any more.
  static func read(_ values: [String: String]) throws -> Settings { try read(SettingsReader(values: values)) }

  private static func read(_ source: SettingsReader) throws -> Settings {
    var reader = source
    let host = reader.text(.host) ?? "127.0.0.1"
    let data = reader.text(.data) ?? "Recordings"
    let catalog = reader.catalog(of: data)
    var server = readServer(&reader, host: host, data: data)
    var rooms = readRooms(&reader, host: host, data: data)
    rooms.ice.servicePorts = [server?.port, server?.rtmp?.number].compactMap { $0.flatMap(UInt16.init(exactly:)) }
    if let server { rooms.topologyOfName = server.topologyOfName }
    let retention = readRetention(&reader)
    // With docker/compose.yaml, Docker kills the process after 30 s.
    let stop = Stop(
      drain: rooms.drainLimit, limit: reader.seconds(.stopLimit, in: 1...3_600, default: 25))
    let levels = Logger.Level.allCases.map { ($0.rawValue, $0) }
    let logLevel = reader.choice(.logLevel, of: levels, default: .info)
    let logsJSON = reader.choice(.logFormat, of: [("console", false), ("json", true)], default: false)
    if let server, reader.problems.isEmpty {
      do {
        try server.check()
      } catch {
        reader.problem(error.description)
      }
    }
    let trust = server?.webhooks.trust
    server?.doctor = DoctorWorker.Order(
      settings: reader.values, trust: trust, timeServer: ProcessInfo.processInfo.environment["JAMJAR_NTP"])
    guard let server, reader.problems.isEmpty else { throw SettingsProblems(sentences: reader.problems) }
    return Settings(
      catalog: catalog, server: server, rooms: rooms, retention: retention, stop: stop, logLevel: logLevel,
      logsJSON: logsJSON, found: reader.found)
  }

  private static func readServer(_ reader: inout SettingsReader, host: String, data: String) -> ServerConfiguration? {
    let port = reader.whole(.port, in: 0...65_535, default: 8080)
    let rtmp: ServerConfiguration.RTMPPort? =
      if reader.text(.rtmpPort) == nil {
        .usual
      } else {
        switch reader.whole(.rtmpPort, in: 0...65_535, default: 0) {
        case 0: nil
        case let number: .init(number)
        }
      }
    let files = (reader.text(.tlsCertificate), reader.text(.tlsKey))
    var tls: ServerConfiguration.TLSFiles?
    switch files {
    case (let certificate?, let key?): tls = .init(certificate: certificate, key: key)
    case (nil, nil): break
    default: reader.problem("TLS needs both --tls-certificate and --tls-key")
    }
    let joinSecret = reader.text(.joinSecret)
    let apiKeys = reader.text(.apiKeys)?.split(separator: ",").map { String($0).trimmed } ?? []
    var keys: Keys?
    if joinSecret != nil || !apiKeys.isEmpty {
      do {
        keys = try Keys(joinSecret: joinSecret, apiKeys: apiKeys)
      } catch {
        reader.problem(error.description)
      }
    }
    var webhooks = WebhookConfiguration(
      allowsPrivate: reader.flag(.webhookPrivate), trust: reader.certificates(.caFile))
    if let text = reader.text(.webhooks) {
      do throws(ConfigurationProblem) {
        webhooks.endpoints = try WebhookEndpoint.list(text)
      } catch {
        reader.problem(error.description)
      }
    }
    let names = reader.text(.hostNames)?.split(separator: ",").map { String($0).trimmed } ?? []
    var server = ServerConfiguration(
      host: host, port: port, tls: tls, rtmp: rtmp, keys: keys, insecure: reader.flag(.insecure), recordings: data,
      webhooks: webhooks,
      exports: ExportConfiguration(
        retention: Int64(reader.whole(.exportRetention, in: 60...31_536_000, default: 86_400)),
        workers: reader.whole(.exportWorkers, in: 1...64, default: 1)))
    let originals = reader.whole(.keepOriginals, in: days, default: 30)
    server.backups.originals = Int64(originals) * BackupConfiguration.day
    server.objects = readObjects(&reader)
    server.listensAhead = reader.flag(.listeningAhead, default: true)
    server.limits.tracks = reader.whole(.rtmpTracks, in: 1...64, default: server.limits.tracks)
    server.hostNames = names.filter { !$0.isEmpty }
    server.publicURL = reader.address(.publicURL)
    if let text = reader.text(.trustedProxies) {
      if let proxies = TrustedProxies(parsing: text) {
        server.proxies = proxies
      } else {
        reader.problem(
          .trustedProxies, text,
          "addresses and networks of reverse proxies, separated by commas, for example 127.0.0.1,10.8.0.0/16; not /0")
      }
    }
    var values: [String: String] = [:]
    for setting in DoorConfigurations.settings {
      switch setting.kind {
      case .secret: values[setting.name] = reader.text(Key(setting))
      case .flag: values[setting.name] = String(reader.flag(Key(setting)))
      }
    }
    server.doors = DoorConfigurations(reading: values) { reader.problem($0.description) }
    if let text = reader.text(.methods) {
      do throws(ConfigurationProblem) {
        server.methods = try MethodConfiguration(list: text, secrets: reader.text(.methodSecret))
      } catch {
        reader.problem(error.description)
      }
    }
    return server
  }

  private static func readRooms(_ reader: inout SettingsReader, host: String, data: String) -> RoomsConfiguration {
    let processors = ProcessInfo.processInfo.activeProcessorCount
    let policy = RoomPolicy(
      recording: reader.choice(.recording, of: RoomPolicy.Recording.allCases.map { ($0.rawValue, $0) }, default: .call),
      topology: reader.choice(
        .topology, of: RoomPolicy.Topology.allCases.map { ($0.rawValue, $0) }, default: .routed),
      capacity: reader.whole(.capacity, in: 1...16, default: RoomPolicy.defaultCapacity),
      gracePeriod: reader.seconds(.grace, in: 0...3_600, default: 30))
    var audio = AudioPreferences()
    audio.maxAverageBitrate = reader.whole(.bitrate, in: AudioPreferences.bitrates, default: audio.maxAverageBitrate)
    audio.packetTime = .milliseconds(
      reader.choice(.packetTime, of: [10, 20, 40, 60].map { (String($0), Int64($0)) }, default: 10))
    audio.offersRED = reader.flag(.red)
    var render = RenderOptions()
    render.format = reader.choice(
      .format, of: SoundFileFormat.allCases.map { ($0.rawValue, $0) }, default: render.format)
    let objects = SharedObjectPolicy(
      creation: reader.choice(
        .objectCreation, of: SharedObjectPolicy.Creation.allCases.map { ($0.rawValue, $0) }, default: .everybody),
      deletion: reader.choice(
        .objectDeletion, of: SharedObjectPolicy.Deletion.allCases.map { ($0.rawValue, $0) }, default: .everybody))
    var rooms = RoomsConfiguration(
      recordings: data, policy: policy,
      returning: reader.choice(.returning, of: ReturnPolicy.allCases.map { ($0.rawValue, $0) }, default: .track),
      mediaLoops: reader.whole(.mediaLoops, in: 1...256, default: max(1, processors / 2)),
      // Renders are processes of low priority, which also wait for the disk: two for each processor keep it busy.
      renderWorkers: reader.whole(.renderWorkers, in: 1...256, default: min(256, 2 * processors)),
      // The running program, even if a newer one has replaced its file.
      workerProgram: "/proc/self/exe", ice: readICE(&reader, host: host),
      audio: audio, render: render, rollsRender: reader.flag(.rollingRender, default: true),
      drainLimit: reader.seconds(.drain, in: 0...3_600, default: 0), sharedObjects: objects, software: Version.text)
    // A time that is set is set for all clients.
    if reader.text(.grace) != nil { rooms.kurentoGrace = policy.gracePeriod }
    rooms.roomQuota = reader.bytes(.roomQuota)
    return rooms
  }
}

/// Every problem of the settings, one sentence each.
struct SettingsProblems: Error, CustomStringConvertible {
  var sentences: [String]
  var description: String { sentences.joined(separator: "\n") }
}

extension String {
  var trimmed: String { trimmingCharacters(in: .whitespaces) }
}
