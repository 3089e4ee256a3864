import Realtime
import Server

/// Whether a name leads to this machine.
enum NameCheck {
  /// - Parameters:
  ///   - addresses: where the name leads; empty if nobody knows it.
  ///   - own: the addresses of this machine.
  ///   - seen: how the internet sees this machine; nil if that is not known.
  ///   - isAnswered: true if a Jamjar answers by this name.
  static func finding(
    _ name: String, leadsTo addresses: [IPAddress], own: [IPAddress], seen: IPAddress?, isAnswered: Bool = false
  ) -> Finding {
    guard !addresses.isEmpty else {
      return Finding(
        .name, .failure, "The name \(name) is not known (DNS).",
        remedy:
          "Have it lead to \(seen?.text ?? "this machine's address") with a record A (IPv4) or AAAA (IPv6), and look "
          + "for a slip of the pen.")
    }
    let all = addresses.map(\.text).joined(separator: ", ")
    let foreign = addresses.filter { $0 != seen && !own.contains($0) && $0.scope != .loopback }
    if foreign.isEmpty {
      if addresses.allSatisfy({ $0.scope == .loopback }) {
        return Finding(
          .name, .warning, "The name \(name) leads to \(all), for everybody to their own machine.",
          remedy: "Give it this machine's address in DNS; a line in /etc/hosts counts on this machine only.")
      }
      return Finding(.name, .ok, "The name \(name) leads to \(all), which is this machine.")
    }
    guard let seen else {
      return Finding(
        .name, .unknown, "The name \(name) leads to \(all); whether that is this machine cannot be told from here.",
        remedy: "Name a STUN server (--stun HOST), which tells this machine its address on the internet.")
    }
    guard foreign.count < addresses.count else {
      if isAnswered {
        return Finding(
          .name, .unknown,
          "The name \(name) leads to \(all), which is not this machine (\(seen.text)); a Jamjar answers there.",
          remedy:
            "That is as it should be with a tunnel or a proxy that passes everything on to here; otherwise change its "
            + "record in DNS to \(seen.text).")
      }
      return Finding(
        .name, .failure, "The name \(name) leads to \(all), but the internet sees this machine as \(seen.text).",
        remedy: "Change its record in DNS to \(seen.text), unless a proxy at \(all) passes everything on to here.")
    }
    return Finding(
      .name, .warning,
      "The name \(name) also leads to \(foreign.map(\.text).joined(separator: ", ")), which is not this "
        + "machine.",
      remedy: "Remove that record: some musicians would end up there.")
  }
}
