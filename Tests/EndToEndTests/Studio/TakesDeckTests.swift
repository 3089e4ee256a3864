import Foundation
import Signaling
import Testing

extension Pages {
  /// What is heard of takes is measured, sample by sample, on the deck of a real Chromium.
  @Suite(.serialized) struct TakesDeckTests {
    /// 24 bits and the rounding of three floats.
    static let exactly = 2e-6
    /// A track in the mix has −3 dB (docs/export.md).
    static let base = 0.707945784384138

    @Test func soloMuteAndPanAreHeardAtOnce() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let heard = try await page.takes(
          """
          const tones = [440, 660, 990], strip = (number) => document.querySelector(`.strip[data-track="${number}"]`);
          const numberOf = (name) => jamjarPlayer.a.tracks.find((track) => track.participant.name === name).number;
          const [ada, bob, cyd] = ["Ada", "Bob", "Cyd"].map(numberOf);
          jamjarPlayer.seek(2);
          const measure = async () => {
            const { left, right } = await takes.listen(9_600);
            return [tones.map((hertz) => takes.tone(left, hertz)), tones.map((hertz) => takes.tone(right, hertz))];
          };
          const all = await measure();
          strip(bob).querySelector(".solo").click();
          const solo = await measure();
          strip(bob).querySelector(".solo").click();
          strip(cyd).focus();
          takes.key("m");
          const mute = await measure();
          const pan = strip(ada).querySelector(".centred");
          pan.value = -1;
          pan.dispatchEvent(new Event("input"));
          const panned = await measure();
          return [all, solo, mute, panned].flat();
          """)
        let measured = (heard.array ?? []).map { ($0.array ?? []).compactMap(\.double) }
        try #require(measured.count == 8 && measured.allSatisfy { $0.count == 3 })
        let (all, solo, mute, panned) = (measured[0], measured[2], measured[4], measured[6...7].map { $0 })
        let silent = 1e-4
        #expect(all.allSatisfy { $0 > 0.05 }, "\(all)")
        #expect(solo[0] < silent && abs(solo[1] - all[1]) < 1e-3 && solo[2] < silent, "only Bob: \(solo)")
        #expect(abs(mute[0] - all[0]) < 1e-3 && mute[2] < silent, "all but Cyd: \(mute)")
        #expect(panned[1][0] < silent && abs(panned[0][0] / all[0] - 2.0.squareRoot()) < 0.01, "Ada: \(panned)")
        #expect(abs(panned[0][1] - panned[1][1]) < 1e-3, "Bob stays in the middle")
      }
    }

    @Test func allTracksLieTogetherToTheSampleAlsoWhereOneIsLate() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let result = try await page.takes(
          """
          const [take, base] = given, { tracks } = jamjarPlayer.a;
          const sounds = await Promise.all(tracks.map(({ id }) => takes.sound(take, id)));
          const gains = tracks.map(() => [base, base]);
          jamjarPlayer.seek(3.5);
          const across = await takes.listen(48_000);
          jamjarDeck.pause();
          // The second track is fetched anew, and its stretch from 8 s on is held back on the way.
          const fetched = window.fetch;
          let release = null;
          window.fetch = (address, options) => String(address).includes("start=8&")
            ? new Promise((resolve) => { release = () => resolve(fetched(address, options)); }) : fetched(address, options);
          jamjarDeck.exchange(tracks[1].id, jamjarPlayer.a.sound(tracks[1]));
          jamjarPlayer.seek(7.5);
          await jamjarDeck.play();
          await takes.state("playing");
          const tape = jamjarDeck.record(36_000);
          await takes.state("waiting");
          const place = jamjarDeck.position;
          await takes.until(() => !document.querySelector(".buffering").hidden);
          release();
          const late = await tape;
          const without = { from: place - 128, to: place + 128 };
          return [across.from, takes.error(across, sounds, gains), place, late.from + late.left.length,
            takes.error(late, sounds, gains, { without })];
          """, .string(copy.first), .number(TakesDeckTests.base))
        let values = (result.array ?? []).compactMap(\.double)
        try #require(values.count == 5)
        #expect(values[0] < 192_000 && values[0] + 48_000 > 192_000, "two stretches meet at 4 s, as every 2 s")
        #expect(values[1] < TakesDeckTests.exactly, "\(values)")
        #expect(values[2] > 384_000 - 128 && values[2] <= 384_000, "they wait where the stretch begins: \(values)")
        #expect(values[3] > 384_000 + 4_800, "and go on from there")
        #expect(values[4] < TakesDeckTests.exactly, "\(values)")
      }
    }

    @Test func ofAnHourOnlyWhatIsHeardSoonIsKept() async throws {
      try await Stage.run { stage in
        let page = try await stage.openPage()
        try await page.open("\(stage.service.address)/takes")
        let result = try await page.run(
          """
          const { DeckLoader, CHUNK, RATE } = await import("/studio/takes/deck-loader.js");
          const loader = new DeckLoader(), length = 3_600 * RATE, there = new Set();
          for (const id of ["a", "b", "c"]) loader.add(id, length, 0);
          let most = 0, missed = 0, fetched = 0;
          const arrive = (position, loop) => {
            const { fetch, drop } = loader.plan(position, loop, length);
            for (const { id, index } of drop) { there.delete(`${id}/${index}`); loader.set(id, index, null); }
            for (const { id, index } of fetch) { there.add(`${id}/${index}`); loader.set(id, index, "there"); fetched++; }
            most = Math.max(most, there.size);
            for (const id of ["a", "b", "c"]) if (!there.has(`${id}/${Math.floor(position / CHUNK)}`)) missed++;
          };
          for (let position = 0; position < length; position += RATE) arrive(position, null);
          const played = fetched;
          // A loop: its beginning is there whenever its end comes near, and is fetched once.
          const loop = { from: 100 * RATE, to: 160 * RATE };
          for (let round = 0; round < 3; round++) for (let position = loop.from; position < loop.to; position += RATE) {
            arrive(position, loop);
            if (!there.has(`a/${Math.floor(loop.from / CHUNK)}`)) missed++;
          }
          return [most, missed, played, (3 * length) / CHUNK];
          """)
        let values = (result.array ?? []).compactMap(\.double)
        try #require(values.count == 4)
        #expect(values[0] <= 3 * 13, "13 stretches of 2 s of each track at most: \(values)")
        #expect(values[1] == 0 && values[2] == values[3], "every stretch comes once, in time: \(values)")
      }
    }

    @Test func onASlowLineTheSameMusicIsHeardAtTheSamePlace() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, quality: "light", of: stage.service)
        let result = try await page.takes(
          """
          const [take] = given, { tracks } = jamjarPlayer.a;
          const addresses = tracks.map(({ id }) => `/v1/takes/${take}/tracks/${id}/listening/0`);
          // They are made in the background; the first request asks for them, and the answer is 202 until then.
          let segment = null;
          for (const address of addresses) {
            while ((segment = await fetch(address)).status !== 200) await new Promise((resolve) => setTimeout(resolve, 50));
          }
          // Where the last of the three has begun.
          const { items } = await (await fetch(`/v1/takes/${take}/tracks`)).json();
          const begin = Math.max(...items.map(({ alignment }) => alignment.offset)) + 0.5;
          const decoded = await new OfflineAudioContext(1, 1, 48_000).decodeAudioData(await segment.arrayBuffer());
          const tones = [440, 660, 990];
          const measure = async (quality) => {
            jamjarPlayer.quality = quality;
            const before = { ...jamjarDeck.roads };
            jamjarPlayer.seek(begin);
            const { left } = await takes.listen(96_000);
            jamjarDeck.pause();
            const came = [jamjarDeck.roads.light - before.light, jamjarDeck.roads.full - before.full];
            return [came, tones.map((hertz) => takes.tone(left, hertz))];
          };
          return [decoded.length, ...(await measure("full")), ...(await measure("light"))];
          """, .string(copy.first))
        let values = try #require(result.array)
        try #require(values.count == 5)
        #expect(values[0].double == 99_840, "a browser decodes the run-in and two seconds to the frame")
        let (exact, quick) = (values[1].numbers, values[3].numbers)
        try #require(exact.count == 2 && quick.count == 2)
        #expect(exact[0] == 0 && exact[1] > 0 && quick[0] > 0 && quick[1] == 0, "\(exact) \(quick)")
        for (file, heard) in zip(values[2].numbers, values[4].numbers) {
          #expect(file > 0.05 && abs(heard / file - 1) < 0.1, "\(values)")
        }
      }
    }

    /// The page believed that it played when the audio thread had reached the end just before.
    @Test func endAndHomeAtAnyDistanceLeaveADeckThatPlays() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let states = try await page.takes(
          """
          const reported = () => new Promise((resolve) => jamjarDeck.addEventListener("report", resolve, { once: true }));
          const states = [];
          for (let turn = 0; turn < 12; turn++) {
            await jamjarDeck.play();
            await takes.state("playing");
            takes.key("End");
            // From the same task to many audio blocks later.
            for (let wait = 0; wait < turn % 6; wait++) await new Promise((resolve) => setTimeout(resolve));
            takes.key("Home");
            if (!jamjarDeck.isPlaying) await jamjarDeck.play();
            await takes.state("playing");
            const from = jamjarDeck.position;
            while (jamjarDeck.position < from + 4_800) await reported();
            states.push(jamjarDeck.state);
            jamjarDeck.pause();
          }
          return states;
          """)
        let all: [String] = (states.array ?? []).compactMap(\.string)
        #expect(all == [String](repeating: "playing", count: 12))
      }
    }

    @Test func aLoopRepeatsWithoutASeam() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let result = try await page.takes(
          """
          const [take, base] = given, { tracks } = jamjarPlayer.a;
          const sounds = await Promise.all(tracks.map(({ id }) => takes.sound(take, id)));
          // Neither end lies where the audio thread's steps or the stretches end.
          jamjarPlayer.setLoop(187_001 / 48_000, 200_017 / 48_000);
          const loop = jamjarDeck.loop;
          jamjarDeck.seek(190_000);
          const tape = await takes.listen(60_000);
          takes.key("l");
          const free = await jamjarDeck.record(30_000);
          return [loop.from, loop.to, tape.from, takes.error(tape, sounds, tracks.map(() => [base, base]), { loop }),
            jamjarDeck.loop, document.querySelector('[aria-label="Loop"]').getAttribute("aria-pressed"), free.from];
          """, .string(copy.first), .number(TakesDeckTests.base))
        let values = try #require(result.array)
        #expect(values[0].double == 187_001 && values[1].double == 200_017)
        #expect(values[2].double ?? .infinity < 200_017, "\(values)")
        #expect(values[3].double ?? .infinity < TakesDeckTests.exactly, "\(values)")
        #expect(values[4] == .null && values[5].string == "false")
      }
    }

    @Test func twoTakesAreComparedAtOnePositionAndEquallyLoud() async throws {
      try await Stage.runWithTones { stage, page, copy in
        try await page.openTake(copy.first, of: stage.service)
        let result = try await page.takes(
          """
          const [first, second, base] = given;
          // The other take of the same song is offered first.
          const choice = await takes.shown('select[aria-label="Compare with"]');
          await takes.until(() => choice.options.length > 1);
          choice.value = choice.options[1].value;
          choice.dispatchEvent(new Event("change"));
          await takes.until(() => location.search.includes(second) && document.querySelectorAll(".side:not([hidden])").length === 2);
          const sides = [jamjarPlayer.a, jamjarPlayer.b];
          const sounds = await Promise.all(sides.map((side) => Promise.all(side.tracks.map(({ id }) => takes.sound(side.store.id, id)))));
          const loudest = Math.min(...sides.map((side) => side.store.take.loudness));
          const gains = sides.map((side) => side.tracks.map(() => {
            const gain = base * 10 ** ((loudest - side.store.take.loudness) / 20);
            return [gain, gain];
          }));
          jamjarPlayer.seek(1);
          const a = await takes.listen(12_000);
          takes.key("x");
          const b = await takes.listen(12_000);
          const heard = [document.querySelector(".side-b input").checked, jamjarPlayer.heard === jamjarPlayer.b];
          takes.key("x");
          const again = await takes.listen(12_000);
          takes.key("]");
          takes.key("x");
          const moved = await takes.listen(12_000);
          const shift = Math.round(jamjarPlayer.b.shift * 48_000);
          return [takes.error(a, sounds[0], gains[0]), takes.error(b, sounds[1], gains[1]), takes.error(again, sounds[0], gains[0]),
            takes.error({ ...moved, from: moved.from + shift }, sounds[1], gains[1]), shift, a.from, b.from, again.from, ...heard,
            choice.options[1].value, choice.options[1].parentElement.label,
            JSON.stringify({
              wanted: gains, loudness: sides.map((side) => side.store.take.loudness), a: takes.shares(a, sounds[0]),
              b: takes.shares(b, sounds[1]), moved: takes.shares({ ...moved, from: moved.from + shift }, sounds[1]) })];
          """, .string(copy.first), .string(copy.second), .number(TakesDeckTests.base))
        let values = try #require(result.array)
        for index in 0..<4 { #expect(values[index].double ?? .infinity < TakesDeckTests.exactly, "\(values)") }
        #expect(values[4].double == 4_800, "B was moved by a tenth of a second")
        let positions = values[5...7].compactMap(\.double)
        #expect(positions == positions.sorted(), "it goes on where it was: \(positions)")
        #expect(values[8] == true && values[9] == true)
        #expect(values[10].string == copy.second && values[11].string == "The same song")
        // The address holds both, so that a reload compares again.
        try await page.reload()
        try await page.takes(
          "await takes.until(() => window.jamjarPlayer?.b && document.querySelector('.side-b .overview'));")
      }
    }
  }
}

extension JSONValue {
  fileprivate var numbers: [Double] { (array ?? []).compactMap(\.double) }
}
