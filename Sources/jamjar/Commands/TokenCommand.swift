import ArgumentParser
import Music
import Recording
import Server

/// Makes a join token signed with the service's secret.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make a join token, signed with JAMJAR_JOIN_SECRET.",
    discussion: "Players open https://HOST/?room=ROOM&token=TOKEN, or send it in the join message.")

  @OptionGroup var options: SettingsOptions
  @Option(name: .long, help: "Room that the token opens. (default: every room)")
  var room: String?
  @Option(name: .long, help: "Name that its bearer must use. (default: any name)")
  var name: String?
  @Flag(name: .long, help: "Permit listening only.")
  var listener = false
  @Option(name: .long, help: "Hours until it expires.")
  var hours: Double = 12

  func validate() throws {
    guard hours > 0, hours <= 24 * 366 else { throw ValidationError("--hours is \(hours); more than 0 up to 8784") }
  }

  func run() async throws {
    let settings = try await Settings.orExit(options)
    guard let secret = settings.server.keys?.joinSecret else {
      Terminal.complain("jamjar: there is no join secret; set JAMJAR_JOIN_SECRET (openssl rand -hex 32)")
      throw ExitCode(ExitCodes.configuration)
    }
    do {
      let expiry = MonotonicClock.wall + .seconds(hours * 3_600)
      let token = JoinTokens(secret: secret).make(
        room: try room.map { try RoomName(checking: $0) }, name: try name.map { try DisplayName(checking: $0) },
        role: listener ? .listener : .musician, expiry: expiry)
      print(token)
    } catch let error as NameError {
      throw ValidationError(error.description)
    }
  }
}
