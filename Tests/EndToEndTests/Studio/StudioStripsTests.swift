import Foundation
import Signaling
import Testing

extension Pages {
  /// Musicians as channel strips: what their faders, pans and lamps do, and where they stand.
  @Suite(.serialized) struct StudioStripsTests {
    /// What Web Audio gives to the ears: the level of each channel in dB, from its last destination backwards.
    private static let listener = """
      const connect = AudioNode.prototype.connect;
      AudioNode.prototype.connect = function (target, ...rest) {
        const node = connect.call(this, target, ...rest);
        if (target instanceof AudioDestinationNode && this instanceof ChannelMergerNode) {
          const split = new ChannelSplitterNode(this.context, { numberOfOutputs: 2 });
          window.ears = [0, 1].map(() => new AnalyserNode(this.context, { fftSize: 8192 }));
          connect.call(this, split);
          window.ears.forEach((ear, side) => connect.call(split, ear, side));
        }
        return node;
      };
      window.heard = () => (window.ears ?? []).map((ear) => {
        const samples = new Float32Array(ear.fftSize);
        ear.getFloatTimeDomainData(samples);
        return 10 * Math.log10(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length + 1e-12);
      });
      window.slide = (name, value) => {
        const slider = document.querySelector(`.member .slider input.${name}`);
        slider.value = value;
        slider.dispatchEvent(new Event("input"));
      };
      """

    @Test func faderAndPanChangeWhatIHearAndNothingElseAndStay() async throws {
      try await Stage.run { stage in
        let (ada, bob) = try await stage.openTwoBrowsers()
        try await ada.prepare(StudioStripsTests.listener)
        for (page, name, tone) in [(ada, "Ada", 440.0), (bob, "Bob", 660)] {
          try await page.openStudio(of: stage.service, at: "/rooms/faders")
          try await page.joinWithTone("faders", as: name, frequency: tone)
        }
        try await ada.untilShown(".member .fader")
        #expect(
          try await ada.run("return document.querySelector('.member .fader').ariaLabel;")
            == "Volume of Bob, for you alone")
        try await ada.untilTrue("[...jamjar.studio.members.keys()].every((id) => jamjar.level(id) > 0.05)")
        // In the middle nobody pays for a detour.
        #expect(try await ada.run("return window.ears === undefined;") == true)
        // Lifted by 6 dB: −10.5 dB of a sine at 0.3 become −7.5, on both sides alike.
        try await ada.run("slide('fader', 6);")
        try await ada.untilTrue("heard().length === 2 && heard().every((level) => Math.abs(level + 7.46) < 1)")
        try await ada.run("slide('fader', -14);")
        try await ada.run("slide('centred', 0.5);")
        // 14 dB less, and half way to the right: 1.307 there, 0.541 on the left.
        try await ada.untilTrue(
          "Math.abs(heard()[1] + 13.46 + 14 - 2.32) < 1 && Math.abs(heard()[0] + 13.46 + 14 + 5.33) < 1")
        try await ada.run("slide('centred', -1);")
        try await ada.untilTrue("heard()[1] < -100 && Math.abs(heard()[0] + 13.46 + 14 - 3.01) < 1")
        // Keys: an arrow is a step of 1 dB, 0 is 0 dB.
        try await ada.run("document.querySelector('.member .fader').focus();")
        try await ada.press("\u{E013}")
        try await ada.untilTrue("document.querySelector('.member .fader').ariaValueText === '−13 dB'")
        // Muted for these ears alone.
        try await ada.run("document.querySelector('.member [aria-label=\"Mute Bob, for you alone\"]').click();")
        try await ada.untilTrue("heard().every((level) => level < -100)")
        try await ada.run("document.querySelector('.member [aria-label=\"Unmute Bob, for you alone\"]').click();")
        try await ada.untilTrue("Math.abs(heard()[0] + 13.46 + 13 - 3.01) < 1")
        #expect(try await bob.run("return [...jamjar.studio.members.values()].some(({ muted }) => muted);") == false)
        try await ada.untilJournaled(try await ada.run("return jamjar.state.safe;").double.map { $0 + 1 } ?? 2)
        // A page that is loaded anew.
        try await ada.leave()
        try await ada.openStudio(of: stage.service, at: "/rooms/faders?again")
        try await ada.joinWithTone("faders", as: "Ada", frequency: 440)
        try await ada.untilTrue(
          "['.fader', '.centred'].map((name) => document.querySelector(`.member ${name}`)?.value).join() === '-13,-1'")
        try await ada.run("document.body.click();")
        try await ada.untilTrue("heard()[1] < -100 && Math.abs(heard()[0] + 13.46 + 13 - 3.01) < 1")
        try await ada.run("document.querySelector('.member .fader').focus();")
        try await ada.press("0")
        try await ada.untilTrue("document.querySelector('.member .fader').ariaValueText === '0 dB'")
        // And so is a double click.
        try await ada.run("slide('fader', -20);")
        try await ada.doubleClick(".member .fader")
        try await ada.untilTrue("document.querySelector('.member .fader').ariaValueText === '0 dB'")
        try await ada.untilTrue("JSON.parse(localStorage.getItem('jamjar-heard')).every(([, { gain }]) => gain === 0)")
        // A musician who leaves while their fader is held takes it along.
        try await bob.leave()
        try await ada.untilTrue("document.querySelector('.member .fader') === null")
        try await ada.expectNoComplaints()
      }
    }

    @Test func metersMoveAndALampStaysOnUntilItIsPressed() async throws {
      try await Stage.run { stage in
        let (ada, bob) = try await stage.openTwoBrowsers()
        for (page, name) in [(ada, "Ada"), (bob, "Bob")] {
          try await page.openStudio(of: stage.service, at: "/rooms/lamps")
          // Ada's input is too loud.
          try await page.run(
            """
            const context = new AudioContext({ sampleRate: 48000 });
            window.volume = new GainNode(context, { gain: arguments_[1] });
            const out = new MediaStreamAudioDestinationNode(context, { channelCount: 2 });
            const tone = new OscillatorNode(context, { frequency: 440 });
            tone.connect(window.volume).connect(out);
            tone.start();
            await jamjar.join({ room: "lamps", name: arguments_[0], stream: out.stream });
            """, .string(name), .number(name == "Ada" ? 1.4 : 0.2))
        }
        for page in [ada, bob] {
          try await page.untilTrue(
            "[...document.querySelectorAll('.meter')].filter((one) => Number(one.ariaValueNow) > -30).length === 2")
          #expect(try await page.run("return document.querySelector('.member .bar').clientHeight >= 200;") == true)
          // Everybody sees whose it is.
          try await page.untilTrue(
            """
            [...document.querySelectorAll(".member:has(.clip:enabled) strong")]
              .map((name) => name.innerText.slice(0, 3)).join() === "Ada"
            """)
        }
        try await ada.run("window.volume.gain.value = 0.2;")
        try await ada.untilTrue(
          "jamjar.studio.microphone.levels.clipped === 0 && jamjar.studio.microphone.levels.peak[0] < 0.3")
        // Only a press puts it out.
        #expect(try await ada.run("return document.querySelector('.clip:enabled') !== null;") == true)
        try await ada.run("document.querySelector('.clip:enabled').click();")
        #expect(try await ada.run("return document.querySelector('.clip:enabled') === null;") == true)
        try await ada.expectNoComplaints()
      }
    }

    /// A client of another kind, which is in the room and sends nothing: its strip can be set all the same.
    @Test func theStripOfAMusicianWithoutSoundStandsStillAndKeepsWhatIsSet() async throws {
      try await Stage.run { stage in
        let ada = try await stage.openStudio(at: "/rooms/quiet")
        try await ada.joinWithTone("quiet", as: "Ada", frequency: 440)
        let enter = """
          window.quiet = new WebSocket(`ws://${location.host}/v1/rooms/quiet/signal`);
          await new Promise((resolve, reject) => {
            quiet.onopen = () => quiet.send(JSON.stringify({ id: 1, method: "join", params: { name: "Quinn", role: "musician" } }));
            quiet.onmessage = ({ data }) => {
              const { id, error } = JSON.parse(data);
              if (id === 1) error ? reject(new Error(error.message)) : resolve();
            };
            quiet.onclose = ({ code, reason }) => reject(new Error(`closed: ${code} ${reason}`));
          });
          """
        try await ada.run(StudioStripsTests.listener + enter)
        try await ada.untilShown(".member .fader")
        try await ada.run("slide('fader', 6);")
        try await ada.run("slide('centred', -0.5);")
        try await ada.run("document.querySelector('.member [aria-label=\"Mute Quinn, for you alone\"]').click();")
        let seen = try await ada.run(
          """
          const strip = [...document.querySelectorAll(".member")].find((one) => one.querySelector(".fader"));
          return [strip.querySelector(".fader").ariaValueText, strip.querySelector(".meter").ariaValueNow,
            strip.querySelector(".delay").innerText, strip.querySelector(".mute").getAttribute("aria-pressed"),
            strip.querySelector(".clip").disabled, window.ears === undefined];
          """)
        #expect(seen == ["+6 dB", "-60", "", "true", true, true])
        // The strip goes with the musician, and what was set comes back with the name.
        try await ada.run("quiet.send(JSON.stringify({ id: 2, method: 'leave', params: {} }));")
        try await ada.untilTrue("document.querySelector('.member .fader') === null")
        try await ada.run(enter)
        try await ada.untilTrue("document.querySelector('.member .fader')?.ariaValueText === '+6 dB'")
        try await ada.expectNoComplaints()
      }
    }

    @Test func threeStripsStandSideBySideOnATelephoneAndSayAllBehindTheirDots() async throws {
      try await Stage.run { stage in
        let pages = try await stage.openStudios(3)
        let names = ["Ada", "Bartholomew", "Cy"]
        for (page, name) in zip(pages, names) {
          try await page.openStudio(of: stage.service, at: "/rooms/desk")
          try await page.joinWithTone("desk", as: name, frequency: 440)
        }
        let ada = pages[0]
        for page in pages {
          try await page.untilTrue("document.querySelectorAll('.light[data-state=safe]').length === 3")
        }
        try await ada.untilTrue("document.querySelectorAll('.delay[data-word]:not([data-word=unknown])').length === 2")
        try await pages[2].run("jamjar.studio.isMuted = true;")
        try await ada.untilTrue("document.getElementById('members').innerText.includes('Muted: silence is recorded')")
        let folder = ProcessInfo.processInfo.environment["JAMJAR_VIEWS_PICTURES"]
        for (width, height) in [(1_280, 1_000), (390, 1_300)] {
          let (wide, tall) = (JSONValue.integer(Int64(width)), JSONValue.integer(Int64(height)))
          try await ada.devTools(
            "Emulation.setDeviceMetricsOverride",
            ["width": wide, "height": tall, "deviceScaleFactor": 1, "mobile": false])
          let places = try await ada.run(
            """
            const boxes = [...document.querySelectorAll(".member")].map((one) => one.getBoundingClientRect());
            const meters = [...document.querySelectorAll(".member .bars")].map((one) => one.getBoundingClientRect());
            const tops = (all) => new Set(all.map(({ top }) => Math.round(top))).size;
            return [tops(boxes), tops(meters), document.documentElement.scrollWidth <= innerWidth];
            """)
          #expect(places == [1, 1, true], "\(width)")
          for theme in ["light", "dark"] {
            let feature: JSONValue = ["name": "prefers-color-scheme", "value": .string(theme)]
            try await ada.devTools("Emulation.setEmulatedMedia", ["features": .array([feature])])
            if let folder { try await ada.screenshot(to: "\(folder)/desk-\(width)-\(theme).png") }
          }
        }
        // One panel at a time, by the keyboard.
        try await ada.run("document.querySelectorAll('.more')[1].focus();")
        try await ada.press("\u{E007}")
        try await ada.untilTrue("document.querySelector('.panel:not([hidden]) h3')?.innerText === 'Bartholomew'")
        try await ada.run("document.querySelectorAll('.more')[2].focus();")
        try await ada.press("\u{E007}")
        try await ada.untilTrue(
          "[...document.querySelectorAll('.panel:not([hidden]) h3')].map((one) => one.innerText).join() === 'Cy'")
        try await ada.press("\u{E007}")
        try await ada.untilTrue("document.querySelector('.panel:not([hidden])') === null")
        try await ada.expectNoComplaints()
      }
    }
  }
}
