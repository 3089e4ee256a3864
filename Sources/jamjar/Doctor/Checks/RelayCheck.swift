import Realtime
import Server

/// Whether the TURN server takes our credentials.
enum RelayCheck {
  enum Outcome: Hashable, Sendable {
    case allocated(at: STUNMessage.Place, milliseconds: Int64)
    /// Refused though credentials were sent.
    case refused(STUNMessage.Refusal)
    /// It gave a place without asking who we are.
    case open
    case silent
    /// There is no connection: the number of the system's error.
    case unreachable(Int32)
    /// Something else answers there.
    case foreign
  }

  /// - Parameters:
  ///   - url: the server as it is announced to clients.
  ///   - transport: "UDP" or "TCP".
  ///   - isShared: true with a secret that the server shares, false with a user of its own.
  static func finding(_ outcome: Outcome, url: String, transport: String, isShared: Bool) -> Finding {
    let server = "The TURN server \(url) over \(transport)"
    switch outcome {
    case .allocated(let place, let milliseconds):
      return Finding(.relay, .ok, "\(server) takes our credentials, and relays at \(place) (\(milliseconds) ms away).")
    case .refused(let refusal) where refusal.code == 401 || refusal.code == 403 || refusal.code == 441:
      return Finding(
        .relay, .failure, "\(server) refuses our credentials: \(refusal.code) \(refusal.reason).",
        remedy: isShared
          ? "JAMJAR_TURN_SECRET must be the static-auth-secret of turnserver.conf, with use-auth-secret there; both clocks "
            + "must be right to some hours."
          : "Compare user and password of --turn with turnserver.conf (user=, lt-cred-mech, realm=).")
    case .refused(let refusal):
      let remedy =
        switch refusal.code {
        case 486: "Its user has too many places: raise user-quota and total-quota."
        case 508: "It has no free port: widen min-port to max-port."
        default: "Its log says why."
        }
      return Finding(.relay, .failure, "\(server) refuses a place: \(refusal.code) \(refusal.reason).", remedy: remedy)
    case .open:
      return Finding(
        .relay, .failure, "\(server) relays for everybody, without asking for a name.",
        remedy: "Strangers will use it: set use-auth-secret and static-auth-secret in turnserver.conf.")
    case .silent:
      return Finding(
        .relay, transport == "TCP" ? .warning : .failure, "\(server) does not answer.",
        remedy: "Does coturn run, on this port (listening-port), and is it open in the firewall (\(transport))? "
          + (transport == "TCP"
            ? "Musicians whose network permits no UDP need it." : "Musicians behind strict routers need it."))
    case .unreachable:
      return Finding(
        .relay, transport == "TCP" ? .warning : .failure, "\(server) cannot be reached.",
        remedy:
          "Does coturn run (systemctl status coturn; Debian wants TURNSERVER_ENABLED=1 in /etc/default/coturn), and "
          + "is the port open in the firewall (\(transport))?")
    case .foreign:
      return Finding(
        .relay, .failure, "\(server) answers, but not as a TURN server.",
        remedy: "Look at host and port of --turn; TURN has port 3478 unless turnserver.conf says otherwise.")
    }
  }
}
