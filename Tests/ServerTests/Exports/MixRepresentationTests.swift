import Music
import Signaling
import Testing

@testable import Server

@Suite struct MixRepresentationTests {
  @Test func whatIsWrittenIsReadAsTheSame() throws {
    var settings = MixSettings(
      channels: [
        1: .init(gain: -3.5, pan: 0.25, isMuted: true, offset: -577, highPass: 80), 3: .init(isSolo: true, offset: 1),
      ], gain: 1.5, normalization: .init(loudness: -16, truePeak: -2), fadeIn: 7, fadeOut: 48_001)
    settings.range = SamplePosition(12_345)..<SamplePosition(9_876_543)
    // Through text, as it travels.
    let text = JSONValue.object(Representation.mix(settings)).text
    let object = try #require(try JSONValue(parsing: text).object)
    let fields = MixFields(cues: [])
    var read = try fields.settings(object)
    read.range = try #require(try fields.place(object, "from"))..<#require(try fields.place(object, "to"))
    #expect(read == settings)
  }

  @Test func theTakesOwnMixIsNothing() {
    #expect(Representation.mix(MixSettings(channels: [2: .init()])).members.isEmpty)
  }
}
