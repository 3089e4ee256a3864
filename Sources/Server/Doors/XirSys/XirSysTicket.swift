import Music
import Signaling

typealias XirSysTickets = SocketTickets<XirSysTicket>

/// A user of XirSys on the way to a socket.
struct XirSysTicket: Sendable {
  /// Time to connect, in seconds; XirSys' default.
  static let life = 60

  var channel: XirSysChannel
  var name: DisplayName
  var ident: String
}

extension SocketTickets<XirSysTicket> {
  func issue(
    _ channel: XirSysChannel, _ name: DisplayName, ident: String, for seconds: Int = XirSysTicket.life,
    to address: String? = nil
  ) -> String {
    issue(to: XirSysTicket(channel: channel, name: name, ident: ident), for: seconds, at: address)
  }
}
