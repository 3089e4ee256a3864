import ArgumentParser
import Client
import Foundation
import Machines
import Music
import Realtime
import Recording
import Rooms
import Server
import Signaling

/// Synthetic musicians for a running service: a load test, and a check of the service from outside.
struct PlayCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "play",
    abstract: "Send synthetic musicians into rooms of a service running on this machine, and count what they hear.",
    discussion:
      "Prints one JSON object: packets sent and heard, those that had to arrive and did, and the delay in milliseconds."
  )

  @Option(name: .long, help: "Port of the service on 127.0.0.1.")
  var port = 8080
  @Option(name: .long, help: "URL of the service on this machine, if it has TLS: https://localhost:8443.")
  var server: String?
  @Option(name: .long, help: "Join token for a service with keys. (default: JAMJAR_TOKEN)")
  var token: String?
  @OptionGroup var trust: TrustOptions
  @Option(name: .long, help: "Number of rooms, 1 to 200.")
  var rooms = 1
  @Option(name: .long, help: "Musicians in each room, 1 to 3.")
  var musicians = 3
  @Option(name: .long, help: "Length of the performance, 1 to 3600 s.")
  var seconds = 10
  @Option(name: .long, help: "Packet time: 10 or 20 ms.")
  var packetTime = 20
  @Option(name: .long, help: "Bit rate of each musician in bit/s.")
  var bitrate = 128_000
  @Flag(name: .long, help: "Do not listen to the others.")
  var deaf = false
  @Option(name: .long, help: "Listeners in each room, 0 to 250.")
  var listeners = 0
  @Option(name: .long, help: "Stream for the listeners: mix, or a musician (\"player 1\").")
  var hear = "mix"
  @Option(name: .long, help: "Prefix of the room names.")
  var room = "load"

  func validate() throws {
    guard (1...200).contains(rooms) else { throw ValidationError("--rooms is \(rooms); 1 to 200 are possible") }
    guard (1...3).contains(musicians) else { throw ValidationError("--musicians is \(musicians); 1 to 3") }
    guard (1...3_600).contains(seconds) else { throw ValidationError("--seconds is \(seconds); 1 to 3600") }
    guard [10, 20].contains(packetTime) else { throw ValidationError("--packet-time is \(packetTime); 10 or 20") }
    guard (0...250).contains(listeners) else { throw ValidationError("--listeners is \(listeners); 0 to 250") }
    guard hear == "mix" || DisplayName(hear) != nil else {
      throw ValidationError("--hear is \"\(hear)\"; mix, or a musician's name")
    }
    guard (6_000...510_000).contains(bitrate) else { throw ValidationError("--bitrate is \(bitrate); 6000 to 510000") }
  }

  func run() async throws { try await CommandFailure.orExit { try await play(at: try await endpoint()) } }

  /// Where the service is, once it has answered.
  private func endpoint() async throws -> ServiceEndpoint {
    let text = server ?? "http://127.0.0.1:\(port)"
    let address = try trust.applied(to: try ServerAddress(text, field: server == nil ? "--port" : "--server"))
    let source = try RemoteSource(address, key: nil)
    _ = try await source.reaching { try await source.client.get("/healthz") }
    return address.endpoint
  }

  private func play(at endpoint: ServiceEndpoint) async throws {
    let given = token ?? ProcessInfo.processInfo.environment["JAMJAR_TOKEN"]
    let token = given?.isEmpty == false ? given : nil
    let loop = try MediaLoop(name: "musicians")
    let certificate = try DTLSCertificate()
    let performances = try encoded()
    let start = StartSignal(count: rooms * (musicians + listeners))
    let delays = DelayLog()
    let audience = PacketTally()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<rooms * musicians {
        let musician = NetworkMusician(
          endpoint: endpoint, room: try RoomName(checking: "\(room)-\(index / musicians + 1)"),
          name: try DisplayName(checking: "player \(index % musicians + 1)"), part: "synthesiser", token: token,
          loop: loop,
          certificate: certificate, hears: !deaf, onHeard: { delays.note($0, $1, by: index) })
        let performance = performances[index % performances.count]
        // Spread over one packet time, as with independent musicians.
        let phase = MonotonicTime.Span.microseconds(Int64(index) * Int64(packetTime) * 1_000 / Int64(rooms * musicians))
        group.addTask {
          try await musician.perform(
            performance, stampsEveryPacket: true,
            connected: {
              let begin = await start.arrive()
              if index == 0 { Terminal.complain("playing") }
              return begin + phase
            })
        }
      }
      for index in 0..<rooms * listeners {
        let listener = NetworkListener(
          endpoint: endpoint, room: try RoomName(checking: "\(room)-\(index / listeners + 1)"),
          name: try DisplayName(checking: "listener \(index % listeners + 1)"),
          musician: hear == "mix" ? nil : DisplayName(hear), token: token, loop: loop, certificate: certificate,
          onHeard: { _, _ in audience.add() })
        group.addTask { try await listener.listen(connected: { _ = await start.arrive() }) }
      }
      try await group.waitForAll()
    }
    print(
      delays.summary(
        sent: rooms * musicians * seconds * 1_000 / packetTime, packetLength: Double(packetTime) / 1_000,
        listenersHeard: listeners > 0 ? audience.count : nil))
  }

  private func encoded() throws -> [Performance] {
    let length = packetTime * 48
    return try DemoPiece.parts(seconds: min(seconds, 20)).map { part in
      let encoder = try OpusEncoder(.init(channels: 2, bitrate: bitrate, complexity: 5))
      var packets: [[UInt8]] = []
      for start in stride(from: 0, through: part.samples.count - 2 * length, by: 2 * length) {
        packets.append(try encoder.encode(Array(part.samples[start..<start + 2 * length])))
      }
      let wanted = seconds * 1_000 / packetTime
      let repeated = (0..<wanted).map { packets[$0 % packets.count] }
      return Performance(packets: repeated, packetLength: length)
    }
  }
}
