import Machines

extension JSONRPCSession {
  /// Responds to the methods of the connection at once.
  mutating func perform(
    _ control: JSONRPCControl, _ request: JSONRPCRequest, from link: LinkNumber, at now: MonotonicTime
  ) {
    let fields = JSONRPCFields(request.parameters, of: "the parameters of \(control.rawValue)")
    do throws(JSONRPCError) {
      switch control {
      case .ping: try pong(fields, request.id, from: link, at: now)
      case .connect: try connect(fields, request.id, from: link)
      case .closeSession:
        answer(request.id, .success(.bare("bye")), to: link)
        end(code: 1000, reason: "closeSession")
      }
    } catch {
      answer(request.id, .failure(error), to: link)
    }
  }

  private mutating func pong(
    _ fields: JSONRPCFields, _ id: JSONRPCID, from link: LinkNumber, at now: MonotonicTime
  ) throws(JSONRPCError) {
    let interval = try fields.optionalDouble("interval")
    if watchdogs[link] != nil {
      watchdogs[link]?.feed(at: now)
    } else if hasWatchdog {
      watchdogs[link] = JSONRPCWatchdog(interval: interval, at: now)
    }
    answer(id, .success(.value("pong")), to: link)
  }

  private mutating func connect(_ fields: JSONRPCFields, _ id: JSONRPCID, from link: LinkNumber) throws(JSONRPCError) {
    switch try fields.optionalString("sessionId") {
    case nil: answer(id, .success(.value("OK")), to: link)
    case sessionID:
      answer(id, .success(.value("reconnection successful")), to: link)
      adopt(by: link)
    case let other?: outputs.append(.resume(sessionID: other, id, on: link))
    }
  }
}
