import Foundation
import Signaling
import Testing

extension Programs {
  /// A second service, by mistake, on the data folder of one that records.
  @Suite(.serialized) struct SecondServiceTests {
    @Test(arguments: ["serve", "bot", "demo"])
    func itIsRefusedAndTheTakeRollsOn(command: String) async throws {
      let service = try await Service()
      let words =
        switch command {
        case "serve": ["serve", "--port", "\(try Service.freePort())", "--data", service.recordings]
        case "bot": ["bot", "jamjar+\(service.address)/elsewhere", "--data", service.recordings]
        default: ["demo", "--seconds", "3", "--data", service.recordings]
        }
      do {
        let musician = try await ToneSender("ada", frequency: 440, in: "studio", of: service)
        #expect(await service.process.line { $0.contains("take rolls") } != nil)
        let run = try await CommandRun(words)
        #expect(run.status == 69, "\(run.text)")
        #expect(run.isOneLineError && run.text.contains("records into \(service.recordings)"), "\(run.text)")
        let list = try await service.get("/v1/takes")
        #expect(list.object?["items"]?.array?.first?.object?["state"] == "rolling")
        // The book is no service, and reads beside it.
        #expect(try await CommandRun(["takes", "list", "--data", service.recordings]).status == 0)
        try await musician.end()
        let take = try await service.finishedTake(in: "studio")
        #expect(take.state == "ready" && take.tracks.allSatisfy(\.losses.isEmpty))
      } catch {
        await service.close()
        throw error
      }
      await service.close()
      guard command == "demo" else { return }
      // One that has ended leaves nothing that would keep out the next.
      #expect(try await CommandRun(words).status == 0)
    }
  }
}
