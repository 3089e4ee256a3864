import Foundation
import Recording
import Signaling
import TestSupport
import Testing

extension Players {
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
        try await page.expectNoComplaints()
      }
    }

    @Test func aTabThatIsClosedLosesNothingOfIt() async throws {
      try await Stage.run("--grace", "1") { stage in
        let service = stage.service
        let microphone = try Microphone(seed: 12, path: service.path("microphone.wav"))
        let page = try await stage.openStudio(microphone: microphone.path, at: "/takes")
        let take = try await playInATabThatIsClosed(by: page, in: "closed")
        _ = try await service.finishedTake(in: "closed")
        // The next visit finds what is left, wherever in the studio that is.
        try await page.open("\(service.address)/")
        try await eventually("the copy is aligned", or: { service.process.text }) {
          try await tracks(of: take, on: service).first?["lossless"]?.object != nil
        }
        // All that the microphone gave is there, up to the last tenths of a second. What a browser that is short of time
        // leaves out is missing in the take and in its copy alike.
        let track = try #require(try await tracks(of: take, on: service).first)
        let duration = track["duration"]?.double ?? 0
        let covered = track["lossless"]?.object?["covered"]?.double ?? 0
        #expect(duration > 8 && covered > 6)
        #expect(duration - seconds(ofGapsIn: track) - covered < 1, "\(track)")
      }
    }

    /// Somebody plays in a tab, until the take and the copy have eight seconds, and closes it before all of the copy is
    /// sent.
    private func playInATabThatIsClosed(by page: Page, in room: String) async throws -> String {
      let take = try await page.run(
        """
        const other = window.open("/rooms/\(room)?name=Ada", "other", "popup,width=900,height=700");
        const until = (condition) => new Promise((resolve) => {
          const look = () => condition() ? resolve() : setTimeout(look, 20);
          look();
        });
        await until(() => other.document.getElementById("enter"));
        other.document.getElementById("enter").click();
        await until(() => other.jamjar.state.safe >= 8
          && /here: (0:(0[89]|[1-5])|[1-9])/.test(other.document.getElementById("copies")?.textContent));
        const take = other.jamjar.state.take.id;
        other.close();
        return take;
        """)
      return try #require(take.string)
    }

    /// How long a track's gaps are together.
    private func seconds(ofGapsIn track: JSONObject) -> Double {
      (track["gaps"]?.array ?? []).compactMap { $0.object?["duration"]?.double }.reduce(0, +)
    }

    @Test func anOpenTakePageTellsOfACopyThatGetsReady() async throws {
      try await Stage.run { stage in
        let microphone = try Microphone(seed: 14, path: stage.service.path("microphone.wav"))
        let page = try await stage.openStudio(microphone: microphone.path, at: "/rooms/news?name=Ada")
        try await page.untilShown("#enter")
        try await page.run("document.getElementById('backup').click(); document.getElementById('enter').click();")
        try await page.until("state.phase === 'joined' && state.take")
        try await page.untilJournaled(6)
        let take = try #require(try await page.run("return jamjar.state.take.id;").string)
        try await page.run("document.getElementById('take-stop').click();")
        _ = try await stage.service.finishedTake(in: "news")
        try await page.leave()
        try await page.openTake(take, of: stage.service)
        #expect(try await !page.text("main").contains("lossless copy is there"))
        // Somebody else's copy comes: here what the track itself sounds like, in 24 bits.
        try await page.run(
          """
          const tracks = await (await fetch("/v1/takes/\(take)/tracks")).json(), [track] = tracks.items;
          const file = await (await fetch(`/v1/takes/\(take)/tracks/${track.id}/audio`)).arrayBuffer();
          const sound = await new OfflineAudioContext(1, 1, 48000).decodeAudioData(file);
          // All of its channels: each is other music, and one alone has little of the track's.
          const channels = sound.numberOfChannels;
          const bytes = new Uint8Array(3 * channels * sound.length);
          for (let channel = 0; channel < channels; channel++) {
            sound.getChannelData(channel).forEach((sample, index) => {
              const value = Math.round(sample * 8388607);
              bytes.set([value & 255, (value >> 8) & 255, (value >> 16) & 255], 3 * (channels * index + channel));
            });
          }
          const made = await (await fetch("/v1/takes/\(take)/backups", {
            method: "POST", headers: { "content-type": "application/json" },
            body: JSON.stringify({ participant: track.participant.id, sampleRate: 48000, channels, format: "s24le" }),
          })).json();
          const sent = await fetch(`/v1/backups/${made.id}`, {
            method: "PATCH", body: bytes,
            headers: { "content-type": "application/partial-upload", "upload-offset": "0", "upload-complete": "?1" },
          });
          if (!sent.ok) throw new Error(await sent.text());
          """)
        // Alignments come after everything else of a busy machine.
        let process = stage.service.process
        var state: String?
        try await eventually("the copy is aligned", or: { process.text }, within: .seconds(240)) {
          let backups = try await stage.service.get("/v1/takes/\(take)/backups").object?["items"]?.array ?? []
          state = backups.first?.object?["state"]?.string
          return state == "ready" || state == "refused"
        }
        #expect(state == "ready", "\(process.text)")
        try await page.untilTrue("document.querySelector('main').innerText.includes('lossless copy of Ada is there')")
        try await page.untilTrue("document.querySelector('.certificate').textContent.includes('are lossless')")
        try await page.expectNoComplaints()
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
        try await eventually("the upload has begun") {
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
