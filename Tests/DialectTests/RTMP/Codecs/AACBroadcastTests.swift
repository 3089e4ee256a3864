import Music
import Recording
import Signaling
import Synchronization
import TestSupport
import Testing

@testable import Rooms
@testable import Server

/// Players of one source and the encoder that they share; its worker is a thread of the test.
@Suite(.timeLimit(.minutes(2))) struct AACBroadcastTests {
  /// Players whose taps the test feeds, all with the same packets.
  private final class Audience: Sendable {
    private struct Player {
      var tap: AsyncStream<AudioTap.Packet>.Continuation
      var playing: Task<Void, any Error>
      /// What this tap adds to the time of a packet: each counts from its own beginning.
      var origin: Int64
    }

    private struct State {
      var players: [Int: Player] = [:]
      var heard: [Int: Int] = [:]
      var next = 0
      var fed: Int64 = 0
    }

    let transcoders: Transcoders
    private let broadcasts: AACBroadcasts
    private let opus: [[UInt8]]
    private let state = Mutex(State())

    init(limit: Int) throws {
      transcoders = Transcoders(limit: limit, perConnection: 4)
      broadcasts = AACBroadcasts(transcoders)
      let encoder = try OpusEncoder()
      // Each block has a level of its own, so that no two packets side by side are the same.
      opus = try (1...50).map { level in
        try encoder.encode((0..<1_920).map { Float($0 % 97) / 97 * Float(level) / 100 })
      }
    }

    /// Starts a player; its tap begins now.
    func play(_ source: AudioSource = .mix) throws {
      let (packets, tap) = AsyncStream.makeStream(of: AudioTap.Packet.self)
      let key = AACBroadcasts.Key(room: try RoomName(checking: "studio"), source: source)
      let number = state.withLock { state in
        state.next += 1
        return state.next
      }
      let playing = Task {
        try await self.broadcasts.play(key, packets) { _ in
          self.state.withLock { $0.heard[number, default: 0] += 1 }
        }
      }
      state.withLock { $0.players[number] = Player(tap: tap, playing: playing, origin: -$0.fed * 960) }
    }

    /// The next packet, in every tap.
    func feed() {
      state.withLock { state in
        for player in state.players.values {
          let time = state.fed * 960 + player.origin
          player.tap.yield(AudioTap.Packet(opus: opus[Int(state.fed) % opus.count], timestamp: time))
        }
        state.fed += 1
      }
    }

    /// Feeds until every player has heard so many more frames.
    func hear(_ count: Int) async throws {
      let before = state.withLock { $0.heard }
      try await eventually("every player hears \(count) frames more", within: .seconds(60)) {
        self.feed()
        return self.state.withLock { state in
          state.players.keys.allSatisfy { state.heard[$0, default: 0] >= before[$0, default: 0] + count }
        }
      }
    }

    /// Ends the tap of the player who came first, and waits until it has left.
    func endFirst() async throws {
      let player = state.withLock { state in
        state.players.keys.min().flatMap { state.players.removeValue(forKey: $0) }
      }
      player?.tap.finish()
      try await player?.playing.value
    }

    var count: Int { state.withLock { $0.players.count } }

    /// The error of the newest player.
    func failure() async -> (any Error)? {
      let player = state.withLock { state in
        state.players.keys.max().flatMap { state.players.removeValue(forKey: $0) }
      }
      guard case .failure(let error)? = await player?.playing.result else { return nil }
      return error
    }
  }

  @Test func aHundredPlayersShareOneEncoderThatEndsWithTheLast() async throws {
    let audience = try Audience(limit: 1)
    for _ in 0..<100 { try audience.play() }
    try await audience.hear(10)
    #expect(audience.transcoders.current == .init(running: 1, refused: 0))
    while audience.count > 0 { try await audience.endFirst() }
    try await eventually("the encoder is gone") { audience.transcoders.current.running == 0 }
    // And another one may begin.
    try audience.play()
    try await audience.hear(3)
    try await audience.endFirst()
  }

  @Test func theOthersGoOnWhenTheOneWhoseTapIsEncodedLeaves() async throws {
    let audience = try Audience(limit: 1)
    try audience.play()
    try await audience.hear(5)
    try audience.play()
    try audience.play()
    try await audience.hear(5)
    for _ in 0..<2 {
      try await audience.endFirst()
      try await audience.hear(5)
    }
    #expect(audience.transcoders.current.running == 1)
    try await audience.endFirst()
  }

  @Test func anotherSourceNeedsAnotherEncoder() async throws {
    let audience = try Audience(limit: 1)
    try audience.play()
    try await audience.hear(3)
    try audience.play(.mixMinus)
    let refusal = try #require(await audience.failure() as? RTMPCallError)
    #expect(refusal.description.contains("use Opus"))
    #expect(audience.transcoders.current == .init(running: 1, refused: 1))
    try await audience.endFirst()
  }

  /// The new leader's tap counts from another beginning: the packet that both have tells by how much.
  @Test func aChangeOfTheTapNeitherRepeatsNorSkips() async throws {
    let broadcast = AACBroadcast()
    let (heard, hearing) = AsyncStream.makeStream(of: AudioTap.Packet.self)
    let first = try #require(broadcast.join())
    let second = try #require(broadcast.join())
    let (readies, ready) = AsyncStream.makeStream(of: Void.self)
    broadcast.start { packets, onReady, _ in
      onReady()
      ready.finish()
      for await packet in packets { hearing.yield(packet) }
    }
    for await _ in readies {}
    let packets = (UInt8(0)..<9).map { AudioTap.Packet(opus: [$0], timestamp: Int64($0) * 960) }
    for (index, packet) in packets.enumerated() {
      if index < 4 { broadcast.offer(packet, by: first.number) }
      // One packet behind at the change, and 48,000 samples apart.
      if index == 5 { _ = broadcast.leave(first.number) }
      if index > 0 {
        var late = packets[index - 1]
        late.timestamp -= 48_000
        broadcast.offer(late, by: second.number)
      }
    }
    var found: [AudioTap.Packet] = []
    for await packet in heard {
      found.append(packet)
      if found.count == 8 { break }
    }
    #expect(broadcast.leave(second.number))
    #expect(found.map(\.opus) == (UInt8(0)..<8).map { [$0] })
    #expect(found.map(\.timestamp) == (0..<8).map { $0 * 960 })
  }

  @Test func whoWaitsForALostEncoderGetsItsError() async throws {
    struct Lost: Error {}
    let broadcast = AACBroadcast()
    let seat = try #require(broadcast.join())
    broadcast.start { _, _, _ in throw Lost() }
    await #expect(throws: Lost.self) {
      for try await _ in seat.frames {}
    }
    #expect(broadcast.join() == nil)
  }
}
