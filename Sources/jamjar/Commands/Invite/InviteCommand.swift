import ArgumentParser
import Client
import Glibc
import Music
import Server
import Signaling

/// Links by which musicians come into a room of the running service.
struct InviteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make links that open a room, one a name; list and withdraw them.",
    discussion: """
      jamjar invite ROOM ada bob prints two links, each with its QR code on a terminal. Whoever opens one is in the room \
      after a click, under that name, which may be written otherwise in case and width. The service is asked \
      (--server), with an API key or the token of the room's owner or moderator.
      """,
    subcommands: [InviteMakeCommand.self, InviteListCommand.self, InviteShowCommand.self, InviteWithdrawCommand.self],
    defaultSubcommand: InviteMakeCommand.self)

  /// The address of a room's invitations, or of one of them.
  /// - Throws: `CommandFailure` for a room that cannot be.
  static func path(_ room: String, _ id: String? = nil) throws(CommandFailure) -> String {
    do throws(NameError) {
      let path = "/v1/rooms/\(try RoomName(checking: room).description.percentEncoded)/invitations"
      return path + (id.map { "/\($0.percentEncoded)" } ?? "")
    } catch {
      throw CommandFailure(ExitCodes.usage, error.description)
    }
  }

  /// One line for an invitation: its id, for whom it is, and until when it holds.
  static func line(_ invitation: JSONObject) -> String {
    [
      invitation["id"]?.string ?? "", invitation["name"]?.string?.printable ?? "any name",
      invitation["role"]?.string ?? "", "until \(invitation["expiresAt"]?.string ?? "")",
    ].joined(separator: "  ")
  }
}

/// Makes invitations.
struct InviteMakeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Make links that open a room, one a name.",
    discussion: """
      The links go to standard output, a line each, with a QR code under each on a terminal; what else is to be said, \
      among it the id by which an invitation is withdrawn, to standard error.
      """)

  @Argument(help: "The room; it need not exist yet.") var room: String
  @Argument(help: "The musicians' names, one link each. (default: one link that leaves the name free)")
  var names: [String] = []
  @Option(name: .long, help: "What they may do: listener, musician, moderator, owner. (default: musician)")
  var role: String?
  @Option(name: .long, help: "Days until the links expire, 1 to 366.") var days = 7
  @OptionGroup var drawing: InvitationDrawing
  @OptionGroup var service: ServiceOptions

  func validate() throws {
    guard (1...366).contains(days) else { throw ValidationError("--days is \(days); permitted: 1 to 366") }
    let roles = Authority.inTokens.map(\.rawValue)
    if let role, !roles.contains(role) {
      throw ValidationError("--role is \"\(role)\"; permitted: \(roles.joined(separator: ", "))")
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try service.source()
      let path = try InviteCommand.path(room)
      var body: JSONObject = ["days": .integer(Int64(days))]
      if !names.isEmpty { body["names"] = .array(names.map(JSONValue.string)) }
      if let role { body["role"] = .string(role) }
      let made = try await source.reaching { try await source.client.send(.post, path, .object(body)) }
      drawing.show(made.object?["items"]?.array?.compactMap(\.object) ?? [], from: source.place)
    }
  }
}

/// Lists the invitations of a room.
struct InviteListCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the invitations to a room that still hold.")

  @Argument(help: "The room.") var room: String
  @OptionGroup var service: ServiceOptions
  @Flag(name: .long, help: "Print them as JSON.") var json = false

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try service.source()
      let list = try await source.get(try InviteCommand.path(room))
      guard !json else { return print(list.prettyText) }
      for invitation in list.object?["items"]?.array?.compactMap(\.object) ?? [] {
        print(InviteCommand.line(invitation))
      }
    }
  }
}

/// Shows the link of an invitation again.
struct InviteShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show the link of an invitation again.")

  @Argument(help: "The room.") var room: String
  @Argument(help: "Id of the invitation, as jamjar invite list prints it.") var invitation: String
  @OptionGroup var drawing: InvitationDrawing
  @OptionGroup var service: ServiceOptions

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try service.source()
      let found = try await source.get(try InviteCommand.path(room, invitation))
      drawing.show([found.object ?? [:]], from: source.place)
    }
  }
}

/// Withdraws an invitation.
struct InviteWithdrawCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "withdraw", abstract: "Withdraw an invitation; members who came in by it are removed.")

  @Argument(help: "The room.") var room: String
  @Argument(help: "Id of the invitation, as jamjar invite list prints it.") var invitation: String
  @OptionGroup var service: ServiceOptions

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try service.source()
      let path = try InviteCommand.path(room, invitation)
      _ = try await source.reaching { try await source.client.send(.delete, path) }
      print("The invitation \(invitation) is withdrawn.")
    }
  }
}
