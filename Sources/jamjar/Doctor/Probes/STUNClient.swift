import Machines
import Realtime
import Recording

/// Asks a STUN or TURN server over one socket.
struct STUNClient {
  let socket: ProbeSocket
  private let transport: ProbeSocket.Transport

  /// How long to wait for an answer before the question is repeated, in milliseconds; over TCP all at once.
  private static let waits: [Int32] = [500, 1_000, 1_500]

  /// - Parameter host: a name or an address.
  init(_ transport: ProbeSocket.Transport, host: String, port: UInt16) throws(ProbeSocket.Failure) {
    self.transport = transport
    socket = try ProbeSocket(transport, host: host, port: port)
  }

  /// 12 bytes that nobody can guess.
  static func transaction() -> [UInt8] { (0..<12).map { _ in UInt8.random(in: .min ... .max) } }

  enum Answer {
    case message(STUNMessage)
    case silent
    /// Something that is no STUN.
    case foreign
  }

  /// Sends a question until an answer comes.
  func ask(_ bytes: [UInt8], transaction: [UInt8]) throws(ProbeSocket.Failure) -> Answer {
    var isForeign = false
    var rest: [UInt8] = []
    for (attempt, wait) in STUNClient.waits.enumerated() {
      if attempt == 0 || transport == .udp { try socket.send(bytes) }
      let end = MonotonicClock.now + .milliseconds(Int64(wait))
      while true {
        let left = Int32(clamping: (end - MonotonicClock.now).nanoseconds / 1_000_000)
        guard left > 0, let received = try socket.receive(within: left) else { break }
        rest = transport == .udp ? received : rest + received
        guard rest.count >= 20 else { continue }
        guard let length = STUNMessage.length(beginning: rest) else {
          isForeign = true
          rest = []
          continue
        }
        guard rest.count >= length else { continue }
        let message = try? STUNMessage(parsing: Array(rest.prefix(length)))
        rest = Array(rest.dropFirst(length))
        if let message, message.transaction == transaction { return .message(message) }
      }
    }
    return isForeign ? .foreign : .silent
  }

  /// How the server sees this socket.
  func mappedAddress() throws(ProbeSocket.Failure) -> STUNMessage.Place? {
    let id = STUNClient.transaction()
    guard case .message(let answer) = try ask(STUNMessage(.bindingRequest, transaction: id).bytes, transaction: id)
    else { return nil }
    return answer.mappedAddress
  }
}
