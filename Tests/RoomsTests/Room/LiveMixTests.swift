import Foundation
import Machines
import Music
import Recording
import Signaling
import Testing

@testable import Rooms

@Suite(.timeLimit(.minutes(5))) struct LiveMixTests {
  /// A steady tone of `frequency` Hz at -12 dBFS, as packets of 20 ms that begin again every second.
  private func tone(_ frequency: Double) throws -> Performance {
    let encoder = try OpusEncoder(.init(channels: 2, bitrate: 128_000, complexity: 3))
    let packets = try (0..<50).map { packet in
      let samples = (0..<960).flatMap { frame in
        let value = Float(0.25 * sin(2 * .pi * frequency * Double(packet * 960 + frame) / 48_000))
        return [value, value]
      }
      return try encoder.encode(samples)
    }
    return Performance(packets: packets, packetLength: 960, repeats: true)
  }

  /// The amplitudes of a tone of a multiple of 50 Hz (Goertzel) in blocks of 20 ms, in ascending order; after the first
  /// half second, in which the mix settles.
  ///
  /// The blocks are short because the mix plays up to 0.5 % faster or slower while it takes its distance: over longer ones
  /// the tone would not fit its own frequency.
  private func amplitudes(_ frequency: Double, in samples: [Float]) -> [Double] {
    stride(from: 24_000, through: samples.count - 960, by: 960).map { start in
      var (sine, cosine) = (0.0, 0.0)
      for (index, sample) in samples[start..<start + 960].enumerated() {
        let angle = 2 * .pi * frequency * Double(index) / 48_000
        sine += Double(sample) * sin(angle)
        cosine += Double(sample) * cos(angle)
      }
      return 2 * hypot(sine, cosine) / 960
    }.sorted()
  }

  /// True where the tone is heard at its level. A machine that stands still starves the mix of packets, so not all of the
  /// blocks need to hold it; that nothing is lost on a network that only delays is tested without a clock.
  private func isHeard(_ frequency: Double, in samples: [Float]) -> Bool {
    let blocks = amplitudes(frequency, in: samples)
    return blocks.count { abs($0 - 0.25) < 0.05 } >= blocks.count / 10 && !blocks.isEmpty
  }

  /// Two seconds of what a listener gets, once the tones are heard in it; the last of ten where they never are.
  private func listen(_ listener: Listener, until frequencies: Double...) async throws -> [Float] {
    var samples: [Float] = []
    for _ in 0..<10 {
      samples = try await listener.listen(to: 100)
      if frequencies.allSatisfy({ isHeard($0, in: samples) }) { break }
    }
    return samples
  }

  /// True where the tone is not heard: what is left are the edges of others.
  private func isAbsent(_ frequency: Double, in samples: [Float]) -> Bool {
    let blocks = amplitudes(frequency, in: samples)
    return blocks.isEmpty || blocks[blocks.count / 2] < 0.005
  }

  @Test func whoeverListensHearsEverybodyAndAMusicianEverybodyElse() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio")
    let bob = try await service.musician("bob", in: "studio")
    let (low, high) = (try tone(400), try tone(1_000))
    let start = MonotonicClock.now
    let playing = Task {
      async let first: Void = ada.peer.play(low, from: start)
      async let second: Void = bob.peer.play(high, from: start)
      _ = await (first, second)
    }
    let guest = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "guest"), role: .listener))
    let everything = try await Listener(service, guest, to: .mix, as: "mix")
    let minus = try await Listener(service, ada.membership, to: .mixMinus, as: "minus")
    async let mixed = listen(everything, until: 400, 1_000)
    async let others = listen(minus, until: 1_000)
    let (mix, without) = try await (mixed, others)
    #expect(isHeard(400, in: mix))
    #expect(isHeard(1_000, in: mix))
    #expect(isAbsent(400, in: without), "ada is not in ada's own mix")
    #expect(isHeard(1_000, in: without))
    // The same connection turns to one musician, and back to nothing.
    _ = try await guest.perform(.redirect(everything.label, to: .participant(ada.membership.participant)))
    let alone = try await listen(everything, until: 400)
    #expect(isAbsent(1_000, in: alone))
    #expect(isHeard(400, in: alone))
    playing.cancel()
    await ada.peer.close()
    await bob.peer.close()
    await playing.value
    await service.end()
  }

  @Test func theMixIsMadeOnlyWhileSomebodyHearsIt() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let ada = try await service.musician("ada", in: "studio")
    let room = try #require(service.broker.existing(try RoomName(checking: "studio")))
    #expect(await !room.isMixing)
    let ear = try await Listener(service, ada.membership, to: .mix, as: "mix")
    #expect(await room.isMixing)
    // Silence is sent too, so that the listener's stream goes on.
    _ = try await ear.listen(to: 5)
    _ = try await ada.membership.perform(.close(ear.label))
    #expect(await !room.isMixing)
    await service.end()
  }

  @Test func aMusicianHearsThemselvesWhereTheyAskForIt() async throws {
    let service = try await LiveService(policy: RoomPolicy(recording: .manual))
    let membership = try await service.broker.enter(
      try RoomName(checking: "studio"), JoinRequest(name: try DisplayName(checking: "ada")))
    let label = try service.label("mic")
    let refusal = await #expect(throws: RoomRefusal.self) {
      let peer = ClientPeer(
        loop: service.clients, sends: true, configuration: service.ice, certificate: service.certificate)
      _ = try await membership.perform(.publish(label, offer: try await peer.offer(), loopsBack: true))
    }
    #expect(refusal?.code == .invalidDescription, "an offer that only sends cannot be looped back")
    await service.end()
  }
}
