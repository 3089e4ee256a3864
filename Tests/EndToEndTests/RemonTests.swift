import Foundation
import Signaling
import Testing

extension Dialects {
  /// Pages that follow the sequence of Remote Monster's web SDK (Pages/remon.js), with real media.
  @Suite(.serialized) struct RemonTests {
    private static let services = ["JAMJAR_REMON_SERVICES": "band:a-key-of-ours"]

    /// A page with a client `me`, made of JavaScript's `options`.
    private func client(_ stage: Stage, _ options: String) async throws -> Page {
      let page = try await stage.openStudio()
      let text = try PageScript.text("musician.js", "remon.js")
      try await page.run("\(text)\nwindow.me = new RemonClient(\(options));")
      return page
    }

    @Test func aCallOfTwoRefusesTheThirdSurvivesLossesAndIsMusic() async throws {
      try await Stage.run([], environment: RemonTests.services) { stage in
        let anna = try await client(stage, "{ tones: [14000, 900], music: true, meta: { name: 'Anna' } }")
        let bob = try await client(stage, "{ tones: [800], meta: 'Bob' }")
        #expect(try await anna.run("return await me.connectCall('take5');") == "first")
        #expect(try await bob.run("return await me.connectCall('take5');") == "second")
        try await anna.run("await me.seen('onComplete'); await me.hears([800]);")
        try await bob.run("await me.hears([14000]);")
        let third = try await bob.run("return await new RemonClient({ tones: [300] }).connectCall('take5');")
        #expect(third == "2010")
        let patched = try await anna.run("return [me.patched.local, me.patched.remote];")
        #expect(patched == [1, 1], "both replacements of the audio type music took effect")
        for page in [anna, bob] {
          let back = try await page.run("return (await me.lose()).code ?? 'ok';")
          #expect(back == "ok")
        }
        try await bob.run("me.send('message', { body: 'still here' });")
        #expect(try await anna.run("return (await me.seen('onMessage')).body;") == "still here")
        try await anna.run("await me.hears([800]);")
        let time = try await bob.run("return me.time;").double ?? -1
        print("Remote Monster: from connect to onComplete \(Int(time)) ms")
        #expect(try await bob.run("me.close(); return me.closeType;") == "MINE")
        #expect(try await anna.run("return await me.seen('onClose');") == "OTHER")
        try await anna.run("me.close();")
        let take = try await stage.service.finishedTake(in: "take5")
        #expect(Set(take.tracks.map(\.participant)) == ["Anna", "Bob"])
        let sound = try #require(take.track(of: "Anna")).sound
        #expect(sound.channels.count == 2)
        let left = sound.share(of: 14_000)
        let right = Sound(rate: sound.rate, channels: [sound.right]).share(of: 900)
        #expect(left > 0.8 && right > 0.8, "left \(left), right \(right): above 12 kHz, and apart")
      }
    }

    @Test func aCastHasTenViewers() async throws {
      try await Stage.run([], environment: RemonTests.services) { stage in
        let sender = try await client(stage, "{ tones: [700], meta: 'Anna' }")
        #expect(try await sender.run("return await me.createCast('radio1');") == "radio1")
        let audience = try await client(stage, "{}")
        try await audience.run(
          """
          window.viewers = Array.from({ length: 10 }, () => new RemonClient());
          await Promise.all(viewers.map((viewer) => viewer.joinCast("radio1")));
          await Promise.all(viewers.map((viewer) => viewer.hears([700])));
          """)
        #expect(try await sender.run("return (await me.lose()).code ?? 'ok';") == "ok")
        let back = try await audience.run(
          "return (await Promise.all(viewers.map((viewer) => viewer.lose()))).every(({ code }) => !code);")
        #expect(back == true)
        try await audience.run("await Promise.all(viewers.map((viewer) => viewer.hears([700])));")
        try await sender.run("me.close();")
        let types = try await audience.run(
          "return (await Promise.all(viewers.map((viewer) => viewer.seen('onClose')))).filter((type) => type === 'OTHER').length;"
        )
        #expect(types == 10)
        let take = try await stage.service.finishedTake(in: "radio1")
        #expect(take.tracks.map(\.participant) == ["Anna"])
      }
    }

    @Test func aConferenceOfThreeLosesAndRegainsOne() async throws {
      try await Stage.run([], environment: RemonTests.services) { stage in
        let tones = ["Anna": 500, "Bob": 800, "Cy": 1_200]
        var pages: [String: Page] = [:]
        for (name, tone) in tones.sorted(by: { $0.value < $1.value }) {
          let page = try await client(stage, "{ tones: [\(tone)], meta: '\(name)' }")
          pages[name] = page
          try await page.run("await me.joinConference('den1');")
        }
        let (anna, bob, cy) = try (#require(pages["Anna"]), #require(pages["Bob"]), #require(pages["Cy"]))
        try await anna.run("await me.hearsAll([800, 1200]);")
        try await bob.run("await me.hearsAll([500, 1200]);")
        try await cy.run("await me.hearsAll([500, 800]);")
        let fourth = try await anna.run(
          "return await new RemonClient({ tones: [300] }).createRoom('den1').then(() => 'in', ({ message }) => message);"
        )
        #expect(fourth == "onCreate 500")
        #expect(try await anna.run("return (await me.lose()).code ?? 'ok';") == "ok")
        try await cy.run("me.close(); for (const viewer of me.viewers.values()) viewer.close();")
        try await anna.run("while (me.viewers.size > 1) await me.once('onRoomEvent');")
        try await cy.run(
          "window.me = new RemonClient({ tones: [1200], meta: 'Cy' }); await me.joinConference('den1'); await me.hearsAll([500, 800]);"
        )
        try await anna.run("await me.hearsAll([800, 1200]);")
        for page in pages.values {
          try await page.run("for (const viewer of me.viewers.values()) viewer.close(); me.close();")
        }
        let take = try await stage.service.finishedTake(in: "den1")
        #expect(Set(take.tracks.map(\.participant)) == ["Anna", "Bob", "Cy"])
      }
    }

    @Test func whoIsLostIsToldFromWhoHasLeft() async throws {
      try await Stage.run(["--grace", "1"], environment: RemonTests.services) { stage in
        let anna = try await client(stage, "{ tones: [500], meta: 'Anna' }")
        let bob = try await client(stage, "{ tones: [800], meta: 'Bob' }")
        try await anna.run("await me.connectCall('take5');")
        try await bob.run("await me.connectCall('take5');")
        // Neither socket nor sound, and no word: as a phone in a tunnel.
        try await bob.run("me.isClosed = true; me.socket.close(); me.peer.close();")
        #expect(try await anna.run("return await me.seen('onClose');") == "OTHER_UNEXPECTED")
        // The service is gone, and nobody says so.
        let cy = try await client(stage, "{ tones: [300] }")
        try await cy.run("await me.createCast('radio1');")
        stage.service.process.send(SIGKILL)
        #expect(try await cy.run("return await me.seen('onClose');") == "UNKNOWN")
      }
    }
  }
}
