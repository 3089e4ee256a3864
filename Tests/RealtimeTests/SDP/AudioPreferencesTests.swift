import Machines
import Realtime
import Testing

@Suite struct AudioPreferencesTests {
  @Test func holdsTheRateWithinOpus() {
    #expect(AudioPreferences(maxAverageBitrate: 1).maxAverageBitrate == 6_000)
    #expect(AudioPreferences(maxAverageBitrate: .max).maxAverageBitrate == 510_000)
    var preferences = AudioPreferences()
    #expect(preferences.maxAverageBitrate == 256_000)
    preferences.maxAverageBitrate = -5
    #expect(preferences.maxAverageBitrate == 6_000)
  }

  @Test(arguments: [(0, 5), (2, 5), (5, 5), (9, 5), (10, 10), (30, 20), (60, 60), (120, 60)])
  func holdsThePacketTimeToWhatArrivesWhole(asked: Int64, held: Int64) {
    #expect(AudioPreferences(packetTime: .milliseconds(asked)).packetTime == .milliseconds(held))
    var preferences = AudioPreferences()
    preferences.packetTime = .milliseconds(asked)
    #expect(preferences.packetTime == .milliseconds(held))
  }

  @Test func everyPreferenceIsSaid() throws {
    let preferences = AudioPreferences(
      maxAverageBitrate: 96_000, packetTime: .milliseconds(5), stereo: false, cbr: false, inbandFEC: false, dtx: true)
    let answer = try SDPText.answer(ChromiumDescriptions.publication, preferences: preferences).answer
    #expect(
      answer.media[0].attributes.first("fmtp")
        == "111 minptime=5;useinbandfec=0;stereo=0;sprop-stereo=0;maxaveragebitrate=96000;cbr=0;usedtx=1")
    #expect(answer.media[0].attributes.first("ptime") == "5")
  }
}
