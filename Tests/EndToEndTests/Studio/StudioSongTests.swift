import Signaling
import Testing

extension Pages {
  /// The song on the stage view.
  @Suite(.serialized) struct StudioSongTests {
    /// In the page: writes the sheet as people do.
    private static let write = """
      const field = document.querySelector("#sheet");
      field.value = arguments_[0];
      field.dispatchEvent(new Event("input"));
      """

    @Test func chordsStandOverTheirWordsAndEverythingElseAsItIsWritten() async throws {
      try await Stage.run { stage in
        let page = try await stage.openPage()
        try await page.open("\(stage.service.address)/")
        let read = try await page.run(
          """
          const { songLines } = await import("/studio/room/song-lines.js");
          const short = ({ kind, text, words }) => kind === "chords"
            ? words.map((pieces) => pieces.map(({ chord, words }) => `${chord ?? ""}>${words}`).join("+")).join(" ") : `${kind}: ${text}`;
          return arguments_[0].map((text) => {
            const { title, lines } = songLines(text);
            return [title ?? "", ...lines.map(short)].join(" / ");
          });
          """,
          .array([
            "The [Am7]sky is [F#m7b5/C]blu[G]e", "[Am] [G]", "Dm7  G7 | C", "[Chorus]\n[Bridge 2]", "[C]we [sic] said",
            "{title: Blue}\n{t: Second}\n{artist: Ada}\n{capo: 3}\n{soc}\n{sov: One}\n{new_page}\nend", "",
            "[N.C.]a[Bbmaj7(#11)]b",
            "{broken\n[", .string(String(repeating: "[", count: 10_000)),
          ]))
        let lines = read.array?.compactMap(\.string) ?? []
        #expect(
          lines.dropLast() == [
            " / >The  Am7>sky  >is  F#m7b5/C>blu+G>e", " / Am>  G>", " / plain: Dm7  G7 | C",
            " / plain: [Chorus] / plain: [Bridge 2]", " / C>we  >[sic]  >said",
            "Blue / remark: Ada / remark: capo: 3 / remark: Chorus / remark: One / plain: end", " / plain: ",
            " / N.C.>a+Bbmaj7(#11)>b", " / plain: {broken / plain: [",
          ])
      }
    }

    @Test func theStageShowsTheSongLargeAndGoesOnByKeyAndPedal() async throws {
      try await Stage.run { stage in
        let page = try await stage.openBrowser(BrowserSettings(size: (1_280, 900)))
        try await page.openStudio(of: stage.service, at: "/rooms/song")
        try await page.joinWithTone("song", as: "Ada", frequency: 440)
        try await page.untilShown(".light[data-state=safe]")
        let verse = "[G]Down by the [C]jar where the [D7]mu[G]sic is kept\n"
        try await page.run(
          StudioSongTests.write, .string("{title: By the Jar}\n" + String(repeating: verse, count: 60) + "the end"))
        try await page.run("document.activeElement.blur(); document.querySelector('h2').focus();")
        try await page.press("f")
        try await page.untilShown(".song-lines .chord")
        // The chord stands over its word, and both can be read from afar.
        let seen = try await page.run(
          """
          const box = (node) => node.getBoundingClientRect();
          const piece = [...document.querySelectorAll(".song-piece")].find((one) => one.innerText.includes("jar"));
          const [chord, word] = piece.children, lines = document.querySelector(".song-lines");
          return [chord.innerText, box(chord).bottom <= box(word).top + 4, Math.abs(box(chord).left - box(word).left) < 2,
            parseFloat(getComputedStyle(word).fontSize) >= Math.min(40, 0.034 * innerWidth) - 1, document.querySelector("#stage-song").innerText,
            document.querySelector(".band-word").innerText, document.querySelector(".band-time").checkVisibility(),
            lines.scrollHeight > lines.clientHeight + 100, document.activeElement === lines];
          """)
        #expect(seen == ["C", true, true, true, "By the Jar", "REC", true, true, true])
        // A key, a pedal that is a keyboard, and one that speaks MIDI.
        try await page.run(
          """
          window.lines = document.querySelector(".song-lines");
          window.seen = () => lines.scrollTop / lines.clientHeight;
          """)
        try await page.press("\u{E00F}")
        try await page.untilTrue("Math.abs(seen() - 0.75) < 0.02")
        try await page.press("\u{E00E}")
        try await page.untilTrue("seen() === 0")
        // The take's own song has the word.
        try await page.run("await jamjar.studio.nameTake('Blue in Green');")
        try await page.untilTrue("document.querySelector('#stage-song').innerText === 'Blue in Green'")
        // What somebody writes is there at once; without a song the musicians have the stage again.
        try await page.run(StudioSongTests.write, "Dm7  G7  |  Cmaj7")
        try await page.untilTrue("document.querySelector('.song-plain')?.innerText === 'Dm7  G7  |  Cmaj7'")
        try await page.run(StudioSongTests.write, "")
        try await page.untilTrue(
          "!document.documentElement.hasAttribute('data-song') && document.querySelector('.song-lines').hidden")
        try await page.press("f")
        try await page.untilTrue("!document.querySelector('#stage-song').checkVisibility()")
        try await page.expectNoComplaints()
      }
    }
  }
}
