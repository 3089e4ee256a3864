import Glibc
import Machines
import Music
import Recording
import Rooms
import Signaling

@testable import Server

/// A musician of a room whose tone comes in by a feed and goes on until they leave, and the ear for it.
struct TonePlayer {
  let name: String
  let membership: Membership
  private let playing: Task<Void, Never>

  /// - Parameter frequency: of the tone, in Hz.
  init(
    _ name: String, _ frequency: Double = 440, in room: String, of service: TestService, consents: Bool = true
  ) async throws {
    self.name = name
    membership = try await service.broker.enter(
      try RoomName(checking: room), JoinRequest(name: try DisplayName(checking: name), consents: consents))
    let feed = try await membership.openFeed(origin: "test", isStereo: false)
    playing = Task {
      guard let encoder = try? OpusEncoder(.init(channels: 1, bitrate: 128_000, complexity: 1)) else { return }
      let start = MonotonicClock.now
      var packet: Int64 = 0
      while !Task.isCancelled {
        let first = packet * 960
        let sound = (0..<960).map { (index: Int64) -> Float in
          let time = Double(first + index) / 48_000
          return Float(0.4 * sin(2 * Double.pi * frequency * time))
        }
        guard let opus = try? encoder.encode(sound) else { return }
        guard (try? await feed.send([.init(opus: opus, timestamp: packet * 960, arrival: MonotonicClock.now)])) != nil
        else { return }
        packet += 1
        // The musician's own clock: what is played is paced by it.
        let due = start + .milliseconds(packet * 20)
        let now = MonotonicClock.now
        if due > now { try? await Task.sleep(for: .nanoseconds((due - now).nanoseconds)) }
      }
    }
  }

  func say(_ text: String) async throws { _ = try await membership.perform(.message(text, to: nil)) }

  /// The next message that somebody else says.
  func hears(_ fits: (String) -> Bool) async -> String? {
    for await event in membership.events {
      if case .message(let author, let text, _) = event, author != membership.participant, fits(text) { return text }
    }
    return nil
  }

  func leave() async {
    playing.cancel()
    await membership.leave()
  }

  /// How loud a tone is in the last second, as its amplitude on the first channel.
  static func level(
    _ frequency: Double, in pieces: [[UInt8]], rate: Int = 16_000, channels: Int = 1
  ) -> Double {
    let samples = pieces.suffix(50).flatMap { (piece: [UInt8]) -> [Double] in
      stride(from: 0, to: piece.count - 1, by: 2 * channels).map { (index: Int) -> Double in
        let bits = UInt16(piece[index]) | UInt16(piece[index + 1]) << 8
        return Double(Int16(bitPattern: bits)) / 32_768
      }
    }
    var (real, imaginary) = (0.0, 0.0)
    for (index, sample) in samples.enumerated() {
      let angle: Double = 2 * Double.pi * frequency * Double(index) / Double(rate)
      real += sample * cos(angle)
      imaginary += sample * sin(angle)
    }
    return 2 * (real * real + imaginary * imaginary).squareRoot() / Double(max(1, samples.count))
  }
}
