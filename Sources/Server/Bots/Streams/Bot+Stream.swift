import Library
import Machines
import Music
import Recording
import Rooms
import Signaling

/// A visit to one stream of sound: one guest, without a room there.
extension Bot {
  private static let stream = GuestKey("stream")
  /// A source that says nothing for so long is left and asked again.
  private static let silence = MonotonicTime.Span.seconds(30)
  /// Time for what was heard to get into the room.
  private static let flush = MonotonicTime.Span.seconds(5)
  private static let look = Duration.milliseconds(500)

  /// Listens until the stream is over.
  func receive(at address: String) async -> GuestFault {
    let source: any StreamSource
    do throws(GuestFault) {
      source = try self.source(at: address)
    } catch {
      return error
    }
    let signals = openSignals()
    defer { closeSignals() }
    guard let sink = self.signals else { return .left }
    let inlet = StreamInlet(at: MonotonicClock.now) { (budget) async throws(RoomRefusal) -> RTMPPublication in
      try await self.beginStream(budget)
    }
    // All end with this visit.
    let reading = Task { () -> Void in
      let fault = await source.run { (tag, timestamp) async throws(GuestFault) -> Void in
        try await inlet.take(tag, timestamp: timestamp)
      }
      sink.yield(.ended(fault))
    }
    let ticking = Task {
      while !Task.isCancelled {
        try? await Task.sleep(for: Bot.look)
        sink.yield(.tick)
      }
    }
    let fault = await attend(signals, inlet)
    ticking.cancel()
    reading.cancel()
    await reading.value
    inlet.finish(isLost: fault.kind != .left)
    if let feeding {
      // A room that takes nothing more is not waited for.
      _ = try? await Deadline.race(Bot.flush) { await feeding.value }
      feeding.cancel()
    }
    self.feeding = nil
    let isOver = fault.kind == .lost && !wish.stays && inlet.publication != nil
    return isOver ? .left : fault
  }

  private func attend(_ signals: AsyncStream<Signal>, _ inlet: StreamInlet) async -> GuestFault {
    for await signal in signals {
      switch signal {
      case .input(.leave): return .left
      case .ended(let fault): return fault
      case .tick:
        let now = MonotonicClock.now
        if isFulfilled(at: now) { return .left }
        if now - inlet.heardAt > Bot.silence {
          return GuestFault(.lost, "no sound came for \(Int(Bot.silence.seconds)) s")
        }
      case .seat(let key, let number, let event):
        if case .lost = heard(event, key, number) { return Bot.gone }
      case .seatEnded(let key, let number):
        if seats[key]?.number == number { return Bot.gone }
      case .opened, .input: break
      }
      settle()
    }
    return .left
  }

  private static let gone = GuestFault(.lost, "the seat in the room here is gone")

  /// Takes the seat of the stream, whose first sound has come.
  private func beginStream(_ budget: ByteBudget) async throws(RoomRefusal) -> RTMPPublication {
    let seat = try await enter(Bot.stream, wish.address.room)
    seats[Bot.stream]?.downSince = nil
    isJoined = true
    let kind = wish.address.kind
    let publication = RTMPPublication(
      seat.membership, limit: 1, budget: budget, transcoders: services.transcoders.share(), logger: logger,
      origin: FeedOrigin(dialect: kind.origin, coder: kind == .rtmp ? nil : FFmpeg.program), followsEvents: false)
    let sink = signals
    feeding = Task {
      do throws(RTMPCallError) {
        try await publication.run()
      } catch {
        sink?.yield(.ended(GuestFault(.refused, error.description)))
      }
    }
    settle()
    return publication
  }

  /// - Throws: `GuestFault` if the stream may not be asked for.
  private func source(at address: String) throws(GuestFault) -> any StreamSource {
    let there = wish.address
    let transcoders = services.transcoders.share()
    let host = address.contains(":") ? "[\(address)]:\(there.url.port)" : "\(address):\(there.url.port)"
    switch there.kind {
    case .rtmp: return RTMPSource(there, at: address, trust: services.route.trust)
    case .hls:
      let feed = HLSFeed(url: there.url, route: services.route, agent: services.software)
      return FFmpeg(input: .pipe, transcoders: transcoders) { write in try await feed.run(write) }
    case .icecast:
      let feed = IcecastFeed(there, route: services.route, agent: services.software)
      return FFmpeg(input: .pipe, transcoders: transcoders) { write in
        try await feed.run(write)
        return false
      }
    case .rtsp:
      // A server of RTSP may send ffmpeg anywhere, and nothing here would check that address.
      guard services.route.allowsPrivate else {
        throw GuestFault(
          .refused,
          "RTSP can lead into the network here by a redirection; --webhook-private allows it where that is meant")
      }
      let login = there.user.map { "\($0.percentEncoded):\((there.secret ?? "").percentEncoded)@" } ?? ""
      return FFmpeg(input: .rtsp("rtsp://\(login)\(host)\(there.target)"), transcoders: transcoders) { _ in false }
    case .srt:
      let input = FFmpeg.Input.srt(
        "srt://\(host)", streamID: there.streamID, passphrase: there.secret)
      return FFmpeg(input: input, transcoders: transcoders) { _ in false }
    default: throw GuestFault(.refused, "that is no stream")
    }
  }
}
