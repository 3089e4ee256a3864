import AsyncHTTPClient
import Machines
import Music
import NIOCore
import NIOHTTP1
import NIOPosix
import Recording
import Rooms
import Signaling

/// A visit by WHEP: one offer, one answer, one guest.
extension Bot {
  private static let guest = GuestKey("whep")
  /// Time for the server to answer, for its whole answer, and for media to flow.
  private static let answerLimit = TimeAmount.seconds(15)
  private static let answerSpan = MonotonicTime.Span.seconds(20)
  private static let mediaLimit = MonotonicTime.Span.seconds(20)
  /// Time for the server to note that the bot leaves.
  private static let goodbyeLimit = TimeAmount.seconds(2)
  /// Largest answer, in bytes.
  private static let maximumAnswer = 65_536
  private static let look = Duration.milliseconds(500)

  /// Listens until the media is over.
  func hear(at address: String) async -> GuestFault {
    let client: HTTPClient
    do {
      let settings = try services.route.settings(to: wish.address.url, at: address, timeLimit: Bot.answerLimit)
      client = HTTPClient(eventLoopGroup: MultiThreadedEventLoopGroup.singleton, configuration: settings)
    } catch {
      return GuestFault(.refused, "TLS cannot be used: \(error)")
    }
    let fault = await hear(by: client, at: address)
    try? await client.shutdown()
    return fault
  }

  private func hear(by client: HTTPClient, at address: String) async -> GuestFault {
    let signals = openSignals()
    defer { closeSignals() }
    let location: String?
    do {
      let seat = try await enter(Bot.guest, wish.address.room)
      let offer = try await seat.offer()
      guard let reply = try await unlessLeaving({ try await self.post(offer, by: client) }) else {
        leave(Bot.guest)
        return isOver ? .left : GuestFault(.lost, "the server has not answered within \(Int(Bot.answerSpan.seconds)) s")
      }
      location = reply.location
      try await seat.accept(reply.answer)
    } catch let refusal as RoomRefusal {
      leave(Bot.guest)
      return GuestFault(refusal.code == .roomFull ? .full : .lost, refusal.description)
    } catch let fault as GuestFault {
      leave(Bot.guest)
      return fault
    } catch {
      leave(Bot.guest)
      return await .unreachable(wish.address.endpoint(at: address, trust: services.route.trust), error)
    }
    isJoined = true
    settle()
    let fault = await listen(signals)
    if fault.kind == .left || fault.kind == .lost, let location { await end(location, by: client) }
    return fault
  }

  /// The outcome of `body`; nil if the bot has to leave before, or if it takes too long.
  func unlessLeaving<Value: Sendable>(
    _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value? {
    let end = MonotonicClock.now + Bot.answerSpan
    return try await withThrowingTaskGroup(of: Value?.self) { group in
      group.addTask { try await body() }
      group.addTask {
        while MonotonicClock.now < end, !Task.isCancelled, await !self.isOver { try? await Task.sleep(for: Bot.look) }
        return nil
      }
      defer { group.cancelAll() }
      return try await group.next() ?? nil
    }
  }

  private func listen(_ signals: AsyncStream<Signal>) async -> GuestFault {
    guard let sink = self.signals else { return .left }
    // Ends with this visit.
    let ticking = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: Bot.look)
        sink.yield(.tick)
      }
    }
    defer { ticking.cancel() }
    let began = MonotonicClock.now
    for await signal in signals {
      switch signal {
      case .input(.leave): return .left
      case .tick:
        if isFulfilled(at: MonotonicClock.now) { return .left }
        if seats[Bot.guest]?.isUp != true, MonotonicClock.now - began > Bot.mediaLimit {
          return GuestFault(.lost, "no media within \(Int(Bot.mediaLimit.seconds)) s")
        }
      case .seat(let key, let number, let event):
        if case .lost = heard(event, key, number) {
          return wish.stays ? GuestFault(.lost, "the media connection is over") : .left
        }
      case .seatEnded(let key, let number):
        if seats[key]?.number == number { return GuestFault(.lost, "the seat in the room here is gone") }
      case .opened, .input, .ended: break
      }
      settle()
    }
    return .left
  }

  /// - Throws: `GuestFault`, and errors of the client.
  private func post(_ offer: String, by client: HTTPClient) async throws -> (answer: String, location: String?) {
    var request = HTTPClientRequest(url: wish.address.url.text)
    request.method = .POST
    request.headers.add(name: "Content-Type", value: "application/sdp")
    request.headers.add(name: "Accept", value: "application/sdp")
    request.headers.add(name: "User-Agent", value: services.software)
    if let token = wish.address.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    request.body = .bytes(ByteBuffer(string: offer))
    let response = try await client.execute(request, timeout: Bot.answerLimit)
    let body = String(buffer: try await response.body.collect(upTo: Bot.maximumAnswer))
    switch response.status.code {
    case 201: return (body, response.headers.first(name: "Location"))
    case 404, 409, 425:
      throw GuestFault(.empty, "nobody is heard at \(wish.address.shown) yet (\(response.status))")
    case 429, 500...599: throw GuestFault(.lost, "the server answers \(response.status)")
    default: throw GuestFault(.refused, "the server answers \(response.status): \(Bot.reason(body))")
    }
  }

  /// What a refusal says to people, in the words of RFC 9457 section 3.1 if it has them.
  private static func reason(_ body: String) -> String {
    let problem = (try? JSONValue(parsing: body, limits: .foreign))?.object
    return problem?["detail"]?.string ?? problem?["title"]?.string ?? String(body.prefix(200))
  }

  /// Ends the session there; only at the same server, whatever its answer said.
  private func end(_ location: String, by client: HTTPClient) async {
    guard let url = wish.address.url.resolving(location), url.origin == wish.address.url.origin else { return }
    var request = HTTPClientRequest(url: url.text)
    request.method = .DELETE
    if let token = wish.address.token { request.headers.add(name: "Authorization", value: "Bearer \(token)") }
    _ = try? await client.execute(request, timeout: Bot.goodbyeLimit)
  }
}
