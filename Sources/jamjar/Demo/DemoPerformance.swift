import Client
import Machines
import Music
import Realtime
import Recording
import Rooms
import Server
import Signaling

/// Three synthetic musicians in one room, each with a part of the piece.
struct DemoPerformance {
  /// The resulting take, and the time it took to complete.
  struct Finished {
    var take: TakeID
    var state: TakeState
    /// From the moment the last musician left until the take was complete.
    var stopToReady: MonotonicTime.Span
  }

  /// Delay of each musician's start after the first, in milliseconds: people never start together, and the tracks must
  /// show exactly that.
  static let entries: [Int64] = [0, 40, 90]

  let parts: [DemoPiece.Part]
  private let performances: [Performance]
  private let endpoint: ServiceEndpoint
  private let room: RoomName
  private let loop: MediaLoop
  private let certificate: DTLSCertificate

  init(seconds: Int, port: Int) async throws {
    parts = DemoPiece.parts(seconds: seconds)
    performances = try parts.map { try DemoPerformance.encode($0.samples) }
    endpoint = ServiceEndpoint(host: "127.0.0.1", port: port)
    room = try RoomName(checking: "demo")
    loop = try MediaLoop(name: "musicians")
    certificate = try DTLSCertificate()
  }

  /// Stereo Opus at 256 kbit/s in packets of 10 ms, as browsers are asked to send it.
  private static func encode(_ samples: [Float]) throws -> Performance {
    let length = 480
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 256_000, complexity: 5))
    var packets: [[UInt8]] = []
    for start in stride(from: 0, through: samples.count - 2 * length, by: 2 * length) {
      packets.append(try encoder.encode(Array(samples[start..<start + 2 * length])))
    }
    return Performance(packets: packets, packetLength: length)
  }

  /// Plays the piece, and returns when the take is complete.
  func play() async throws -> Finished {
    let start = StartSignal(count: parts.count)
    return try await NativeConnection.with(endpoint, room: room) { watcher in
      _ = try await watcher.join(JoinRequest(name: try DisplayName(checking: "audience"), role: .listener))
      let playing = Task { () -> MonotonicTime in
        try await withThrowingTaskGroup(of: Void.self) { group in
          for (index, part) in parts.enumerated() {
            let musician = NetworkMusician(
              endpoint: endpoint, room: room, name: try DisplayName(checking: part.musician), part: part.instrument,
              loop: loop, certificate: certificate, hears: true)
            let performance = performances[index]
            let entry = DemoPerformance.entries[index % DemoPerformance.entries.count]
            group.addTask {
              try await musician.perform(
                performance, connected: { await start.arrive() + .milliseconds(entry) })
            }
          }
          try await group.waitForAll()
        }
        return MonotonicClock.now
      }
      for await event in watcher.events {
        guard case .takeFinished(let take, let state) = event else { continue }
        let ready = MonotonicClock.now
        let left = try await playing.value
        return Finished(take: take, state: state, stopToReady: max(.zero, ready - left))
      }
      throw ClientPeer.Failure(description: "the link to the room broke before the take was finished")
    }
  }
}
