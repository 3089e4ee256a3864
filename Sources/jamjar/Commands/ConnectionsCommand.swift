import ArgumentParser
import Client
import Music
import Signaling

/// The connections of the running service that carry music.
struct ConnectionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "connections", abstract: "List the connections of the running service that carry music.",
    discussion: """
      One line for each: WebRTC of every dialect, WHIP, WHEP, RTMP and plain RTP. Rates are those of the last seconds. With \
      keys, this needs an API key.
      """)

  @OptionGroup var service: ServiceOptions
  @Option(name: .long, help: "Only connections of this room.", completion: .room) var room: String?
  @Option(name: .long, help: "Only connections of this dialect: native, kurento, whip, whep, rtmp and so on.")
  var dialect: String?
  @OptionGroup var paging: PagingOptions
  @OptionGroup var output: ListOutput

  func validate() throws {
    try output.check(.connections)
    if let room {
      do throws(NameError) { _ = try RoomName(checking: room) } catch { throw ValidationError("--room: \(error)") }
    }
  }

  func run() async throws {
    try await CommandFailure.orExit {
      let source = try service.source()
      let list = try await paging.gather { limit, cursor in
        var query = [("limit", "\(limit)")]
        if let cursor { query.append(("cursor", cursor)) }
        if let room { query.append(("room", room)) }
        if let dialect { query.append(("dialect", dialect)) }
        return try await source.reaching { try await source.client.get("/v1/connections", query: query) }
      }
      try output.show(list, .connections, none: "Nothing is connected that carries music.") { connections in
        ConnectionsCommand.table(connections)
      }
    }
  }

  private static func table(_ connections: [JSONObject]) -> String {
    var table = TextTable([
      .text("room"), .whole("dialect"), .whole("direction"), .whole("codec"), .number("in kbit/s"),
      .number("out kbit/s"), .number("buffered"), .number("dropped"), .number("lost"), .whole("since (UTC)"),
      .text("address"),
    ])
    for connection in connections {
      table.add([
        connection["room"]?.string ?? "", connection.field("dialect"), connection.field("direction"),
        connection.field("codecs"), kilobits(connection["bitrateIn"]), kilobits(connection["bitrateOut"]),
        connection.field("buffered"), connection.field("dropped"), connection.field("lost"),
        Reading.time(connection["since"]?.string), connection.field("address"),
      ])
    }
    return table.text
  }

  private static func kilobits(_ rate: JSONValue?) -> String {
    rate?.double.map { Reading.fixed($0 / 1_000, 1) } ?? ""
  }
}
