import ArgumentParser
import Client
import Foundation
import Logging
import Music
import Server
import ServiceLifecycle
import Signaling

/// Sends the recorder to rooms elsewhere.
struct BotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bot",
    abstract: "Record a room or a stream of another server: Jamjar, Janus, Kurento Room, WHEP, RTMP, HLS, Icecast …",
    discussion: """
      jamjar+https://HOST/ROOM, whep+https://…, janus+wss://HOST:PORT/?room=1234 or \
      janus+https://HOST:PORT/janus?room=1234, audiobridge+wss://… and +https://…, \
      kurento+wss://HOST:PORT/room?room=NAME, xirsys+https://HOST/DOMAIN/APPLICATION/ROOM?ident=NAME&secret=SECRET; \
      secrets as parameters token, pin and secret. Of one stream: \
      rtmp://HOST/APP/STREAM, rtmps://…, rtsp://…, srt://HOST:PORT, icecast://HOST:PORT/MOUNT, icecast+https://…, \
      https://….m3u8; the last five need ffmpeg. Everybody who is heard there gets a track of a room here. With --server the bot lives in that service, and comes back after its restarts. Otherwise it \
      lives in this process and ends with Ctrl-C; if the process is killed, the same command, or jamjar serve on the same \
      folder, goes on.
      """)

  @Argument(help: "Where to listen; one bot for each.")
  var urls: [String]
  @OptionGroup var shelf: TakeShelfOptions
  @Option(name: .long, help: "Room here that records. (default: the other room's name)")
  var room: String?
  @Option(name: .long, help: "Name that the other room shows.")
  var name = "Jamjar"
  @Flag(name: .long, help: "End when the last musician has left, instead of waiting for the next.")
  var leave = false
  @Option(name: .long, help: "Come at this time: 2026-11-21T19:00:00Z.")
  var from: String?
  @Option(name: .long, help: "Leave at this time.")
  var to: String?
  @Option(
    name: .long,
    help: ArgumentHelp(
      "Come and leave by the events of this iCalendar file, instead of --from and --to.", valueName: "file"))
  var calendar: String?

  func validate() throws {
    guard !urls.isEmpty else { throw ValidationError("name a room to listen to: jamjar bot janus+wss://…?room=1234") }
    guard urls.count == 1 || room == nil else {
      throw ValidationError("--room is for one URL; each bot needs a room of its own")
    }
    guard calendar == nil || (from == nil && to == nil) else {
      throw ValidationError("--calendar says when the bot comes and leaves; leave out --from and --to")
    }
    for (option, text) in [("--from", from), ("--to", to)] {
      if let text, WallTime(text) == nil {
        throw ValidationError("\(option) is \"\(text)\"; permitted: a time of RFC 3339, such as 2026-11-21T19:00:00Z")
      }
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let wishes = try wishes
      if let address = try shelf.address {
        let source = try RemoteSource(address, key: shelf.key)
        for wish in wishes {
          let bot = try await source.reaching { try await source.client.send(.post, "/v1/bots", .object(wish)) }
          guard let bot = bot.object else { continue }
          print("\(bot.field("id")) \(BotWords.line(bot))")
        }
        print("jamjar bots shows what they do, jamjar bots end ID sends one away.")
      } else {
        guard !shelf.trust.insecureTls else {
          throw CommandFailure(
            ExitCodes.usage,
            "--insecure-tls is for a service of your own (--server); a bot checks whom it listens to, "
              + "by the system's authorities and those of --ca-file")
        }
        try await LocalBots(folder: try await shelf.folder, wishes: wishes, trust: shelf.trust.file).run()
      }
    }
  }

  private var wishes: [JSONObject] {
    get throws {
      let calendar = try calendar.map(BotCommand.text)
      return wishes(calendar: calendar)
    }
  }

  /// The text of a calendar's file.
  private static func text(of file: String) throws -> String {
    guard let handle = FileHandle(forReadingAtPath: file) else {
      throw CommandFailure(ExitCodes.noInput, "\(file.printable) cannot be read")
    }
    // One byte more than is permitted: the service says so.
    let bytes = try handle.read(upToCount: Schedule.longest + 1) ?? Data()
    return String(decoding: bytes, as: UTF8.self)
  }

  private func wishes(calendar: String?) -> [JSONObject] {
    urls.map { url in
      var wish: JSONObject = ["url": .string(url), "name": .string(name), "stays": .bool(!leave)]
      if let room { wish["room"] = .string(room) }
      if let from { wish["from"] = .string(from) }
      if let to { wish["to"] = .string(to) }
      if let calendar { wish["calendar"] = .string(calendar) }
      return wish
    }
  }
}

/// What a bot does, for people.
enum BotWords {
  /// "janus+wss://…?room=1234 → 1234: recording Ada, Bob".
  static func line(_ bot: JSONObject) -> String {
    "\(bot.field("url")) → \(bot.field("room")): \(state(bot))".printable
  }

  static func state(_ bot: JSONObject) -> String {
    let names = guests(bot)
    let detail = bot["detail"]?.string
    return switch bot["state"]?.string.flatMap(BotState.init) {
    case .ready: "ready" + (detail.map { ", \($0)" } ?? "")
    case .joining: "joining"
    case .waiting: "waiting for someone" + (detail.map { " (\($0))" } ?? "")
    case .connecting: "connecting \(detail ?? "")"
    case .recording: "hears \(names)" + (detail.map { " (\($0))" } ?? "")
    case .rejoining: "not connected, will rejoin" + (detail.map { " (\($0))" } ?? "")
    case .full: "room full" + (detail.map { " (\($0))" } ?? "")
    case .leaving: "leaving"
    case .ended, nil: bot.field("state")
    }
  }

  static func guests(_ bot: JSONObject) -> String {
    (bot["guests"]?.array ?? []).compactMap { $0.object?["name"]?.string }.joined(separator: ", ")
  }
}
