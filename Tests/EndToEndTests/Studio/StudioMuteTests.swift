import Foundation
import Signaling
import Testing

extension Players {
  /// Muted is muted: for the others, in the recording, and in the lossless copy.
  @Suite(.serialized) struct StudioMuteTests {
    /// Where a sound is silent for the longest time, and how loud it is at most before and after.
    private struct Pause {
      /// In seconds.
      var range: Range<Double>
      var before: Float
      var after: Float

      init(of samples: [Float], rate: Int, below level: Float) {
        // Plain loops: tests are built without optimisation.
        var longest = 0..<0
        var (start, index) = (0, 0)
        while index < samples.count {
          if abs(samples[index]) >= level {
            if index - start > longest.count { longest = start..<index }
            start = index + 1
          }
          index += 1
        }
        if samples.count - start > longest.count { longest = start..<samples.count }
        let peak = { (part: ArraySlice<Float>) in part.reduce(0) { max($0, abs($1)) } }
        range = Double(longest.lowerBound) / Double(rate)..<Double(longest.upperBound) / Double(rate)
        before = peak(samples[..<longest.lowerBound])
        after = peak(samples[longest.upperBound...])
      }

      var length: Double { range.upperBound - range.lowerBound }
    }

    /// Seconds that a musician plays, is muted for, and plays again.
    private static let part = 2.5
    /// What of the muted seconds is silent at least: the page says what is on disk once a second.
    private static let silence = 1.0
    /// How far from each other the copy and the track may begin and end to be silent: a note's decay, Opus' own end.
    private static let tolerance = 0.1
    /// Below it a decoded track counts as silent; Opus leaves something of a note's end.
    private static let hearing: Float = 1e-3

    private func play(on page: Page) async throws {
      // A page that was loaded anew learns it with the next word of the recorder.
      try await page.untilJournaled(0)
      let position = try await page.run("return jamjar.state.safe;").double ?? 0
      try await page.untilJournaled(position + StudioMuteTests.part)
    }

    private func mute(_ page: Page, _ isMuted: Bool) async throws {
      try await page.press("m")
      try await page.untilTrue("document.querySelector('.mute').getAttribute('aria-pressed') === '\(isMuted)'")
    }

    /// Two musicians, each in a room of its own, play at the same time; both in one mode and then in another.
    @Test func whatIsMutedIsSilentInTheLosslessCopyToo() async throws {
      try await Stage.run { stage in
        let microphone = try Microphone(seed: 31, path: stage.service.path("microphone.wav"))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for modes in [["stereo", "left"], ["right", "mono"]] {
            group.addTask {
              let page = try await stage.openStudio(microphone: microphone.path, at: "/takes")
              for channels in modes { try await playMuted(channels, on: page, of: stage.service) }
            }
          }
          try await group.waitForAll()
        }
      }
    }

    private func playMuted(_ channels: String, on page: Page, of service: Service) async throws {
      let room = "mute-\(channels)"
      try await page.run("localStorage.setItem('jamjar-channels', JSON.stringify(arguments_[0]));", .string(channels))
      try await page.openStudio(of: service, at: "/rooms/\(room)?name=Ada")
      try await page.untilShown("#enter")
      #expect(try await page.run("return document.getElementById('channels').value;") == .string(channels))
      try await page.run("document.getElementById('enter').click();")
      try await page.until("state.take && state.peers.microphone === 'connected'")
      try await play(on: page)
      try await mute(page, true)
      try await play(on: page)
      // What it shows is what is kept.
      #expect(try await page.run("return Math.max(...jamjar.studio.microphone.levels.peak);") == 0, "\(channels)")
      try await mute(page, false)
      try await play(on: page)
      let stored = try await storedCopy(of: page, in: room, on: service)
      try await page.run("document.getElementById('take-stop').click();")
      try await page.leave()
      try await StudioWalkTests.untilCopiesAreOver(on: page)
      #expect(try await page.run("return jamjar.backups.copies.at(-1).state;") == "ready", "\(channels)")

      // What the file of the copy holds is silence to the last bit, and its time goes on.
      for samples in stored.channels {
        let pause = Pause(of: samples, rate: stored.rate, below: .leastNonzeroMagnitude)
        #expect(
          pause.length > StudioMuteTests.silence && pause.before > 0.1 && pause.after > 0.1, "\(channels): \(pause)")
      }
      let take = try await service.finishedTake(in: room)
      let tracks = try await service.get("/v1/takes/\(take.id)/tracks").object?["items"]?.array
      let facts = try #require(tracks?.first?.object)
      let track = try #require(facts["id"]?.string)
      // What is heard of the copy is the copy's. A busy browser leaves blocks out, beside which nothing is covered.
      let covered = facts["lossless"]?.object?["covered"]?.double ?? 0
      #expect(covered > 2 * StudioMuteTests.part, "\(channels): \(JSONValue.object(facts).text)")
      let lossless = try await service.sound(
        "/v1/takes/\(take.id)/tracks/\(track)/audio?source=lossless", folder: take.id, name: "lossless.flac")
      for (samples, sent) in zip(lossless.channels, take.tracks[0].sound.channels) {
        let kept = Pause(of: samples, rate: lossless.rate, below: StudioMuteTests.hearing)
        #expect(
          kept.length > StudioMuteTests.silence && kept.before > 0.1 && kept.after > 0.1, "\(channels): \(kept)")
        // It lies where the others heard nothing.
        let heard = Pause(of: sent, rate: 48_000, below: StudioMuteTests.hearing)
        for (one, other) in [
          (kept.range.lowerBound, heard.range.lowerBound), (kept.range.upperBound, heard.range.upperBound),
        ] {
          #expect(abs(one - other) < StudioMuteTests.tolerance, "\(channels): \(kept) \(heard)")
        }
      }
    }

    /// The copy as it is saved by hand: all that its file holds at this moment.
    private func storedCopy(of page: Page, in room: String, on service: Service) async throws -> Sound {
      let text = try await page.run(
        """
        const { backups } = jamjar;
        const saved = new Promise((resolve) => {
          const make = URL.createObjectURL;
          URL.createObjectURL = (blob) => {
            URL.createObjectURL = make;
            resolve(blob);
            return make.call(URL, blob);
          };
        });
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = () => {};
        backups.save(backups.copies.at(-1).key);
        const bytes = new Uint8Array(await (await saved).arrayBuffer());
        HTMLAnchorElement.prototype.click = click;
        let text = "";
        for (let at = 0; at < bytes.length; at += 30_000) text += String.fromCharCode(...bytes.subarray(at, at + 30_000));
        return btoa(text);
        """)
      let bytes = try #require(text.string.flatMap { Data(base64Encoded: $0) })
      let folder = service.path("downloads/\(room)")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      try bytes.write(to: URL(fileURLWithPath: "\(folder)/copy.wav"))
      return try service.downloaded("copy.wav", folder: room)
    }

    @Test func theKeyMeansOnesOwnMicrophoneWhoeverStandsFirst() async throws {
      try await Stage.run { stage in
        let bob = try await stage.openStudio()
        try await bob.joinWithTone("keys", as: "Bob", frequency: 660)
        let ada = try await stage.openStudio()
        try await ada.joinWithTone("keys", as: "Ada", frequency: 440)
        try await ada.untilTrue("document.querySelectorAll('.member .mute').length === 2")
        try await ada.press("m")
        try await ada.untilTrue("jamjar.state.isMuted")
        let muted = try await ada.run(
          "return [...document.querySelectorAll('.member[data-muted=true] .who strong')].map((name) => name.innerText);"
        )
        #expect(muted == ["Ada (you)"])
      }
    }

    @Test func itHoldsForAnotherMicrophoneAndAPageThatIsLoadedAnew() async throws {
      try await Stage.run { stage in
        let microphone = try Microphone(seed: 32, path: stage.service.path("microphone.wav"))
        let page = try await stage.openStudio(microphone: microphone.path)
        // Muted from the first sample on.
        try await page.join("quiet", as: "Ada", ["isMuted": true, "channels": "left", "backup": true])
        try await page.until("state.take && state.peers.microphone === 'connected'")
        try await play(on: page)
        try await page.run("await jamjar.studio.changeMicrophone({ channels: 'right' });")
        try await play(on: page)
        try await page.reload()
        try await page.until("state.phase === 'joined' && state.take && state.peers.microphone === 'connected'")
        try await page.untilTrue("document.querySelector('.mute')?.getAttribute('aria-pressed') === 'true'")
        try await play(on: page)
        try await mute(page, false)
        try await play(on: page)
        try await page.run("document.getElementById('take-stop').click();")
        let take = try await stage.service.finishedTake(in: "quiet")
        #expect(take.tracks.count == 1)
        let sound = take.tracks[0].sound
        let first = sound.left.firstIndex { abs($0) > StudioMuteTests.hearing } ?? sound.frames
        #expect(Double(first) / Double(sound.rate) > 3 * StudioMuteTests.part, "nothing before it was wanted")
        #expect(sound.left.suffix(2 * 48_000).contains { abs($0) > 0.05 }, "and then it is heard")
      }
    }
  }
}
