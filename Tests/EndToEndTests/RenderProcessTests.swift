import Foundation
import Glibc
import Music
import Recording
import Signaling
import TestSupport
import Testing

extension Programs {
  /// Takes are rendered in processes of their own: neither of the two sides takes the other with it.
  @Suite struct RenderProcessTests {
    /// Seconds of a track at its end that a kill may cost, and that ffmpeg and the journal hold back besides.
    private static let lastMoment = 1.0

    /// A service with two rooms, in each of which a musician plays into a take.
    private func play(
      _ rooms: [String], into service: Service, besides others: [pid_t] = []
    ) async throws -> [ToneSender] {
      var senders: [ToneSender] = []
      for (index, room) in rooms.enumerated() {
        senders.append(try await ToneSender("ada", frequency: 300 + 200 * index, in: room, of: service))
      }
      for room in rooms { _ = try await service.rollingTake(in: room, lasting: 6) }
      try await eventually("every take has its process") { service.renders.count == rooms.count + others.count }
      return senders
    }

    @Test func takesCompleteThemselvesWhenTheServiceIsKilledAndTheNextStartOnlyListsThem() async throws {
      let rooms = ["north", "south"]
      let folder = try TemporaryFolder()
      let killed = try await Service(folder: folder)
      let senders = try await play(rooms, into: killed)
      killed.process.send(SIGKILL)
      _ = await killed.process.exitStatus()

      var manifests: [String] = []
      try await eventually("both takes are complete without any service") {
        manifests = try TakeFolder.manifests(under: killed.recordings)
        return manifests.count == rooms.count
      }
      let written = try manifests.map { try Manifest(of: TakeFolder(existing: $0, in: killed.recordings)) }
      #expect(written.allSatisfy { $0.take.state == .incomplete && $0.notes.contains { $0.contains("crash") } })

      let service = try await Service(folder: folder)
      for room in rooms {
        let take = try await service.finishedTake(in: room)
        #expect(take.state == "incomplete")
        let track = try #require(take.tracks.first)
        #expect(Double(track.sound.frames) / Double(track.sound.rate) > 6 - RenderProcessTests.lastMoment)
        #expect(track.losses.isEmpty, "\(track.gaps.map(\.text))")
      }
      #expect(!service.process.text.contains("finishing a take that was left"), "\(service.process.text)")
      withExtendedLifetime(senders) {}
      #expect(await service.close() == 0)
    }

    @Test func rendersAreConfinedCopiesOfOneProcessAndDoWithoutIt() async throws {
      let service = try await Service()
      let first = try await play(["north"], into: service)
      let copy = try #require(service.renders.first)
      #expect(try Service.command(of: copy) == "worker-template")
      #expect(Service.isConfined(copy))
      let template = try await service.template()
      #expect(template != copy && !Service.isConfined(template))
      // A render without it is started like any other process.
      kill(template, SIGKILL)
      let second = try await play(["south", "west"], into: service, besides: [copy])
      for process in service.renders where process != copy {
        #expect(try Service.command(of: process) == "render-worker")
      }
      for sender in first + second { try await sender.end() }
      for room in ["north", "south", "west"] {
        let take = try await service.finishedTake(in: room)
        #expect(take.state == "ready")
        #expect(try #require(take.tracks.first).losses.isEmpty)
      }
      #expect(service.process.text.contains("the template of workers does not answer"))
      #expect(await service.close() == 0)
      #expect(service.renders.isEmpty && service.templates.isEmpty)
    }

    @Test func aRenderThatDiesCostsNoSampleOfAnyTake() async throws {
      let rooms = ["north", "south"]
      let service = try await Service()
      let senders = try await play(rooms, into: service)
      for _ in 0..<2 {
        let before = Set(service.renders)
        let victim = try #require(before.first)
        kill(victim, SIGKILL)
        try await eventually("the render begins anew", or: { service.process.text }) {
          let now = service.renders
          return now.count == rooms.count && !now.contains(victim)
        }
      }
      for sender in senders { try await sender.end() }
      for room in rooms {
        let take = try await service.finishedTake(in: room)
        #expect(take.state == "ready")
        let track = try #require(take.tracks.first)
        #expect(track.losses.isEmpty, "\(track.gaps.map(\.text))")
      }
      #expect(service.process.text.contains("a render's process ended before its work was done"))
      #expect(await service.close() == 0)
      #expect(service.renders.isEmpty)
    }
  }
}
