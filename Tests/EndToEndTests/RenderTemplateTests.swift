import Foundation
import Glibc
import TestSupport
import Testing

extension Programs {
  /// The process of which renders are copies, when it fails.
  @Suite(.serialized) struct RenderTemplateTests {
    private func take(_ frequency: Int, in room: String, of service: Service) async throws {
      let sender = try await ToneSender("ada", frequency: frequency, in: room, of: service)
      _ = try await service.rollingTake(in: room, lasting: 1)
      try await sender.end()
      let take = try await service.finishedTake(in: room)
      #expect(take.state == "ready" && take.tracks.count == 1)
      for track in take.tracks { #expect(track.losses.isEmpty, "\(track.gaps.map(\.text))") }
    }

    /// It stands still: it is ended, so that no copy can come of the request any more, and a process is started instead.
    @Test func aTemplateThatDoesNotAnswerIsEndedAndCostsNoTake() async throws {
      let service = try await Service()
      do {
        #expect(service.templates.isEmpty, "nobody has come yet")
        try await take(330, in: "porch", of: service)
        let template = try await service.template()
        kill(template, SIGSTOP)
        try await take(440, in: "cellar", of: service)
        #expect(!Service.isAlive(template))
        // One by one, without another template for now.
        try await take(660, in: "attic", of: service)
        try await eventually("no process of a take is left") { service.renders.isEmpty }
        #expect(service.templates.isEmpty)
        #expect(await service.close() == 0)
        let log = await service.process.wholeText()
        #expect(log.components(separatedBy: "the template of workers does not answer").count == 2, "\(log)")
      } catch {
        await service.close()
        throw error
      }
    }

    /// It was killed, as by a system without memory.
    @Test func aTemplateThatIsGoneCostsNoTake() async throws {
      let service = try await Service()
      do {
        try await take(330, in: "porch", of: service)
        kill(try await service.template(), SIGKILL)
        try await take(440, in: "cellar", of: service)
        try await eventually("no process of a take is left") { service.renders.isEmpty && service.templates.isEmpty }
        #expect(await service.close() == 0)
      } catch {
        await service.close()
        throw error
      }
    }
  }
}
