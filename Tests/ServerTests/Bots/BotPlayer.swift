import Foundation
import Machines
import Music
import Recording
import Rooms
import Signaling

/// A musician whose tone goes on until the end.
struct BotPlayer {
  let name: String
  let membership: Membership
  private let playing: Task<Void, any Error>

  init(_ name: String, in room: String, of service: TestService, consents: Bool = true) async throws {
    self.name = name
    let request = JoinRequest(name: try DisplayName(checking: name), consents: consents)
    membership = try await service.broker.enter(try RoomName(checking: room), request)
    let feed = try await membership.openFeed(origin: "test", isStereo: false)
    let encoder = try OpusEncoder(.init(channels: 1, bitrate: 64_000, complexity: 1))
    let tone = (0..<960).map { Float(sin(Double($0) * 0.05)) * 0.2 }
    let packet = try encoder.encode(tone)
    playing = Task {
      var timestamp: Int64 = 0
      while !Task.isCancelled {
        try await feed.send([.init(opus: packet, timestamp: timestamp, arrival: MonotonicClock.now)])
        timestamp += 960
        // The pace of music.
        try await Task.sleep(for: .milliseconds(20))
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
}
