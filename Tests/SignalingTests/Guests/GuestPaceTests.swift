import Testing

@testable import Signaling

struct GuestPaceTests {
  @Test func attemptsBecomeRarer() {
    var pace = BotPace()
    let losses = (0..<7).map { _ in pace.pause(after: .lost, chance: 0.5) }
    #expect(losses == [1, 2, 4, 8, 16, 30, 30])
    pace.succeeded()
    let refusals = (0..<7).map { _ in pace.pause(after: .refused, chance: 0.5) }
    #expect(refusals == [30, 60, 120, 240, 480, 600, 600])
    pace.succeeded()
    #expect(pace.pause(after: .lost, chance: 0) == 0.75)
    #expect(pace.pause(after: .lost, chance: 1) == 2.5)
    #expect(pace.pause(after: .left, chance: 1) == 0)
  }

  @Test func manyAttemptsDoNotOverflow() {
    var pace = BotPace()
    for _ in 0..<10_000 { _ = pace.pause(after: .lost, chance: .infinity) }
    #expect(pace.pause(after: .lost, chance: 0.5) == 30)
  }

  /// Or two bots in a room would command each other.
  @Test func whatABotExplainsIsNoCommand() { #expect(ChatCommand(ChatCommand.manual) == nil) }

  @Test func commandsAreReadAsMusiciansTypeThem() {
    let texts: [(String, ChatCommand?)] = [
      ("!help", .help), ("!status", .status), ("!take", .take), ("!TAKE", .take), ("!stop", .stop), ("!split", .split),
      ("!cue Bridge", .cue("Bridge")), ("!cue   second  verse ", .cue("second  verse")), ("!cue", .cue("Cue")),
      ("!song Blue in Green", .song("Blue in Green")), ("!consent no", .consent(false)),
      ("!consent yes", .consent(true)), ("!consent perhaps", .unknown("consent")), ("!record", .unknown("record")),
      ("hello", nil), ("!", nil), ("! take", .take), ("!!!", nil), ("", nil), ("great take!", nil),
    ]
    for (text, command) in texts {
      let read = ChatCommand(text)
      #expect(read == command, "\(text)")
    }
  }
}
