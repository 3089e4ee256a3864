import ArgumentParser
import Client
import Foundation
import Music
import Recording
import Server
import Signaling

/// Makes join tokens, and revokes them.
struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make a join token, signed with JAMJAR_JOIN_SECRET, or revoke one.",
    discussion: "Players open https://HOST/?room=ROOM&token=TOKEN, or send it in the join message.",
    subcommands: [TokenMakeCommand.self, TokenRevokeCommand.self, TokenRevocationsCommand.self],
    defaultSubcommand: TokenMakeCommand.self)
}

/// Makes a join token signed with the service's secret.
struct TokenMakeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "make", abstract: "Make a join token, signed with JAMJAR_JOIN_SECRET.",
    discussion: "The token goes to standard output, its id, by which it can be revoked, to standard error.")

  @OptionGroup var options: SettingsOptions
  @Option(name: .long, help: "Room that the token opens. (default: every room)")
  var room: String?
  @Option(name: .long, help: "Name that its bearer must use. (default: any name)")
  var name: String?
  @Option(name: .long, help: "What it entitles to: listener, musician, moderator, owner. (default: musician)")
  var role: String?
  @Flag(name: .long, help: "Permit listening only, as --role listener.")
  var listener = false
  @Option(name: .long, help: "Hours until it expires.")
  var hours: Double = 12
  @Flag(name: .long, help: "Print the token, its id and its expiry as JSON.")
  var json = false

  func validate() throws {
    guard hours > 0, hours <= 24 * 366 else { throw ValidationError("--hours is \(hours); more than 0 up to 8784") }
    _ = try authority()
  }

  private func authority() throws -> Authority {
    guard let role else { return listener ? .listener : .musician }
    guard let authority = Authority(rawValue: role), Authority.inTokens.contains(authority) else {
      let permitted = Authority.inTokens.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--role is \"\(role)\"; permitted: \(permitted)")
    }
    guard !listener || authority == .listener else {
      throw ValidationError("--listener and --role \(role) exclude each other; give one of them")
    }
    return authority
  }

  func run() async throws {
    let settings = try await Settings.orExit(options)
    guard let secret = settings.server.keys?.joinSecret else {
      Terminal.complain("jamjar: there is no join secret; set JAMJAR_JOIN_SECRET (openssl rand -hex 32)")
      throw ExitCode(ExitCodes.configuration)
    }
    do {
      let expiry = MonotonicClock.wall + .seconds(hours * 3_600)
      let id = JoinTokens.newID()
      let token = JoinTokens(secret: secret).make(
        room: try room.map { try RoomName(checking: $0) }, name: try name.map { try DisplayName(checking: $0) },
        role: try authority(), id: id, expiry: expiry)
      guard json else {
        print(token)
        return Terminal.complain("id \(id)")
      }
      let value: JSONValue = [
        "token": .string(token), "id": .string(id), "expiresAt": .string(expiry.description),
      ]
      print(value.prettyText)
    } catch let error as NameError {
      throw ValidationError(error.description)
    }
  }
}

/// Revokes join tokens at the running service.
struct TokenRevokeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke", abstract: "Revoke a join token, or all tokens of a room, at the running service.",
    discussion: """
      Members who came in by such a token are removed at once. --room revokes the tokens issued until now; those made
      afterwards hold. The service keeps a revocation until the token expires, at most 366 days.
      """)

  @OptionGroup var service: ServiceOptions
  @Option(name: .long, help: "The token's id, as jamjar token printed it.")
  var id: String?
  @Option(name: .long, help: "The room whose tokens are revoked; \"*\" for the tokens of every room.")
  var room: String?

  func validate() throws {
    guard (id == nil) != (room == nil) else { throw ValidationError("give either --id or --room") }
  }

  func run() async throws {
    var body: JSONObject = [:]
    if let id { body["id"] = .string(id) }
    if let room { body["room"] = .string(room) }
    try await service.printing { source in
      try await source.client.send(.post, "/v1/tokens/revocations", .object(body))
    }
  }
}

/// Lists the revocations of the running service.
struct TokenRevocationsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revocations", abstract: "List the revocations that the running service keeps, as JSON.")

  @OptionGroup var service: ServiceOptions

  func run() async throws {
    try await service.printing { try await $0.client.get("/v1/tokens/revocations") }
  }
}

/// The running service of commands that need one, and its key.
struct ServiceOptions: ParsableArguments {
  @Option(name: .long, help: "URL of the service. (default: JAMJAR_SERVER, or http://127.0.0.1:8080)")
  var server: String?
  @Option(name: .long, help: "API key of the service. (default: JAMJAR_TOKEN, or the first of JAMJAR_API_KEYS)")
  var token: String?
  @OptionGroup var trust: TrustOptions

  /// Sends a request and prints the answer as JSON.
  /// - Throws: `ExitCode`, after an explanation.
  func printing(_ request: (RemoteSource) async throws -> JSONValue) async throws {
    try await CommandFailure.orExit {
      let source = try source()
      print(try await source.reaching { try await request(source) }.prettyText)
    }
  }

  /// - Throws: `ValidationError` or `CommandFailure` for an address that is none.
  func source() throws -> RemoteSource {
    let environment = ProcessInfo.processInfo.environment
    func given(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let address = try ServerAddress(
      server ?? given("JAMJAR_SERVER") ?? "http://127.0.0.1:8080", field: server == nil ? "JAMJAR_SERVER" : "--server")
    let first = given("JAMJAR_API_KEYS")?.split(separator: ",").first.map { String($0).trimmed }
    return try RemoteSource(try trust.applied(to: address), key: token ?? given("JAMJAR_TOKEN") ?? first)
  }
}
