import Foundation
import Glibc
import Signaling
import Testing

extension Players {
  /// A random walk of everything that decides whether a musician is recorded. What was muted is in no file, the sign is
  /// never red without the disk, and no page is ever empty.
  @Suite(.serialized) struct StudioWalkTests {
    /// The microphone of a page, in place of a device: a tone of 440 Hz, and one of 3 kHz for what nobody may keep. It
    /// outlives a reload, as an instrument does.
    static let instrument = """
      const USUAL = 440, SECRET = 3000;
      let tone = null;
      Object.defineProperty(navigator.mediaDevices ?? {}, "getUserMedia", { value: async () => {
        const context = new AudioContext({ sampleRate: 48000 });
        tone = new OscillatorNode(context, { frequency: sessionStorage.secret ? SECRET : USUAL });
        const volume = new GainNode(context, { gain: 0.3 });
        const destination = new MediaStreamAudioDestinationNode(context, { channelCount: 2 });
        tone.connect(volume).connect(destination);
        tone.start();
        return destination.stream;
      } });
      window.secret = (isSecret) => {
        if (isSecret) sessionStorage.secret = "1"; else sessionStorage.removeItem("secret");
        const { context, frequency } = tone;
        // A moment after the button and before the next one: what is on its way is what was meant before.
        frequency.setValueAtTime(isSecret ? SECRET : USUAL, context.currentTime + 0.3);
        return play(0.6);
      };
      // By the instrument's own clock: a page need not be painted while somebody plays.
      window.play = (seconds) => {
        const { context } = tone, wait = new ConstantSourceNode(context);
        wait.start();
        wait.stop(context.currentTime + seconds);
        return new Promise((resolve) => { wait.onended = resolve; });
      };
      """

    private static let secret = 3_000.0
    /// The most of the secret tone, of 0.3 at full, that a tenth of a second may have: what the window leaves of the other.
    private static let most = 0.003

    /// Where the stored tracks and copies of some musicians in a room have the secret tone.
    static func leaks(in room: String, of service: Service, of names: [String]) async throws -> [String] {
      _ = try await service.finishedTake(in: room)
      var faults: [String] = []
      for take in try await service.takes(in: room) {
        guard let id = take["id"]?.string else { continue }
        let tracks = try await service.get("/v1/takes/\(id)/tracks").object?["items"]?.array?.compactMap(\.object) ?? []
        for track in tracks {
          guard let name = track["participant"]?.object?["name"]?.string, names.contains(name),
            let number = track["id"]?.string
          else { continue }
          var paths = ["/v1/takes/\(id)/tracks/\(number)/audio"]
          if track["lossless"]?.object != nil { paths.append(paths[0] + "?source=lossless") }
          for (index, path) in paths.enumerated() {
            let sound = try await service.sound(path, folder: id, name: "\(number)-\(index).flac")
            for (channel, samples) in sound.channels.enumerated() {
              guard let (at, level) = loudest(samples, rate: sound.rate), level > most else { continue }
              faults.append(
                "take \(take["number"]?.text ?? "") \(path) of \(name), channel \(channel): \(level) at \(at) s")
            }
          }
        }
      }
      return faults
    }

    /// Waits until all lossless copies are ready, or will never be. Aligning them comes after everything else that a machine has to
    /// do, so that beside other browsers it may take minutes: let all pages leave their rooms first.
    static func untilCopiesAreOver(on page: Page) async throws {
      var open = JSONValue.null
      for _ in 0..<5 {
        open = try await page.run(
          """
          const over = ["ready", "refused", "failed", "lost"], begin = performance.now();
          return await new Promise((resolve) => {
            // By a timer: a page that is not painted waits too.
            const look = () => {
              const states = jamjar.backups.copies.map(({ state }) => state);
              if (states.every((state) => over.includes(state))) return resolve(null);
              if (performance.now() - begin > 60_000) return resolve(states.join(", "));
              setTimeout(look, 100);
            };
            look();
          });
          """)
        if open == .null { return }
      }
      throw EndToEndFailure("lossless copies: \(open.text)")
    }

    /// What the service has of the room's takes and their copies, a line each.
    private static func copies(of service: Service) async -> [String] {
      var lines: [String] = []
      for take in (try? await service.takes(in: "walk")) ?? [] {
        lines.append("take \(take["id"]?.text ?? "") \(take["state"]?.text ?? "")")
        let backups = try? await service.get("/v1/takes/\(take["id"]?.string ?? "")/backups")
        lines += backups?.object?["items"]?.array?.map(\.text) ?? []
      }
      return lines
    }

    /// The tenth of a second with the most of the secret tone: where, and its amplitude.
    private static func loudest(_ samples: [Float], rate: Int) -> (seconds: Double, amplitude: Double)? {
      let length = rate / 10
      let angles = (0..<length).map { 2 * Double.pi * secret * Double($0) / Double(rate) }
      let (sines, cosines) = (angles.map { sin($0) }, angles.map { cos($0) })
      let windows = (0..<length).map { 1 - cos(2 * Double.pi * Double($0) / Double(length)) }
      var found: (seconds: Double, amplitude: Double)?
      for start in stride(from: 0, through: samples.count - length, by: length / 2) {
        var (sine, cosine, index) = (0.0, 0.0, 0)
        while index < length {
          let sample = Double(samples[start + index]) * windows[index]
          sine += sample * sines[index]
          cosine += sample * cosines[index]
          index += 1
        }
        let amplitude = 2 * (sine * sine + cosine * cosine).squareRoot() / Double(length)
        if amplitude > (found?.amplitude ?? -1) { found = (Double(start) / Double(rate), amplitude) }
      }
      return found
    }

    /// Looks at the sign every 100 ms: a list of lies, which outlives a reload.
    private static let watch = """
      const lies = (text) => { sessionStorage.lies = `${sessionStorage.lies ?? ""}${text}\\n`; };
      let confirmed = performance.now(), empty = 0;
      addEventListener("DOMContentLoaded", () => setInterval(() => {
        if (!window.jamjar) return;
        const { studio, state } = window.jamjar;
        const isRed = document.getElementById("recording").dataset.state === "recording";
        const behind = studio.safety.behind(performance.now() / 1000);
        const isKept = state.phase === "joined" && state.take && (behind === null || behind < 2);
        if (isKept || !isRed) confirmed = performance.now();
        if (performance.now() - confirmed > 2000) { lies("red without the disk"); confirmed = performance.now(); }
        empty = document.querySelector("#view .view > *, #view .view[data-shown]") ? 0 : empty + 1;
        if (empty === 50) lies("an empty page");
      }, 100));
      """

    private enum Step: CaseIterable { case mute, reload, kill, stop, split, consent, talk }

    /// `JAMJAR_WALK_STEPS` makes a long one of it, `JAMJAR_WALK_SEED` another, and `JAMJAR_WALK_PAGES=3` has three musicians.
    private static func setting(_ name: String) -> Int? {
      ProcessInfo.processInfo.environment[name].flatMap { Int($0) }
    }

    /// Two walks at a time, in each mode one.
    @Test func whatIsMutedIsInNoFileWhateverHappens() async throws {
      for modes in [["stereo", "left"], ["right", "mono"]] {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for channels in modes { group.addTask { try await walk(channels) } }
          try await group.waitForAll()
        }
      }
    }

    private func walk(_ channels: String) async throws {
      var random = UInt64(StudioWalkTests.setting("JAMJAR_WALK_SEED") ?? 20)
      func next(_ below: Int) -> Int {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(random >> 33) % below
      }
      random ^= channels.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
      let names = Trio.names.prefix(max(1, StudioWalkTests.setting("JAMJAR_WALK_PAGES") ?? 1))
      let folder = try TemporaryFolder()
      var service = try await Service([], folder: folder)
      let driver = try await WebDriver()
      var trail: [String] = []
      do {
        var pages: [Page] = []
        let isIn = "state.phase === 'joined' && state.peers.microphone === 'connected'"
        for name in names {
          let page = try await driver.openBrowser()
          pages.append(page)
          try await page.prepare(StudioWalkTests.instrument + StudioWalkTests.watch)
          try await page.open("\(service.address)/healthz")
          try await page.run(
            "localStorage.setItem('jamjar-channels', JSON.stringify(arguments_[0]));", .string(channels))
          try await page.openStudio(of: service, at: "/rooms/walk?name=\(name)")
          try await page.untilShown("#enter")
          try await page.run("document.getElementById('enter').click();")
          try await page.until(isIn)
        }
        for _ in 0..<(StudioWalkTests.setting("JAMJAR_WALK_STEPS") ?? 7) {
          let step = Step.allCases[next(Step.allCases.count)]
          let musician = names.count > 1 ? next(names.count) : 0
          let (page, name) = (pages[musician], names[musician])
          trail.append(names.count > 1 ? "\(step) of \(name)" : "\(step)")
          switch step {
          case .mute:
            let isMuted = try await page.run("return jamjar.state.isMuted;") == true
            if isMuted { try await page.run("await secret(false);") }
            try await page.run("jamjar.studio.isMuted = \(!isMuted);")
            if !isMuted { try await page.run("await secret(true);") }
          case .reload:
            try await page.reload()
            try await page.until(isIn)
          case .kill:
            service.process.send(SIGKILL)
            for page in pages { try await page.until("state.phase === 'reconnecting'") }
            service = try await Service([], folder: folder, port: service.port)
            for page in pages { try await page.until(isIn) }
          case .stop:
            let rolls = try await page.run("return Boolean(jamjar.state.take);") == true
            try await page.run("await jamjar.request('\(rolls ? "takeStop" : "takeStart")');")
            try await page.until(rolls ? "!state.take" : "state.take")
          case .split:
            try await page.run("if (jamjar.state.take) await jamjar.request('takeSplit');")
          case .consent:
            try await page.run(
              """
              const { options } = jamjar.studio, { isMuted, channels, backup } = options, consent = options.consent === false;
              await jamjar.leave();
              await jamjar.join({ room: "walk", name: arguments_[0], isMuted, channels, backup, consent });
              """, .string(name))
            try await page.until(isIn)
          case .talk:
            try await page.untilTrue("jamjar.studio.canTalk")
            try await page.run(
              """
              const { talkback } = jamjar.studio;
              // Where it cannot open, it closes, and says why once the key is released.
              const begun = new Promise((resolve) => talkback.addEventListener("change", () => {
                if (talkback.isOpen || talkback.state === "closing") resolve();
              }));
              const over = talkback.press();
              await begun;
              if (!talkback.isOpen) {
                talkback.release();
                await over;
              }
              const wasMuted = Boolean(sessionStorage.secret);
              await secret(true);
              await secret(wasMuted);
              talkback.release();
              await over;
              """)
          }
          trail.append("play")
          // Something is played in every state.
          try await page.run("await play(1);")
          trail.removeLast()
        }
        trail.append("leave")
        for page in pages { try await page.leave() }
        trail.append("copies")
        for page in pages { try await StudioWalkTests.untilCopiesAreOver(on: page) }
        let path = trail.joined(separator: " ")
        let faults = try await StudioWalkTests.leaks(in: "walk", of: service, of: Array(names))
        #expect(faults == [], "\(channels): \(path)")
        for (page, name) in zip(pages, names) {
          let lies = try await page.run("return sessionStorage.lies ?? '';")
          #expect(lies == "", "\(name), \(channels): \(path)")
          await page.close()
        }
        await driver.close()
        await service.close()
      } catch {
        let copies = await StudioWalkTests.copies(of: service)
        await driver.close()
        await service.close()
        // Why a copy waits is in the service's log.
        let lines = await service.process.wholeText().split(separator: "\n").map(String.init)
        let log = lines.filter { $0.contains("backup") }
        throw EndToEndFailure(
          "\(channels): \(trail.joined(separator: " ")): \(error)\n\((copies + log).joined(separator: "\n"))")
      }
    }
  }
}
