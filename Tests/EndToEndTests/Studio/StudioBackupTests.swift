import Foundation
import Recording
import Signaling
import Testing

extension EndToEnd {
  /// The lossless copy: kept in the browser, uploaded, aligned, heard.
  @Suite(.serialized) struct StudioBackupTests {
    private func tracks(of take: String, on service: Service) async throws -> [JSONObject] {
      try await service.get("/v1/takes/\(take)/tracks").object?["items"]?.array?.compactMap(\.object) ?? []
    }

    @Test func whatTheMicrophoneGaveIsInTheTakeInFullQuality() async throws {
      try await Stage.run { stage in
        let service = stage.service
        let microphone = try Microphone(seed: 11, path: service.path("microphone.wav"))
        let page = try await stage.openStudio(microphone: microphone.path, at: "/rooms/lossless?name=Ada")
        try await page.untilShown("#enter")
        #expect(try await page.run("return document.getElementById('backup').checked;") == true)
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined' && state.take")
        try await page.untilJournaled(10)
        #expect(try await page.text("#copies").contains("Lossless copy here"))
        let take = try #require(try await page.run("return jamjar.state.take.id;").string)
        try await page.run("document.getElementById('take-stop').click();")
        try await page.untilShown("#copies li[data-state=ready]")
        let track = try #require(try await tracks(of: take, on: service).first)
        let lossless = try #require(track["lossless"]?.object)
        #expect((lossless["errorBound"]?.double ?? 9) < 1)
        let address = "/v1/takes/\(take)/tracks/\(track["id"]?.string ?? "")/audio"
        let opus = try await service.sound(address, folder: take, name: "opus.flac")
        let copy = try await service.sound(address + "?source=lossless", folder: take, name: "lossless.flac")
        #expect(copy.frames == opus.frames)
        // The same music at the same place: by correlation, the copy lies on the track to a fraction of a sample.
        let window = 3 * 48_000..<7 * 48_000
        let match = try #require(
          CrossCorrelation.align(Array(copy.left[window]), to: Array(opus.left[window]), maximumLag: 480))
        #expect(abs(match.lag) < 1 && match.coefficient > 0.95, "\(match)")
        // The mix of the copies is the copy itself, not the track.
        let run = try await CommandRun([
          "export", "last", "--data", service.recordings, "--source", "lossless",
          "-o", service.path("downloads/\(take)/mix.flac"),
        ])
        #expect(run.status == 0, "\(run.text)")
        let mix = Array(try service.downloaded("mix.flac", folder: take).left[window])
        let same = try #require(CrossCorrelation.align(mix, to: Array(copy.left[window]), maximumLag: 48))
        #expect(abs(same.lag) < 0.001 && same.coefficient > 0.999_99, "\(same)")
        // Nothing is left of it in this browser.
        let left = try await page.run(
          """
          const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("jamjar-backups");
          return (await Array.fromAsync(folder.keys())).length;
          """)
        #expect(left == 0)
        // Listening back: the take's page offers it.
        try await page.leave()
        try await page.openTake(take, of: service)
        try await page.untilTrue("document.querySelector('main').innerText.includes('Lossless')")
        #expect(try await page.complaints() == [])
      }
    }

    @Test func aTabThatIsClosedLosesNothingOfIt() async throws {
      try await Stage.run("--grace", "1") { stage in
        let service = stage.service
        let microphone = try Microphone(seed: 12, path: service.path("microphone.wav"))
        let page = try await stage.openStudio(microphone: microphone.path, at: "/takes")
        // The tab in which somebody plays; its uploads do not get through.
        try await page.run(
          """
          const other = window.other = window.open("/rooms/closed?name=Ada", "other", "popup,width=900,height=700");
          await new Promise((resolve) => {
            const look = () => other.document.getElementById("enter") ? resolve() : setTimeout(look, 20);
            look();
          });
          other.document.getElementById("enter").click();
          const until = (condition) => new Promise((resolve) => {
            const look = () => condition() ? resolve() : setTimeout(look, 20);
            look();
          });
          await until(() => other.jamjar.state.safe >= 8);
          window.take = other.jamjar.state.take.id;
          other.close();
          """)
        let take = try #require(try await page.run("return window.take;").string)
        _ = try await service.finishedTake(in: "closed")
        // The next visit finds what is left, wherever in the studio that is.
        try await page.open("\(service.address)/")
        try await Service.eventually("the copy is aligned", or: { service.process.text }) {
          try await tracks(of: take, on: service).first?["lossless"]?.object != nil
        }
        let lossless = try await tracks(of: take, on: service).first?["lossless"]?.object
        #expect((lossless?["covered"]?.double ?? 0) > 6)
      }
    }

    @Test func aCopyThatIsNotTakenCanBeSavedAndDeletedHere() async throws {
      try await Stage.run { stage in
        let microphone = try Microphone(seed: 13, path: stage.service.path("microphone.wav"))
        let page = try await stage.openStudio(microphone: microphone.path, at: "/rooms/refused?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined' && state.take")
        let take = try #require(try await page.run("return jamjar.state.take.id;").string)
        // Somebody takes the upload away from under the page.
        try await Service.eventually("the upload has begun") {
          let items = try await stage.service.get("/v1/takes/\(take)/backups").object?["items"]?.array ?? []
          guard let id = items.first?.object?["id"]?.string else { return false }
          return try await HTTP.send("DELETE", "\(stage.service.address)/v1/backups/\(id)").status == 204
        }
        try await page.run("document.getElementById('take-stop').click();")
        try await page.untilShown("#copies li[data-state=refused] button")
        #expect(try await page.text("#copies").contains("was not taken"))
        let saved = try await page.run(
          """
          const saved = new Promise((resolve) => {
            let blob = null;
            const make = URL.createObjectURL;
            URL.createObjectURL = (given) => make.call(URL, blob = given);
            HTMLAnchorElement.prototype.click = async function () {
              resolve([this.download, new Uint8Array(await blob.arrayBuffer())]);
            };
          });
          document.querySelector("#copies button").click();
          const [name, bytes] = await saved;
          const header = new DataView(bytes.buffer);
          return [name, String.fromCharCode(...bytes.slice(0, 4)), header.getUint32(24, true), header.getUint16(34, true), bytes.length > 100_000];
          """)
        #expect(saved == ["refused - Take 1 - Ada.wav", "RIFF", 44_100, 24, true], "\(saved.text)")
        try await page.run("document.querySelectorAll('#copies button')[1].click();")
        try await page.untilTrue("!document.querySelector('#copies li')")
      }
    }
  }
}
