import ArgumentParser
import Foundation
import Glibc
import Music
import Recording
import Rooms
import Server
import Signaling

/// Links by which people without an account hear a take.
struct ShareCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "share", abstract: "Make a link to a take for people without an account; list and revoke links.",
    discussion: "jamjar share TAKE makes a link. It is shown once: the service keeps only its hash.",
    subcommands: [ShareMakeCommand.self, ShareListCommand.self, ShareRevokeCommand.self],
    defaultSubcommand: ShareMakeCommand.self)

  /// One line for a link that exists.
  static func line(_ share: JSONObject) -> String {
    var words = [share["id"]?.string ?? "", share["contents"]?.string ?? ""]
    let end = share["expiresAt"]?.string
    words.append(end.map { (share["expired"] == true ? "expired " : "until ") + $0 } ?? "until revoked")
    if share["password"] == true { words.append("with password") }
    if let title = share["title"]?.string { words.append(title.printable) }
    return words.joined(separator: "  ")
  }
}

/// Makes a link.
struct ShareMakeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Make a link to a take.",
    discussion: """
      On a service (--server) the whole link is printed. On a data folder it is the path, to be put behind the service's \
      address.
      """)

  @Argument(help: "The take.", completion: .take) var take: String
  @Option(name: .long, help: "How long it holds: 12h, 7d, 4w, or forever.", transform: ShareMakeCommand.lifetime)
  var expires: Lifetime = .seconds(30 * 86_400)
  @Flag(name: .long, help: "Ask for a password that visitors need; a pipe gives it as a line.") var password = false
  @Flag(name: .long, help: "Open the tracks, beside the mix.") var tracks = false
  @Flag(name: .long, help: "Open the tracks, not the mix.") var onlyTracks = false
  @Flag(name: .long, help: "Take no comments.") var noComments = false
  @Option(name: .long, help: "Title of the page. (default: the take's)") var title: String?
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print the link as JSON.") var json = false

  enum Lifetime: Hashable {
    case seconds(Double)
    case forever
  }

  func validate() throws {
    guard !tracks || !onlyTracks else {
      throw ValidationError("--tracks and --only-tracks exclude each other; give one of them")
    }
  }

  static func lifetime(_ text: String) throws -> Lifetime {
    if text == "forever" { return .forever }
    let units = ["h": 3_600.0, "d": 86_400.0, "w": 604_800.0]
    guard let unit = text.last.flatMap({ units[String($0)] }), let count = Double(text.dropLast()), count > 0,
      count * unit <= 3_650 * 86_400
    else {
      throw ValidationError("--expires is \"\(text)\"; permitted: hours, days or weeks such as 12h, 7d, 4w, or forever")
    }
    return .seconds(count * unit)
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let book = try await shelf.book(forReadingOnly: false)
      let id = try await book.findTake(take).id
      var wish: JSONObject = ["contents": tracks ? "both" : onlyTracks ? "tracks" : "mix"]
      if let title { wish["title"] = .string(title) }
      if noComments { wish["comments"] = false }
      if case .seconds(let seconds) = expires {
        wish["expiresAt"] = .string((MonotonicClock.wall + .seconds(seconds)).description)
      }
      if password { wish["password"] = .string(try ShareMakeCommand.askPassword()) }
      var made = try await book.share(id, wish)
      let path = made["path"]?.string ?? ""
      let link = try shelf.address.map { $0.place + path } ?? path
      made["link"] = .string(link)
      guard !json else { return print(JSONValue.object(made).prettyText) }
      print(link)
      Terminal.complain(ShareCommand.line(made))
    }
  }

  /// A password on the command line would be visible to every user of the machine.
  private static func askPassword() throws(CommandFailure) -> String {
    var text: String?
    if isatty(0) == 1 {
      text = getpass("Password of the link: ").map { String(cString: $0) }
    } else {
      text = readLine(strippingNewline: true)
    }
    guard let text, !text.isEmpty else {
      throw CommandFailure(ExitCodes.usage, "there is no password; type it, or give it on standard input")
    }
    return text
  }
}

/// Lists the links to a take.
struct ShareListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "list", abstract: "List the links to a take.")

  @Argument(help: "The take.", completion: .take) var take: String
  @OptionGroup var shelf: TakeShelfOptions
  @Flag(name: .long, help: "Print them as JSON.") var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let book = try await shelf.book(forReadingOnly: false)
      let list = try await book.shares(of: try await book.findTake(take).id)
      guard !json else { return print(list.prettyText) }
      for share in list.object?["items"]?.array?.compactMap(\.object) ?? [] { print(ShareCommand.line(share)) }
    }
  }
}

/// Revokes a link.
struct ShareRevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a link; comments that came by it stay.")

  @Argument(help: "The take.", completion: .take) var take: String
  @Argument(help: "Id of the link, as jamjar share list prints it.") var share: String
  @OptionGroup var shelf: TakeShelfOptions

  func run() async throws {
    try await CommandFailure.orExit {
      let book = try await shelf.book(forReadingOnly: false)
      let id = try await book.findTake(take).id
      guard let share = ShareID(share) else {
        throw CommandFailure(ExitCodes.usage, "\"\(share.prefix(64))\" is no id of a link, 26 characters")
      }
      try await book.revokeShare(share, of: id)
      print("The link \(share) is revoked.")
    }
  }
}
