import AsyncHTTPClient
import Client
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import Signaling

/// A visit to a room of XirSys: a token and the address of the sockets by REST, then the socket.
extension Bot {
  /// Time for the server to answer one request.
  private static let answerLimit = TimeAmount.seconds(10)
  /// Largest answer, in bytes.
  private static let maximumAnswer = 65_536
  /// A server that answers no ping within this time is lost.
  private static let pings = Duration.seconds(20)

  func meet(at address: String) async -> GuestFault {
    let there = wish.address
    let vocabulary = there.dialect.flatMap(XirSysVocabulary.init) ?? .message
    let entrance = XirSysEntrance(
      channel: there.channel, user: wish.name.description, ident: there.user ?? "", secret: there.secret ?? "",
      framing: vocabulary.framing)
    let (sockets, token): (WebhookURL, String)
    let endpoint: ServiceEndpoint
    do {
      let settings = try services.route.settings(to: there.url, at: address, timeLimit: Bot.answerLimit)
      let (origin, agent) = (there.url, services.software)
      let found = try await unlessLeaving { try await Bot.ask(entrance, at: origin, settings, agent: agent) }
      guard let found else { return isOver ? .left : GuestFault(.lost, "the server has not answered in time") }
      (sockets, token) = found
      // The broker may name another host: its address is checked like that of the first.
      let checked =
        sockets.host == there.url.host ? address : try await services.route.address(of: sockets, attempt: attempts)
      endpoint = ServiceEndpoint(
        host: sockets.host, port: sockets.port, isSecure: sockets.isSecure, trust: services.route.trust,
        address: checked)
    } catch let fault as GuestFault {
      return fault
    } catch {
      return await .unreachable(there.endpoint(at: address, trust: services.route.trust), error)
    }
    let path = String(sockets.text.dropFirst(sockets.origin.count).prefix { $0 != "?" })
    let link = TextLink(endpoint: endpoint, target: entrance.target(of: token, below: path), pings: Bot.pings)
    let machine = XirSysGuests(
      name: wish.name.description, path: there.channel.joined(separator: "/"), vocabulary: vocabulary,
      prefix: "jamjar-\(String(UInt64.random(in: .min ... .max), radix: 36))", limits: .foreign)
    let fault = await converse(machine, over: link)
    // What cannot be opened is named with its path, which is the token.
    let shown = fault.description.split(separator: token.percentEncoded, omittingEmptySubsequences: false)
    return GuestFault(fault.kind, shown.joined(separator: "…"))
  }

  /// - Throws: `GuestFault`, and errors of the client.
  private static func ask(
    _ entrance: XirSysEntrance, at url: WebhookURL, _ settings: HTTPClient.Configuration, agent: String
  ) async throws -> (sockets: WebhookURL, token: String) {
    let client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    do {
      let (list, status) = try await answer(entrance.sockets, url, client, agent)
      let base = try entrance.sockets(in: list, status: status)
      guard let sockets = WebhookURL(sockets: base, isSecure: url.isSecure) else {
        throw GuestFault(.nonsense, "the server names no address of a WebSocket")
      }
      let (ticket, outcome) = try await answer(entrance.token, url, client, agent)
      let token = try entrance.token(in: ticket, status: outcome)
      try? await client.shutdown()
      return (sockets, token)
    } catch {
      try? await client.shutdown()
      throw error
    }
  }

  private static func answer(
    _ call: XirSysEntrance.Call, _ url: WebhookURL, _ client: HTTPClient, _ agent: String
  ) async throws -> (text: String, status: Int) {
    var request = HTTPClientRequest(url: url.origin + call.target)
    request.method = HTTPMethod(rawValue: call.method)
    request.headers.add(name: "Accept", value: "application/json")
    request.headers.add(name: "User-Agent", value: agent)
    if let authorization = call.authorization { request.headers.add(name: "Authorization", value: authorization) }
    if let form = call.form {
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      request.body = .bytes(ByteBuffer(string: form))
    }
    let response = try await client.execute(request, timeout: answerLimit)
    let text = String(buffer: try await response.body.collect(upTo: maximumAnswer))
    return (text, Int(response.status.code))
  }
}

extension WebhookURL {
  /// The address of a WebSocket as one of the web, since that is what is checked; with TLS if the broker has it,
  /// whatever the scheme says: XirSys' own apps insist on it.
  fileprivate init?(sockets text: String, isSecure: Bool) {
    guard let mark = text.firstRange(of: "://") else { return nil }
    let scheme = text[..<mark.lowerBound].lowercased()
    guard scheme == "ws" || scheme == "wss" else { return nil }
    self.init((isSecure || scheme == "wss" ? "https://" : "http://") + text[mark.upperBound...])
  }
}
